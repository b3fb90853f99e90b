/** `rangelight history URL`, `show ID` and `what-if URL|ID`: display what a service knows of stored results. */
import type { Conditions } from '../contract/conditions/conditions.ts';
import type { History } from '../contract/stored/history.ts';
import type { WhatIf } from '../contract/stored/what-if.ts';
import { toSideNames } from '../presentation/side-names.ts';
import { type Asking, ask, bodyOf, CommandFailure, send } from './ask-json.ts';
import { exitCodes, printAnswer, type Running } from './command-context.ts';
import type { HistoryWanted, ShowWanted, WhatIfWanted } from './input/arguments.ts';
import { loadConditions } from './input/load-conditions.ts';
import { columnsOfMeasurement, type Measurement, toCall, toFinishedMeasurement } from './measurements.ts';
import { withService } from './open-service.ts';
import { toHistoryText } from './text/history-text.ts';
import { toResultsText } from './text/output-text.ts';
import { toPlainBody } from './text/terminal/plain-text.ts';
import type { Screen } from './text/terminal/screen.ts';
import { toWhatIfText } from './text/what-if-text.ts';

export function runHistory(wanted: HistoryWanted, around: Running): Promise<number> {
  const { url, metric, strategy, source, label, conditions, since, until } = wanted;
  const query = new URLSearchParams({ url, metric, strategy, source });
  for (const [name, value] of Object.entries({ label, conditions, since, until }))
    if (value !== undefined) query.set(name, value);
  return withService(wanted, around, async asking => {
    const body = await ask(`history?${query}`, asking);
    return printAnswer(body, wanted, around, screen => toHistoryText(screen, toPlainBody(body) as History));
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

export const runShow = (wanted: ShowWanted, around: Running): Promise<number> =>
  withService(wanted, around, async asking => {
    const { id, all } = wanted;
    const body = await ask(`results/${encodeURIComponent(id)}${all ? '?detailed=true' : ''}`, asking);
    return printAnswer(body, wanted, around, screen => toShownText(screen, body, all));
  });

/** Returns the id of a stored load. If the user named a page, it is measured first. @throws CommandFailure */
async function findLoad(
  { subject, strategy }: WhatIfWanted,
  conditions: Partial<Conditions>,
  asking: Asking,
): Promise<string> {
  if ('id' in subject) return subject.id;
  const call = toCall({ url: subject.url, strategy, categories: ['performance'], ...conditions });
  const { id } = bodyOf(await send(call, asking)) as { id?: string };
  if (id !== undefined) return id;
  throw new CommandFailure('The service stores no results, so there is no load to simulate.', exitCodes.analysisFailed);
}

/** Predicts the score of a load under different conditions, from its stored trace. */
export async function runWhatIf(wanted: WhatIfWanted, around: Running): Promise<number> {
  const conditions = await loadConditions(wanted, around.env);
  return withService(
    wanted,
    around,
    async asking => {
      const body = await ask(`results/${await findLoad(wanted, conditions, asking)}/what-if`, asking);
      return printAnswer(body, wanted, around, screen => toWhatIfText(screen, toPlainBody(body) as WhatIf));
    },
    { isStoring: true },
  );
}
