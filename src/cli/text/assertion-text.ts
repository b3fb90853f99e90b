/** What was asserted, what was measured, and what did not hold. */
import { counted } from '../../presentation/numbers.ts';
import { type Check, sayExactly } from '../input/assertion.ts';
import type { Paint } from './paint.ts';
import { toTable } from './table.ts';

const sayState = (paint: Paint, { passed, measured }: Check): string => {
  if (passed) return paint('green', '✓ holds');
  return paint('red', measured === null ? '✗ no value' : '✗ fails');
};

export function toAssertionText(paint: Paint, checks: readonly Check[]): string {
  const rows = checks.map(check => [
    sayState(paint, check),
    check.assertion.text,
    sayExactly(check.assertion, check.measured),
    check.source,
    check.strategy,
    check.url,
  ]);
  const failed = checks.filter(({ passed }) => !passed).length;
  const end = failed === 0 ? 'All assertions hold.' : `${counted(failed, 'assertion')} of ${checks.length} failed.`;
  return `${toTable(['', 'asserted', 'measured', 'side', 'strategy', 'page'], rows)}\n${end}\n`;
}
