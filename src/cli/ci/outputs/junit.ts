/** Writes JUnit XML, the format in which pipelines read test results. */
import { type Redirect, type Report, type Row, type RowCheck, sayFile } from './report.ts';

/** Removes characters that XML 1.0 does not allow, and escapes markup. */
const xml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

type Case = { readonly name: string; readonly kind?: 'failure' | 'error' | 'skipped'; readonly message?: string };

function toCases(row: Row, isStrict: boolean): Case[] {
  const open = row.state === 'undecided' || row.state === 'not_compared';
  const kind =
    row.state === 'worse' || (open && isStrict) ? 'failure' : open || row.state === 'created' ? 'skipped' : undefined;
  const message = [row.explanation, ...row.files.slice(0, 5).map(sayFile)].join('\n');
  const first: Case =
    row.state === 'failed'
      ? { name: 'can be measured', kind: 'error', message: row.explanation }
      : {
          name: row.state === 'measured' ? 'can be measured' : 'did not get worse',
          ...(kind ? { kind, message } : {}),
        };
  return [first, ...(row.redirect ? [toRedirectCase(row.redirect)] : []), ...row.checks.map(toCheckCase)];
}

/** A warning is a skipped case, because JUnit has no warnings. */
const toRedirectCase = ({ final_url: final, warning }: Redirect): Case => ({
  name: `redirected to ${final}`,
  ...(warning === undefined ? {} : { kind: 'skipped', message: warning }),
});

const toCheckCase = ({ text, measured, passed, isWarning }: RowCheck): Case =>
  passed ? { name: text } : { name: text, kind: isWarning ? 'skipped' : 'failure', message: `measured: ${measured}` };

const toCase = (className: string, { name, kind, message = '' }: Case): string => {
  const head = `    <testcase classname="${xml(className)}" name="${xml(name)}"`;
  if (!kind) return `${head}/>`;
  const [line = ''] = message.split('\n');
  if (kind === 'skipped') return `${head}><skipped message="${xml(line)}"/></testcase>`;
  return `${head}><${kind} message="${xml(line)}">${xml(message)}</${kind}></testcase>`;
};

export function toJunit({ rows, unused, isStrict }: Report): string {
  const suites = [
    ...rows.map(row => ({
      name: `${row.url} (${[row.strategy, row.source, row.mark].filter(Boolean).join(', ')})`,
      cases: toCases(row, isStrict),
    })),
    ...(unused.length > 0 ? [{ name: 'budgets without a page', cases: unused.map(toCheckCase) }] : []),
  ];
  const count = (cases: readonly Case[], kind: Case['kind']) => cases.filter(one => one.kind === kind).length;
  const attributes = (cases: readonly Case[]) =>
    `tests="${cases.length}" failures="${count(cases, 'failure')}" errors="${count(cases, 'error')}" skipped="${count(cases, 'skipped')}"`;
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="rangelight" tests="${all.length}" failures="${count(all, 'failure')}" errors="${count(all, 'error')}">`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite name="${xml(name)}" ${attributes(cases)}>`,
      ...cases.map(one => toCase(name, one)),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}
