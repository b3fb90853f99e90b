/** A failure in words, for who sits at a terminal. */
import { toWords } from '../web/errors-in-words.ts';
import type { Trouble } from '../web/trouble.ts';

/** Where the words of the page would send a person to something that a command does not have. */
const advices: Readonly<Record<string, string>> = {
  unauthorized: 'Give a key of the service with --api-key or RANGELIGHT_API_KEY. Whoever runs it has one for you.',
  target_forbidden:
    'The service may not measure this address. Measure without --server, or have the host allowed with TARGETS.',
  cross_site_request: 'Something on the way makes the command look like a browser: ask the service directly.',
  internal: 'Measure again. If it happens twice, the log has the cause: LOG_LEVEL=info shows it, or the server has it.',
  invalid_url: 'Check the address for a typing error.',
  lighthouse_unavailable: 'Install Chrome or Chromium, or name one with CHROME_PATH; or measure with --psi.',
};

const isOfConnection = ({ kind }: Trouble): boolean =>
  kind === 'unreachable' || kind === 'cut' || kind === 'unreadable';

/** What happened with its code in one line, what to do in another. */
export function toFailureLines(trouble: Trouble): readonly [what: string, advice: string] {
  const { heading, what, advice, code } = toWords(trouble);
  if (trouble.kind === 'unreachable')
    return [`${heading} (${code}): no answer came.`, 'Check the address of the service (--server), and that it runs.'];
  if (trouble.kind === 'invalid') return [`${heading} (${code}): ${what.join(' ')}`, 'Correct it and measure again.'];
  const told = isOfConnection(trouble) ? advice.replace('show this to', 'tell') : (advices[code] ?? advice);
  return [`${heading} (${code}): ${what.join(' ')}`, told];
}

/** The code alone and its sentence, for a row of a table. */
export function toFailureCell(trouble: Trouble): string {
  const { what, code, heading } = toWords(trouble);
  return `✗ ${code}: ${trouble.kind === 'unreachable' ? heading : what.join(' ')}`;
}
