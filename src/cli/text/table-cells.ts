import type { Result } from '../../contract/result/result.ts';
import { type FailureReason, toWords } from '../../presentation/errors-in-words.ts';
import { absent } from '../../presentation/numbers.ts';
import type { ResultRow } from '../../presentation/result-rows.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import { type Paint, toMarked } from './terminal/paint.ts';

/* Describes a failure for a terminal. */

/** Advice that replaces references to features of the page. */
const advices: Readonly<Record<string, string>> = {
  unauthorized: 'Pass a key of the service with --api-key or RANGELIGHT_API_KEY. Its operator can give you one.',
  target_forbidden:
    'The setting TARGETS does not allow this host. Change it in this environment or, with --server, on the service.',
  cross_site_request: 'A proxy makes the command look like a browser: connect to the service directly.',
  internal: 'Measure again. If it fails again, see the service log for the cause; LOG_LEVEL=info shows it here.',
  invalid_url: 'Check the URL for typos.',
  lighthouse_unavailable: 'Install Chrome or Chromium, or name one with CHROME_PATH; or measure with --psi.',
};

/** Returns a line with the failure and its code, and a line with advice. */
export function toFailureLines(failure: FailureReason): readonly [what: string, advice: string] {
  const { heading, what, advice, code } = toWords(failure);
  if (failure.kind === 'unreachable')
    return [
      `${heading} (${code}): no response.`,
      'Check the URL of the service (--server), and that the service is running.',
    ];
  if (failure.kind === 'invalid') return [`${heading} (${code}): ${what.join(' ')}`, 'Correct it and try again.'];
  const isBroken = failure.kind === 'cut' || failure.kind === 'unreadable';
  const next = isBroken ? advice.replace('show this to', 'tell') : (advices[code] ?? advice);
  return [`${heading} (${code}): ${what.join(' ')}`, next];
}

/** Returns the code and its sentence, for a row of a table. */
export function toFailureCell(failure: FailureReason): string {
  const { what, code, heading } = toWords(failure);
  return `✗ ${code}: ${failure.kind === 'unreachable' ? heading : what.join(' ')}`;
}

/** Mark of values of a disturbed load; the legend below the results explains it. */
const denied = '!';

export function toValueCell(paint: Paint, { text, rating, isMarked }: ResultRow): string {
  if (text === undefined) return toMarked(paint, absent, undefined);
  return toMarked(paint, isMarked ? `${text} ${denied}` : text, rating);
}

/** Explains the mark; empty if no result has it. */
export const sayDenied = (results: readonly Result[]): string =>
  results.some(isDisturbed)
    ? `${denied} disturbed: the value without the disturbance or, if that is unknown, an unreliable one`
    : '';
