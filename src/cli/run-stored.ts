/** Commands that print one answer of a service: `history`, `show`, `what-if`, `site` and `note`. */
import type { Conditions } from '../contract/conditions/conditions.ts';
import type { Sitemap } from '../contract/sitemap.ts';
import type { ResultsComparison } from '../contract/stored/change.ts';
import type { History } from '../contract/stored/history.ts';
import type { Note } from '../contract/stored/notes.ts';
import type { WhatIf } from '../contract/stored/what-if.ts';
import { sayCause } from '../presentation/change-words.ts';
import { sidesOf, toExplain } from '../presentation/charts/history-chart.ts';
import { toSideNames } from '../presentation/side-names.ts';
import { type Asking, addNote, ask, askForJson, bodyOf, CommandFailure, send } from './ask-json.ts';
import { printAnswer, type Running, write } from './command-context.ts';
import type { Wanted } from './input/arguments.ts';
import { columnsOfMeasurement, type Measurement, toCall, toFinishedMeasurement } from './measurements.ts';
import { withService } from './open-service.ts';
import { toHistoryText } from './text/history-text.ts';
import { toResultsText } from './text/output-text.ts';
import { toPlainBody } from './text/terminal/plain-text.ts';
import type { Screen } from './text/terminal/screen.ts';
import { toWhatIfText } from './text/what-if-text.ts';

/** Names what caused the newest changes, by the id of their first result, if their results are still stored. */
async function explainNewest(history: History, asking: Asking): Promise<Readonly<Record<string, string>>> {
  const causes: Record<string, string> = {};
  for (const change of toExplain(history)) {
    const reply = await askForJson(`compare-results?${new URLSearchParams(sidesOf(history, change))}`, asking);
    if (reply.ok) causes[change.id] = sayCause((toPlainBody(reply.body) as ResultsComparison).verdict, change.status);
  }
  return causes;
}

export function runHistory(wanted: Wanted<'history'>, around: Running): Promise<number> {
  const { url, metric, strategy, source, label, conditions, since, until } = wanted;
  const query = new URLSearchParams({ url, metric, strategy, source });
  for (const [name, value] of Object.entries({ label, conditions, since, until }))
    if (value !== undefined) query.set(name, value);
  const { server } = wanted;
  return withService(wanted, around, async asking => {
    const answer = (await ask(`history?${query}`, asking)) as History;
    if (server === undefined && answer.points.length === 0)
      await write(
        around.stderr,
        'Note: this reads the store of the command. A running service has its own: --server.\n',
      );
    const causes = wanted.json ? {} : await explainNewest(answer, asking);
    return printAnswer<History>(answer, wanted, around, (screen, history) =>
      toHistoryText(screen, history, { server, causes }),
    );
  });
}

/** Displays a stored response like a new one. */
function toShownText(screen: Screen, body: unknown, isAll: boolean): string {
  const {
    url = '',
    strategy = 'mobile',
    source,
  } = body as Partial<Pick<Measurement, 'url' | 'strategy'> & { readonly source?: 'psi' | 'lighthouse' }>;
  const sources = source === undefined ? (['psi', 'lighthouse'] as const) : [source];
  const lanes = sources.map(name => ({ source: name, strategy }));
  const job: Measurement = { index: 0, url, strategy, call: { method: 'GET', path: '', lanes } };
  const measured = toFinishedMeasurement(job, { ok: true, body });
  const remote = columnsOfMeasurement(measured).find(({ source: side, part }) => side === 'psi' && part.ok);
  const names = toSideNames(remote?.part.ok ? remote.part.result.analyser : undefined);
  return toResultsText(screen, [measured], { names, isAll });
}

export const runShow = (wanted: Wanted<'show'>, around: Running): Promise<number> =>
  withService(wanted, around, async asking => {
    const { id, all } = wanted;
    const body = await ask(`results/${encodeURIComponent(id)}${all ? '?detailed=true' : ''}`, asking);
    return printAnswer(body, wanted, around, screen => toShownText(screen, body, all));
  });

/** Returns the id of a stored load. If the user named a page, it is measured first. @throws CommandFailure */
async function findLoad(
  { subject, strategy }: Wanted<'what-if'>,
  conditions: Partial<Conditions>,
  asking: Asking,
): Promise<string> {
  if ('id' in subject) return subject.id;
  const call = toCall({ url: subject.url, strategy, categories: ['performance'], ...conditions });
  const { id } = bodyOf(await send(call, asking)) as { id?: string };
  if (id !== undefined) return id;
  throw new CommandFailure('The service stores no results, so there is no load to simulate.');
}

/** Predicts the score of a load under different conditions, from its stored trace. */
export const runWhatIf = (wanted: Wanted<'what-if'>, around: Running): Promise<number> =>
  withService(
    wanted,
    around,
    async (asking, conditions) => {
      const body = await ask(`results/${await findLoad(wanted, conditions, asking)}/what-if`, asking);
      return printAnswer<WhatIf>(body, wanted, around, toWhatIfText);
    },
    true,
  );

/** Lists the route templates, so that it is clear which pages the list has, and how it was made. */
function toSiteSummary({ found, urls, templates, links, failures, is_complete: isComplete }: Sitemap): string {
  const way = links ? `by the links of ${links.read} pages` : 'in sitemaps';
  return [
    `${found} pages found ${way}, ${urls.length} listed${isComplete ? '' : '; there are more'}`,
    ...templates.map(({ template, pages }) => `${String(pages).padStart(7)}  ${template}`),
    ...failures.map(({ url, detail }) => `${url}: ${detail}`),
    '',
  ].join('\n');
}

/** Finds the pages of a site, as input for a list. */
export function runSite(wanted: Wanted<'site'>, around: Running): Promise<number> {
  const { url, sample, quiet } = wanted;
  const query = new URLSearchParams({ url, ...(sample === undefined ? {} : { sample: `${sample}` }) });
  return withService(wanted, around, async asking => {
    const body = await ask(`sitemap?${query}`, asking);
    if (!quiet) await write(around.stderr, toSiteSummary(toPlainBody(body) as Sitemap));
    return printAnswer<Sitemap>(body, wanted, around, (_, { urls }) => urls.map(page => `${page}\n`).join(''));
  });
}

/** Adds a note to the histories of a site. `rangelight ci` adds one by itself. */
export function runNote(wanted: Wanted<'note'>, around: Running): Promise<number> {
  const { url, page, text, time, link } = wanted;
  return withService(wanted, around, async asking => {
    const body = await addNote({ ...(page ? { url } : { site: url }), text, time, link }, asking);
    return printAnswer<Note>(body, wanted, around, (_, { id, site }) => `Noted for ${page ? url : site}: ${id}\n`);
  });
}
