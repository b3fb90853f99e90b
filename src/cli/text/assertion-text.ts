/** What was asserted, what was measured, and what did not hold. */
import { counted } from '../../presentation/numbers.ts';
import { type Assertion, type Check, sayExactly } from '../input/assertion.ts';
import type { Paint } from './paint.ts';
import { toTable } from './table.ts';

const sayState = (paint: Paint, { passed, measured, assertion }: Check): string => {
  if (passed) return paint('green', '✓ holds');
  if (assertion.isWarning) return paint('yellow', measured === null ? '! no value' : '! warns');
  return paint('red', measured === null ? '✗ no value' : '✗ fails');
};

/** Of pages that none of those measured is. */
const unusedRows = (paint: Paint, unused: readonly Assertion[]): string[][] =>
  unused.map(({ text, isWarning }) => [
    isWarning ? paint('yellow', '! no page') : paint('red', '✗ no page'),
    ...[text, 'no page fits', '', '', ''],
  ]);

const sayEnd = (checks: readonly Check[], unused: readonly Assertion[]): string => {
  const missed = [...checks.filter(({ passed }) => !passed).map(({ assertion }) => assertion), ...unused];
  const failed = missed.filter(({ isWarning }) => !isWarning).length;
  const warned = missed.length - failed;
  const end =
    failed === 0 ? 'All assertions hold' : `${counted(failed, 'assertion')} of ${checks.length + unused.length} failed`;
  return warned === 0 ? `${end}.` : `${end}, ${counted(warned, 'warning')}.`;
};

/** @param unused assertions of pages that were not measured */
export function toAssertionText(paint: Paint, checks: readonly Check[], unused: readonly Assertion[] = []): string {
  const rows = checks.map(check => [
    sayState(paint, check),
    check.assertion.text,
    sayExactly(check.assertion, check.measured),
    check.source,
    check.strategy,
    check.url,
  ]);
  const head = ['', 'asserted', 'measured', 'side', 'strategy', 'page'];
  return `${toTable(head, [...rows, ...unusedRows(paint, unused)])}\n${sayEnd(checks, unused)}\n`;
}
