import { AnalysisError } from '../../contract/errors.ts';
import { toMachineFailure, toPageFailure } from '../lhr/page-failure.ts';
import { appLink, documentLate } from './messages.ts';
import { WorkerFailure } from './worker-processes/worker-process.ts';

/** Returns the first non-empty line: the rest of a browser's stderr is noise. */
export const firstLine = (text: string): string =>
  text
    .split('\n')
    .find(line => line.trim() !== '')
    ?.trim() ?? 'no reason given';

/**
 * Removes paths of this machine, which are only for the log. A path that begins with `~` is not removed, because it
 * reveals no folder.
 */
export const withoutPaths = (text: string): string => text.replace(/(?<![\w/~])(\/[\w.@+~-]+){2,}\/?/g, '[path]');

export const unavailable = (reason: string, cause?: unknown) =>
  new AnalysisError('lighthouse_unavailable', `Local audits are not possible here: ${withoutPaths(reason)}.`, {
    cause,
  });

/** Returns whether Puppeteer's message means that a tab or browser disappeared during an audit. */
const isGone = (message: string): boolean =>
  /Target closed|Session closed|Connection closed|Target crashed|detached|Page crashed/i.test(message);

/** Returns whether Puppeteer's message means that the page did not answer a command within `protocolTimeout`. */
const isUnanswered = (message: string): boolean => message.includes("'protocolTimeout'");

const accessCodes: ReadonlyMap<string, 'login_required' | 'login_failed'> = new Map([
  ['LOGIN_REQUIRED', 'login_required'],
  ['LOGIN_FAILED', 'login_failed'],
]);

/**
 * Converts a worker's failure to a failure of the page if Lighthouse or the browser reports one, otherwise of this
 * machine.
 */
export const toAuditFailure = (failure: WorkerFailure): AnalysisError => {
  if (failure.during !== 'audit') return unavailable(firstLine(failure.message), failure);
  if (failure.code === documentLate)
    return new AnalysisError(
      'page_timeout',
      'The page did not respond or paint within the 30 s that Lighthouse waits.',
      { cause: failure },
    );
  if (failure.code === appLink) {
    const [scheme = 'unknown:'] = /^[a-z][a-z\d+.-]{0,40}:(\/\/)?/i.exec(failure.message) ?? [];
    return new AnalysisError('page_not_html', `The URL leads to an app (\`${scheme}\`), which no browser shows.`, {
      cause: failure,
    });
  }
  const code = accessCodes.get(failure.code ?? '');
  if (code) return new AnalysisError(code, failure.message, { seen: failure.seen, cause: failure });
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
 * Failures that may not recur in a fresh browser: a crashed tab, an incomplete trace, an unanswered command. A page
 * that hangs or paints nothing would fail again.
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

/** Returns whether a second try only ran out of time, or was not possible. The first failure then says more. */
export const isLessTelling = (error: unknown): boolean =>
  error instanceof AnalysisError && (error.code === 'lighthouse_timeout' || error.code === 'lighthouse_unavailable');

/**
 * Returns whether this failure means that no page can be audited now. Other faults of the machine, such as a timeout or
 * a full queue, do not affect the next audit.
 */
export const stopsEveryAudit = (error: unknown): boolean =>
  error instanceof WorkerFailure
    ? error.during !== 'audit'
    : error instanceof AnalysisError && error.code === 'lighthouse_unavailable';
