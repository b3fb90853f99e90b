/** A failure in words, for a person at a terminal. */

import { toWords } from '../../presentation/errors-in-words.ts';
import type { FailureReason } from '../../presentation/failure-reason.ts';

/** In place of words that send a person to something that only the page has. */
const advices: Readonly<Record<string, string>> = {
  unauthorized: 'Give a key of the service with --api-key or RANGELIGHT_API_KEY. Its operator has one for you.',
  target_forbidden:
    'The settings of the service do not allow this address. Measure without --server, or allow the host with TARGETS.',
  cross_site_request: 'Something on the way makes the command look like a browser: ask the service directly.',
  internal: 'Measure again. If it happens twice, the log has the cause: LOG_LEVEL=info shows it, or the server has it.',
  invalid_url: 'Check the address for a typing error.',
  lighthouse_unavailable: 'Install Chrome or Chromium, or name one with CHROME_PATH; or measure with --psi.',
};

const isOfConnection = ({ kind }: FailureReason): boolean =>
  kind === 'unreachable' || kind === 'cut' || kind === 'unreadable';

/** What happened with its code in one line, what to do in another. */
export function toFailureLines(failure: FailureReason): readonly [what: string, advice: string] {
  const { heading, what, advice, code } = toWords(failure);
  if (failure.kind === 'unreachable')
    return [`${heading} (${code}): no answer came.`, 'Check the address of the service (--server), and that it runs.'];
  if (failure.kind === 'invalid') return [`${heading} (${code}): ${what.join(' ')}`, 'Correct it and measure again.'];
  const next = isOfConnection(failure) ? advice.replace('show this to', 'tell') : (advices[code] ?? advice);
  return [`${heading} (${code}): ${what.join(' ')}`, next];
}

/** The code alone and its sentence, for a row of a table. */
export function toFailureCell(failure: FailureReason): string {
  const { what, code, heading } = toWords(failure);
  return `✗ ${code}: ${failure.kind === 'unreachable' ? heading : what.join(' ')}`;
}
