/** Formats assertions with their measured values: those that failed, then the number that passed. */
import { absent, counted } from '../../presentation/numbers.ts';
import { type Assertion, type Check, sayValue } from '../input/assertion.ts';
import type { Paint } from './terminal/paint.ts';
import { toPlainLine } from './terminal/plain-text.ts';
import type { Screen } from './terminal/screen.ts';
import { type Cell, toTable } from './terminal/table.ts';
import { indentText } from './terminal/width.ts';

const sayState = (paint: Paint, check: Check): string => {
  const { passed, measured } = check;
  if (passed) return paint('green', '✓ holds');
  if (check.isWarning) return paint('yellow', measured === null ? '! no value' : '! warns');
  return paint('red', measured === null ? '✗ no value' : '✗ fails');
};

const head = ['', 'asserted', 'measured', 'side', 'strategy', 'page'] as const;

const sayAssertion = ({ text, preset }: Assertion): Cell => ({
  kind: 'text',
  text,
  least: 22,
  ...(preset === undefined ? {} : { note: preset }),
});

const unusedRows = (paint: Paint, unused: readonly Assertion[]): Cell[][] =>
  unused.map(assertion => [
    assertion.isWarning ? paint('yellow', '! no page') : paint('red', '✗ no page'),
    ...[sayAssertion(assertion), 'no page matches', '', '', ''],
  ]);

/** Returns `2 of 10 assertions failed, 7 passed, 1 warning.` @param isListed whether passed assertions are listed */
function sayEnd(checks: readonly Check[], unused: readonly Assertion[], isListed: boolean): string {
  const missed = [...checks.filter(({ passed }) => !passed), ...unused];
  const failed = missed.filter(({ isWarning }) => !isWarning).length;
  const total = checks.length + unused.length;
  const [warned, passed] = [missed.length - failed, total - missed.length];
  const hint = isListed ? '' : ' (--all lists them)';
  const said = [
    failed === 0 ? '' : `${failed} of ${counted(total, 'assertion')} failed`,
    passed === 0 ? '' : `${failed === 0 ? counted(passed, 'assertion') : passed} passed${hint}`,
    warned === 0 ? '' : counted(warned, 'warning'),
  ];
  return `${said.filter(Boolean).join(', ')}.`;
}

/** Returns whether sides and strategies are displayed: only if there are several. */
const columnsOf = (checks: readonly Check[]): boolean[] => {
  const areSeveral = (values: readonly string[]) => new Set(values).size > 1;
  const sides = areSeveral(checks.map(({ source }) => source));
  return [true, true, true, sides, areSeveral(checks.map(({ strategy }) => strategy)), true];
};

/** Returns the value, marked if the load was disturbed. */
const sayMarked = ({ assertion, measured, isDenied, isCorrected }: Check): string => {
  if (measured === null) return absent;
  const mark = isCorrected ? ' *' : isDenied ? ' !' : '';
  return `${sayValue(assertion, measured)}${mark}`;
};

export type Judged = {
  readonly checks: readonly Check[];
  /** Assertions about pages that were not measured. */
  readonly unused: readonly Assertion[];
};

/** @param isAll whether to list passed assertions too */
export function toAssertionText(screen: Screen, { checks, unused }: Judged, isAll = false): string {
  const { paint } = screen;
  const missed = checks.filter(({ passed }) => !passed);
  const listed = [
    ...missed.filter(({ isWarning }) => !isWarning),
    ...missed.filter(({ isWarning }) => isWarning),
    ...(isAll ? checks.filter(({ passed }) => passed) : []),
  ];
  const rows = listed.map((check): Cell[] => [
    sayState(paint, check),
    sayAssertion(check.assertion),
    sayMarked(check),
    check.source,
    check.strategy,
    { kind: 'url', text: check.url, href: check.url, least: 20 },
  ]);
  const shown = columnsOf(checks);
  const pick = <T>(row: readonly T[]) => row.filter((_, at) => shown[at]);
  const shownRows = [...unusedRows(paint, unused), ...rows].map(pick);
  const table = shownRows.length > 0 ? `${toTable(pick(head), shownRows, screen)}\n` : '';
  const faults = [...new Set(checks.flatMap(({ fault }) => fault ?? []))];
  const denied = listed.filter(({ isDenied, measured }) => isDenied && measured !== null);
  const areExcused = denied.some(({ assertion, passed, isWarning }) => !passed && isWarning && !assertion.isWarning);
  const areCorrected = listed.some(({ isCorrected }) => isCorrected);
  const note = [
    areCorrected ? '* the value without the disturbance of this load\n' : '',
    denied.length > 0
      ? `! disturbed: this value is not reliable${areExcused ? ', and fails only with --strict' : ''}\n`
      : '',
  ].join('');
  const said = faults.map(fault => `${indentText(toPlainLine(fault), screen.columns, '', '  ')}\n`).join('');
  return `${table}${note}${said}${sayEnd(checks, unused, isAll)}\n`;
}
