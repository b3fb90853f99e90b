/** `rangelight URL...`: from the pages to the exit code. */
import { counted } from '../presentation/numbers.ts';
import type { SideNames } from '../presentation/side-names.ts';
import { type BaselineCheck, compareWithBaseline } from './compare-baseline.ts';
import { toJsonLine } from './files/json-output.ts';
import { judgeHtml } from './files/judge-html.ts';
import { findNames } from './find-names.ts';
import { findPictures, type Pictures } from './find-pictures.ts';
import { gatherPages } from './input/gather-pages.ts';
import type { Wanted } from './input/wanted.ts';
import { type Job, type Measured, parallelJobs, toJobs } from './jobs.ts';
import { closeService, type OpenService, openService } from './open-service.ts';
import { write } from './output.ts';
import { runJobs } from './run-jobs.ts';
import { showProgress } from './show-progress.ts';
import { showResults } from './show-results.ts';
import { type Running, toScreens } from './surroundings.ts';

async function measure(wanted: Wanted, jobs: readonly Job[], around: Running, service: OpenService) {
  const { results, stderr, signal } = around;
  const progress = showProgress(stderr, toScreens(wanted.hasColor, around).notes.paint, jobs, wanted.isQuiet);
  try {
    return await runJobs(jobs, {
      signal,
      apiKey: wanted.server ? wanted.apiKey : undefined,
      baseUrl: service.baseUrl,
      atOnce: parallelJobs[wanted.backend],
      onProgress: progress.tell,
      onDone: measured => {
        progress.end(measured);
        if (wanted.format === 'ndjson') void results.write(toJsonLine(measured, service.baseUrl));
      },
    });
  } finally {
    progress.stop();
  }
}

/** @throws the signal's reason when nothing was measured */
export async function runMeasure(wanted: Wanted, around: Running): Promise<number> {
  const { signal, stderr } = around;
  const jobs = toJobs(await gatherPages(wanted, around), wanted);
  if (wanted.html !== undefined) judgeHtml(wanted.html, jobs.length > 1);
  signal.throwIfAborted();
  const service = await openService(wanted, around);
  const { baseUrl } = service;
  let all: Measured[];
  let names: SideNames;
  let baseline: BaselineCheck[] = [];
  let pictures: Pictures = new Map();
  try {
    all = await measure(wanted, jobs, around, service);
    names = await findNames(all, baseUrl, signal);
    const asking = { baseUrl, apiKey: wanted.server ? wanted.apiKey : undefined, signal };
    if (wanted.html !== undefined && jobs.length > 1) pictures = await findPictures(all, asking);
    if (wanted.baseline !== undefined && !signal.aborted)
      baseline = await compareWithBaseline({ baseline: wanted.baseline, smallest: wanted.smallest }, all, asking);
  } finally {
    await closeService(service, around);
  }
  if (signal.aborted) {
    if (all.length === 0) throw signal.reason;
    // A terminal shows the key that was pressed in this line.
    await write(stderr, `${stderr.isTTY ? '\n' : ''}Cancelled: ${all.length} of ${counted(jobs.length, 'result')}.\n`);
  }
  return showResults(wanted, { all, jobs, baseUrl, names, baseline, pictures }, around);
}
