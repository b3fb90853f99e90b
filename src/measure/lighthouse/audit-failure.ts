import { AnalysisError } from '../../contract/errors.ts';
import { toMachineFailure, toPageFailure } from '../lhr/page-failure.ts';
import { WorkerFailure } from './cells/worker-process.ts';
import { documentLate } from './messages.ts';

/** The first line that says something: the rest of a browser's stderr is noise. */
export const firstLine = (text: string): string =>
  text
    .split('\n')
    .find(line => line.trim() !== '')
    ?.trim() ?? 'no reason given';

/** Paths of this machine are for the log, which has the cause. A path below `~` names no folder of it. */
export const withoutPaths = (text: string): string => text.replace(/(?<![\w/~])(\/[\w.@+~-]+){2,}\/?/g, '[path]');

export const unavailable = (reason: string, cause?: unknown) =>
  new AnalysisError('lighthouse_unavailable', `Local audits are not possible here: ${withoutPaths(reason)}.`, {
    cause,
  });

/** Puppeteer's words for a tab or browser that went away under a running audit. */
const isGone = (message: string): boolean =>
  /Target closed|Session closed|Connection closed|Target crashed|detached|Page crashed/i.test(message);

/** The driver's own words for a command that the page never answered, where Lighthouse's limit was not the first. */
const isUnanswered = (message: string): boolean => message.includes("'protocolTimeout'");

/** A worker's failure in our codes: of the page where Lighthouse or the browser says so, else of this machine. */
export const toAuditFailure = (failure: WorkerFailure): AnalysisError => {
  if (failure.during !== 'audit') return unavailable(firstLine(failure.message), failure);
  if (failure.code === documentLate)
    return new AnalysisError(
      'page_timeout',
      'The page did not respond or paint within the 30 s that Lighthouse waits.',
      { cause: failure },
    );
  const ofPage = toPageFailure(
    failure.code ?? (isUnanswered(failure.message) ? 'PROTOCOL_TIMEOUT' : ''),
    failure.message,
  );
  if (ofPage) return ofPage;
  if (isGone(failure.message))
    return new AnalysisError('page_crashed', 'The browser crashed while it loaded the page.', { cause: failure });
  return toMachineFailure('lighthouse_unavailable', failure.code, failure.message, failure);
};

/**
 * Failures that the same page may well not have in a fresh browser: a tab that crashed, a trace with a hole in it, a
 * command that was never answered. A page that paints nothing or hangs does so on a retry too.
 */
const chanceCodes: ReadonlySet<string> = new Set([
  'TARGET_CRASHED',
  'PROTOCOL_TIMEOUT',
  'NO_NAVSTART',
  'NO_DCL',
  'NO_RESOURCE_REQUEST',
  'NO_SCREENSHOTS',
  'NO_SPEEDLINE_FRAMES',
  'SPEEDINDEX_OF_ZERO',
  'INVALID_SPEEDLINE',
]);

export const isWorthAnotherTry = (error: unknown): boolean =>
  error instanceof AnalysisError && error.lighthouseCode !== undefined && chanceCodes.has(error.lighthouseCode);

/**
 * Whether no page at all can be audited now, as against this one. Not every fault of the machine is of that kind: an
 * audit that times out, or a full queue, says nothing of the next.
 */
export const stopsEveryAudit = (error: unknown): boolean =>
  error instanceof WorkerFailure
    ? error.during !== 'audit'
    : error instanceof AnalysisError && error.code === 'lighthouse_unavailable';
