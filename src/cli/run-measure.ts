/** `rangelight URL...`: measures pages and returns the exit code. */

import type { Analyser } from '../contract/result/result.ts';
import { counted } from '../presentation/numbers.ts';
import { type SideNames, toSideNames } from '../presentation/side-names.ts';
import { type Asking, askForJson } from './ask-json.ts';
import { type Running, toScreens, write } from './command-context.ts';
import { checkBaseline, compareWithBaseline } from './compare-baseline.ts';
import { toJsonLine } from './files/json-output.ts';
import { judgeHtml } from './files/judge-html.ts';
import { findPictures } from './find-pictures.ts';
import type { Wanted } from './input/arguments.ts';
import { gatherPages } from './input/gather-pages.ts';
import { loadConditions } from './input/load-conditions.ts';
import {
  columnsOfMeasurement,
  type FinishedMeasurement,
  type Measurement,
  parallelMeasurements,
  runMeasurements,
  toMeasurements,
} from './measurements.ts';
import { withService } from './open-service.ts';
import { showProgress } from './show-progress.ts';
import { type Results, showResults } from './show-results.ts';

const healthTimeoutMs = 2000;

type RemoteKind = Exclude<Analyser['kind'], 'local' | 'uploaded'>;
const isRemoteKind = (kind: unknown): kind is RemoteKind => ['google', 'embedded', 'custom'].includes(`${kind}`);

async function askHealth(asking: Asking): Promise<Analyser | undefined> {
  const signal = AbortSignal.any([asking.signal, AbortSignal.timeout(healthTimeoutMs)]);
  const reply = await askForJson('health', { ...asking, signal }).catch(() => undefined);
  const kind = reply?.ok && (reply.body as { psi?: { analyser?: unknown } } | null)?.psi?.analyser;
  return isRemoteKind(kind) ? { kind } : undefined;
}

/** Names the sides by their results; if every remote analysis failed, the service is asked. */
async function findNames(all: readonly FinishedMeasurement[], asking: Asking): Promise<SideNames> {
  const columns = all.flatMap(columnsOfMeasurement).filter(({ source }) => source === 'psi');
  const measured = columns.find(({ part }) => part.ok)?.part;
  if (measured?.ok) return toSideNames(measured.result.analyser);
  return toSideNames(columns.length > 0 ? await askHealth(asking) : undefined);
}

async function measure(wanted: Wanted<'measure'>, jobs: readonly Measurement[], around: Running, asking: Asking) {
  const { results, stderr } = around;
  const progress = showProgress(stderr, toScreens(wanted, around).notes.paint, jobs, wanted.quiet);
  try {
    return await runMeasurements(jobs, {
      ...asking,
      atOnce: parallelMeasurements[wanted.backend],
      onProgress: progress.tell,
      onDone: measured => {
        progress.end(measured);
        if (wanted.format === 'ndjson') void results.write(toJsonLine(measured, asking.baseUrl));
      },
    });
  } finally {
    progress.stop();
  }
}

/** @throws the signal's reason if nothing was measured */
export async function runMeasure(wanted: Wanted<'measure'>, around: Running): Promise<number> {
  const { signal, stderr } = around;
  const { baseline: name, minEffect, html } = wanted;
  const conditions = await loadConditions(wanted, around.env);
  const jobs = toMeasurements(await gatherPages(wanted, around), wanted, conditions);
  if (html !== undefined) judgeHtml(html, jobs.length > 1);
  signal.throwIfAborted();
  const { server, apiKey } = wanted;
  const measured = await withService({ server, apiKey }, around, async (asking): Promise<Results> => {
    if (name !== undefined) await checkBaseline(name, asking);
    const all = await measure(wanted, jobs, around, asking);
    const isCompared = name !== undefined && !signal.aborted;
    return {
      all,
      jobs,
      baseUrl: asking.baseUrl,
      names: await findNames(all, asking),
      pictures: html !== undefined && jobs.length > 1 ? await findPictures(all, asking) : new Map(),
      baseline: isCompared ? await compareWithBaseline({ baseline: name, minEffect }, all, asking) : [],
    };
  });
  const { all } = measured;
  if (signal.aborted) {
    if (all.length === 0) throw signal.reason;
    // The message starts on a new line, because a terminal echoes the pressed key.
    await write(stderr, `${stderr.isTTY ? '\n' : ''}Cancelled: ${all.length} of ${counted(jobs.length, 'result')}.\n`);
  }
  return showResults(wanted, measured, around);
}
