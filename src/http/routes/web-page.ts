/** The HTML of the page for one service: its choices say what is configured, before any script has run. */
import type { Analyser } from '../../measure/analyser.ts';
import { toSideNames } from '../../presentation/side-names.ts';
import { escapeMarkup } from '../../web/report/markup.ts';

/** What answers `/psi`. `host` is shown where it is another server. */
export type PageAnalyser = { readonly kind: 'google' | 'embedded' | 'custom'; readonly host: string };

const meanings: Readonly<Record<PageAnalyser['kind'], string>> = {
  google: 'Measured by Google, from its own machines.',
  custom: 'Measured by the PageSpeed Insights server that this service is set to.',
  embedded:
    'Lighthouse with the settings of PageSpeed Insights, in a browser on this machine. PSI_API_KEY turns it to Google.',
};

/** Its host is shown, so the embedded one has none: its address is ours. */
export const toPageAnalyser = ({ kind, host }: Pick<Analyser, 'kind' | 'host'>): PageAnalyser => ({
  kind,
  host: kind === 'embedded' ? '' : host(),
});

/** Where only this machine measures, Lighthouse's own settings are what a person expects. */
const toUsualBackend = ({ kind }: PageAnalyser) => (kind === 'embedded' ? 'local' : 'remote');

/** Whether the service has results to show, and whether it wants a key for them. */
export type Keeping = 'open' | 'locked' | 'nothing';

export type PageFacts = {
  readonly analyser: PageAnalyser;
  readonly keeping: Keeping;
  /** Whether the service can sign the callbacks of jobs and schedules. */
  readonly hasCallbacks: boolean;
  /** Its address asks for something: there is room for it before any script has run, so that nothing moves then. */
  readonly isAsked: boolean;
};

/** @param template `page.html`, whose `%names%` are filled in; @throws for a name that is not known */
export function toPageHtml(template: string, { analyser, keeping, hasCallbacks, isAsked }: PageFacts): string {
  const values: Readonly<Record<string, string>> = {
    analyser: analyser.kind,
    keeping,
    callbacks: hasCallbacks ? 'signed' : 'none',
    asked: isAsked ? ' data-asked' : '',
    folded: isAsked ? ' data-folded' : '',
    'analyser-host': analyser.host,
    remote: toSideNames(analyser).psi.short,
    'remote-meaning': meanings[analyser.kind],
  };
  const chosen = `name="backend" value="${toUsualBackend(analyser)}"`;
  return template.replace(chosen, `${chosen} checked`).replaceAll(/%([a-z-]+)%/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`page.html has a place for ${name}, which nothing fills`);
    return escapeMarkup(value);
  });
}
