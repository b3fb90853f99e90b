/** HTML of the page for one service. Its options match the configuration before any script runs. */
import { optionsAt } from '../../contract/measuring-options.ts';
import type { PsiAnalyser } from '../../measure/analyser.ts';
import { toSideNames } from '../../presentation/side-names.ts';
import { escapeMarkup } from '../../web/report/markup.ts';

/** Analyser of `/psi`. Its `host` is displayed if it is a different server. */
export type PageAnalyser = { readonly kind: 'google' | 'embedded' | 'custom'; readonly host: string };

const meanings: Readonly<Record<PageAnalyser['kind'], string>> = {
  google: 'Measured by Google, from its own machines.',
  custom: 'Measured by the PageSpeed Insights server that this service uses.',
  embedded:
    'Lighthouse with the settings of PageSpeed Insights, in a browser on this machine. Set PSI_API_KEY to use Google.',
};

/** Returns the analyser for display. The embedded one has no host, because its address is the service's own. */
export const toPageAnalyser = ({ kind, host }: Pick<PsiAnalyser, 'kind' | 'host'>): PageAnalyser => ({
  kind,
  host: kind === 'embedded' ? '' : host(),
});

/** Selects the default backend: if only this machine measures, users expect Lighthouse's own settings. */
const toUsualBackend = ({ kind }: PageAnalyser) => (kind === 'embedded' ? 'local' : 'remote');

/** Whether the service has stored results, and whether they require a key. */
export type Keeping = 'open' | 'locked' | 'nothing';

export type PageFacts = {
  readonly analyser: PageAnalyser;
  readonly keeping: Keeping;
  /** Whether the service can sign the callbacks of jobs and schedules. */
  readonly hasCallbacks: boolean;
  /** Whether the URL requests a result, for which the page then reserves space, to avoid a layout shift. */
  readonly isAsked: boolean;
};

const toOptionFields = (): string =>
  optionsAt('form')
    .flatMap(([name, { legend, choices }]) => {
      if (!legend || !choices) return [];
      const inputs = choices.map(([value, label], at) => {
        const checked = at === 0 ? ' checked' : '';
        return `<label><input type="radio" name="${name}" value="${value}"${checked}><span>${label}</span></label>`;
      });
      return [
        '<fieldset class="switch">',
        `  <legend>${legend}</legend>`,
        ...inputs.map(input => `  ${input}`),
        '</fieldset>',
      ];
    })
    .join('\n          ');

/**
 * @param template `page.html` with `%names%`, and the place of the options, to fill in
 * @throws Error for an unknown name
 */
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
  return template
    .replace('<!-- options -->', toOptionFields())
    .replace(chosen, `${chosen} checked`)
    .replaceAll(/%([a-z-]+)%/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`page.html has a place for ${name}, which nothing fills`);
      return escapeMarkup(value);
    });
}
