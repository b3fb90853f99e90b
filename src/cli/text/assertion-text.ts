/** What was asserted, what was measured, and what did not hold. */
import { counted } from '../../presentation/numbers.ts';
import { type Assertion, type Check, sayExactly } from '../input/assertion.ts';
import type { Paint } from './paint.ts';
import type { Screen } from './screen.ts';
import { type Cell, toTable } from './table.ts';

const sayState = (paint: Paint, { passed, measured, assertion }: Check): string => {
  if (passed) return paint('green', '✓ holds');
  if (assertion.isWarning) return paint('yellow', measured === null ? '! no value' : '! warns');
  return paint('red', measured === null ? '✗ no value' : '✗ fails');
};

const head = ['', 'asserted', 'measured', 'side', 'strategy', 'page'] as const;

const asText = (text: string): Cell => ({ kind: 'text', text, least: 20 });

/** Of pages that none of those measured is. */
const unusedRows = (paint: Paint, unused: readonly Assertion[]): Cell[][] =>
  unused.map(({ text, isWarning }) => [
    isWarning ? paint('yellow', '! no page') : paint('red', '✗ no page'),
    ...[asText(text), 'no page fits', '', '', ''],
  ]);

const sayEnd = (checks: readonly Check[], unused: readonly Assertion[]): string => {
  const missed = [...checks.filter(({ passed }) => !passed).map(({ assertion }) => assertion), ...unused];
  const failed = missed.filter(({ isWarning }) => !isWarning).length;
  const warned = missed.length - failed;
  const end =
    failed === 0 ? 'All assertions hold' : `${counted(failed, 'assertion')} of ${checks.length + unused.length} failed`;
  return warned === 0 ? `${end}.` : `${end}, ${counted(warned, 'warning')}.`;
};

/** Sides and strategies only where there are several: of one the results have said it. */
const columnsOf = (checks: readonly Check[]): boolean[] => {
  const areSeveral = (values: readonly string[]) => new Set(values).size > 1;
  const sides = areSeveral(checks.map(({ source }) => source));
  return [true, true, true, sides, areSeveral(checks.map(({ strategy }) => strategy)), true];
};

/** @param unused assertions of pages that were not measured */
export function toAssertionText(screen: Screen, checks: readonly Check[], unused: readonly Assertion[] = []): string {
  const { paint } = screen;
  const rows = checks.map((check): Cell[] => [
    sayState(paint, check),
    asText(check.assertion.text),
    sayExactly(check.assertion, check.measured),
    check.source,
    check.strategy,
    { kind: 'url', text: check.url, href: check.url },
  ]);
  const shown = columnsOf(checks);
  const pick = <T>(row: readonly T[]) => row.filter((_, at) => shown[at]);
  const table = toTable(pick(head), [...rows, ...unusedRows(paint, unused)].map(pick), screen);
  return `${table}\n${sayEnd(checks, unused)}\n`;
}
