/** `rangelight history URL` and `rangelight show ID`: display stored results without measuring. */

import type { History } from '../contract/stored/history.ts';
import { toSideNames } from '../presentation/side-names.ts';
import { type Asking, askForJson, exitCodeOf, sayFailure } from './ask-json.ts';
import { exitCodes, type Running, toScreens, write } from './command-context.ts';
import type { HistoryWanted, KeptWanted } from './input/kept-arguments.ts';
import { columnsOfMeasurement, type Measurement, toFinishedMeasurement } from './measurements.ts';
import { closeService, openService } from './open-service.ts';
import { toHistoryText } from './text/history-text.ts';
import { toResultsText } from './text/output-text.ts';
import { toPlainBody, toPlainJson } from './text/terminal/plain-text.ts';
import type { Screen } from './text/terminal/screen.ts';

function toPath(wanted: KeptWanted): string {
  if (wanted.command === 'show')
    return `results/${encodeURIComponent(wanted.id)}${wanted.isAll ? '?detailed=true' : ''}`;
  const { url, metric, strategy, source, label, since, until } = wanted;
  const query = new URLSearchParams({ url, metric, strategy, source });
  for (const [name, value] of Object.entries({ label, since, until })) if (value !== undefined) query.set(name, value);
  return `history?${query}`;
}

type Stored = Pick<HistoryWanted, 'url' | 'strategy'> & { readonly source?: string };

/** Displays a stored response like a new one. */
function toShownText(screen: Screen, body: unknown, isAll: boolean): string {
  const { url = '', strategy = 'mobile', source } = body as Partial<Stored>;
  const lanes = (source === undefined ? (['psi', 'lighthouse'] as const) : [source as 'psi' | 'lighthouse']).map(
    name => ({ source: name, strategy }),
  );
  const job: Measurement = { index: 0, url, strategy, call: { method: 'GET', path: '', lanes } };
  const measured = toFinishedMeasurement(job, { ok: true, body });
  const remote = columnsOfMeasurement(measured).find(({ source: side, part }) => side === 'psi' && part.ok);
  const names = toSideNames(remote?.part.ok ? remote.part.result.analyser : undefined);
  return toResultsText(screen, [measured], { names, isAll });
}

type KeptText = { readonly text: string; readonly exitCode: number };

/** @returns the text for standard output, or the failure. @throws the signal's reason */
async function readKept(wanted: KeptWanted, screen: Screen, asking: Asking): Promise<KeptText> {
  const reply = await askForJson(toPath(wanted), asking);
  if (!reply.ok) return { text: `${sayFailure(reply)}\n`, exitCode: exitCodeOf(reply) };
  if (wanted.format === 'json') return { text: `${toPlainJson(reply.body, 2)}\n`, exitCode: exitCodes.fine };
  if (wanted.command === 'show')
    return { text: toShownText(screen, reply.body, wanted.isAll), exitCode: exitCodes.fine };
  return { text: toHistoryText(screen, toPlainBody(reply.body) as History), exitCode: exitCodes.fine };
}

export async function runKept(wanted: KeptWanted, around: Running): Promise<number> {
  const service = await openService(wanted, around);
  try {
    const apiKey = wanted.server ? wanted.apiKey : undefined;
    const asking = { baseUrl: service.baseUrl, apiKey, signal: around.signal };
    const { text, exitCode } = await readKept(wanted, toScreens(wanted.hasColor, around).result, asking);
    if (exitCode !== exitCodes.fine) await write(around.stderr, text);
    else await around.results.write(text);
    return exitCode;
  } finally {
    await closeService(service, around);
  }
}
