/** What pipelines read: JUnit XML, Markdown, annotations of GitHub, and GitLab's browser_performance file. */
import type { Result } from '../../contract/result/result.ts';
import type { FileChange } from '../../contract/stored/change-verdict.ts';
import { categoryWords } from '../../presentation/findings/findings.ts';
import { absent, counted, formatBytes, formatMs, formatValue, withSign } from '../../presentation/numbers.ts';

/** A budget that was checked, in words. */
export type RowCheck = {
  readonly text: string;
  readonly measured: string;
  readonly passed: boolean;
  readonly isWarning: boolean;
};

const rowStates = [
  'worse',
  'failed',
  'not_compared',
  'undecided',
  'better',
  'no_difference',
  'created',
  'measured',
] as const;
export type RowState = (typeof rowStates)[number];

/** One page under one strategy, and what came of it. All texts are plain: no control characters. */
export type Row = {
  readonly url: string;
  readonly strategy: string;
  readonly source: string;
  readonly state: RowState;
  /** One or two sentences. */
  readonly explanation: string;
  /** Label or id that it was compared with. */
  readonly baseline: string | undefined;
  /** Runs before and after. */
  readonly runs: readonly [before: number, after: number] | undefined;
  /** Difference of the performance score, after minus before. */
  readonly points: number | null;
  readonly scores: Readonly<Record<string, number | null | undefined>>;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly files: readonly FileChange[];
  readonly checks: readonly RowCheck[];
  readonly id: string | undefined;
  /** Where it can be read again. */
  readonly link: string | undefined;
};

/** Its scores, and its metrics without units. */
export const rowValuesOf = ({ scores, metrics }: Result): Pick<Row, 'scores' | 'metrics'> => ({
  scores,
  metrics: Object.fromEntries(Object.entries(metrics).map(([name, { value }]) => [name, value])),
});

export type Report = {
  readonly rows: readonly Row[];
  /** Budgets of pages that were not measured. */
  readonly unused: readonly RowCheck[];
  readonly isStrict: boolean;
};

const missed = ({ passed, isWarning }: RowCheck): boolean => !passed && !isWarning;

/** Whether a row fails the pipeline: decided worse, beyond a budget, or with `--strict` open. */
export const isFailing = (row: Row, isStrict: boolean): boolean =>
  row.state === 'worse' || row.checks.some(missed) || (isStrict && ['undecided', 'not_compared'].includes(row.state));

/** What failed first; then the largest change of the performance score. */
export const byChange = (rows: readonly Row[], isStrict: boolean): Row[] =>
  rows.toSorted(
    (a, b) =>
      Number(isFailing(b, isStrict)) - Number(isFailing(a, isStrict)) ||
      rowStates.indexOf(a.state) - rowStates.indexOf(b.state) ||
      Math.abs(b.points ?? 0) - Math.abs(a.points ?? 0),
  );

export const stateWords: Readonly<Record<RowState, string>> = {
  worse: 'worse',
  failed: 'not measured',
  not_compared: 'not compared',
  undecided: 'undecided',
  better: 'better',
  no_difference: 'no difference',
  created: 'baseline created',
  measured: 'measured',
};

/** The answer first: how many pages got worse, miss a budget, or could not be measured. */
export function sayVerdict({ rows, unused, isStrict }: Report): string {
  const count = (is: (row: Row) => boolean) => rows.filter(is).length;
  const worse = count(({ state }) => state === 'worse');
  const beyond = count(({ checks }) => checks.some(missed));
  const failed = count(({ state }) => state === 'failed');
  const open = count(({ state }) => state === 'undecided' || state === 'not_compared');
  const created = count(({ state }) => state === 'created');
  const unusedCount = unused.filter(missed).length;
  const parts = [
    worse > 0 ? `${counted(worse, 'result')} got worse` : '',
    beyond > 0 ? `${counted(beyond, 'result')} missed a budget` : '',
    failed > 0 ? `${counted(failed, 'page')} could not be measured` : '',
    unusedCount > 0 ? `${counted(unusedCount, 'budget')} fits no page` : '',
    isStrict && open > 0 ? `${counted(open, 'result')} undecided or not compared` : '',
  ].filter(part => part !== '');
  if (parts.length > 0) return `Failed: ${parts.join(', ')}, of ${rows.length}.`;
  if (created > 0 && created === rows.length)
    return `Baseline created with ${counted(created, 'result')}. The next run is compared with it.`;
  const notes = [
    created > 0 ? `${counted(created, 'baseline')} created` : '',
    open > 0 ? `${open} undecided or not compared` : '',
  ].filter(note => note !== '');
  return `Passed: nothing got worse${notes.length > 0 ? ` (${notes.join(', ')})` : ''}.`;
}

const fileWords: Readonly<Record<FileChange['kind'], string>> = {
  added: 'added',
  removed: 'removed',
  size: 'another size',
  packed: 'compressed differently',
  work: 'more or less work',
};

/** `added /app.js: 0 B → 34 kB, 0 ms → 340 ms CPU`. */
export function sayFile({ kind, url, bytes, cpu_ms: cpu }: FileChange): string {
  const size = bytes.before === bytes.after ? '' : `${formatBytes(bytes.before)} → ${formatBytes(bytes.after)}`;
  const work =
    Math.round(cpu.before) === Math.round(cpu.after) ? '' : `${formatMs(cpu.before)} → ${formatMs(cpu.after)} CPU`;
  const facts = [size, work].filter(fact => fact !== '').join(', ');
  return `${fileWords[kind]} ${url}${facts === '' ? '' : `: ${facts}`}`;
}

/* JUnit */

/** Characters that XML 1.0 cannot hold are left out. */
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
  return [first, ...row.checks.map(toCheckCase)];
}

const toCheckCase = ({ text, measured, passed, isWarning }: RowCheck): Case =>
  passed ? { name: text } : { name: text, kind: isWarning ? 'skipped' : 'failure', message: `measured: ${measured}` };

const toCase = (className: string, { name, kind, message = '' }: Case): string => {
  const head = `    <testcase classname="${xml(className)}" name="${xml(name)}"`;
  if (!kind) return `${head}/>`;
  const [line = ''] = message.split('\n');
  if (kind === 'skipped') return `${head}><skipped message="${xml(line)}"/></testcase>`;
  return `${head}><${kind} message="${xml(line)}">${xml(message)}</${kind}></testcase>`;
};

/** A suite for each page and strategy. */
export function toJunit({ rows, unused, isStrict }: Report): string {
  const suites = [
    ...rows.map(row => ({ name: `${row.url} (${row.strategy}, ${row.source})`, cases: toCases(row, isStrict) })),
    ...(unused.length > 0 ? [{ name: 'budgets of no page', cases: unused.map(toCheckCase) }] : []),
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

/* Markdown */

/** A job summary of GitHub is dropped as a whole beyond 1,024 KB. */
export const maxSummaryBytes = 1024 * 1024;

/** Text of a page or a server: never markup, a link or a mention. */
const md = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_{}[\]()#+!|~@>-]/g, character => `\\${character}`);

const score = (value: number | null | undefined): string => (typeof value === 'number' ? String(value) : absent);

const toTableRow = (row: Row): string =>
  `| ${[
    `${stateWords[row.state]}${row.checks.some(missed) ? ', beyond a budget' : ''}`,
    md(row.url),
    row.strategy,
    `${score(row.scores.performance)}${row.points === null ? '' : ` (${withSign(row.points)})`}`,
    formatValue(row.metrics.largest_contentful_paint, 'millisecond'),
    formatValue(row.metrics.total_blocking_time, 'millisecond'),
    formatValue(row.metrics.cumulative_layout_shift, 'unitless'),
  ].join(' | ')} |`;

function toSection(row: Row): string {
  const against =
    row.baseline === undefined
      ? ''
      : ` Compared with ${md(row.baseline)}${row.runs ? `, ${row.runs[0]} and ${row.runs[1]} runs` : ''}.`;
  const others = Object.entries(row.scores)
    .filter(([name]) => name !== 'performance')
    .map(([name, value]) => `${categoryWords[name as keyof typeof categoryWords] ?? md(name)} ${score(value)}`);
  return [
    `### ${stateWords[row.state]}: ${md(row.url)} (${row.strategy})`,
    '',
    `${md(row.explanation)}${against}`,
    '',
    ...(row.files.length > 0
      ? [
          'Changed files, the largest effect first:',
          '',
          ...row.files.slice(0, 10).map(file => `- ${md(sayFile(file))}`),
          '',
        ]
      : []),
    ...row.checks
      .filter(({ passed }) => !passed)
      .map(
        check =>
          `- ${check.isWarning ? 'Warning' : 'Budget missed'}: ${md(check.text)}, measured ${md(check.measured)}`,
      ),
    ...(others.length > 0 ? ['', `${others.join(' · ')}`] : []),
    ...(row.link === undefined
      ? []
      : [
          '',
          `Result: ${/^https?:/.test(row.link) ? `<${encodeURI(row.link)}>` : `\`${row.link.replaceAll('`', '')}\``}`,
        ]),
    '',
  ].join('\n');
}

/** @param room bytes that are free; what has no room is counted in the last line */
export function toMarkdown(report: Report, room = maxSummaryBytes): string {
  const rows = byChange(report.rows, report.isStrict);
  const reserve = 2000;
  const parts = [
    `## Rangelight: ${sayVerdict(report)}\n\n`,
    '| | Page | Device | Performance | LCP | TBT | CLS |\n|---|---|---|---|---|---|---|\n',
  ];
  let bytes = Buffer.byteLength(parts.join(''));
  const add = (text: string): boolean => {
    const size = Buffer.byteLength(text);
    if (bytes + size > room - reserve) return false;
    parts.push(text);
    bytes += size;
    return true;
  };
  // A table with a row for each page has at most half of the room.
  let listed = 0;
  for (const row of rows) {
    if (bytes > room / 2 || !add(`${toTableRow(row)}\n`)) break;
    listed += 1;
  }
  parts.push('\n');
  for (const check of report.unused.slice(0, 100)) add(`- Budget of no measured page: ${md(check.text)}\n`);
  let told = 0;
  for (const row of rows) {
    if (!add(`${toSection(row)}\n`)) break;
    told += 1;
  }
  if (listed < rows.length || told < rows.length)
    parts.push(
      `\n${rows.length - listed} rows and ${rows.length - told} sections have no room here; the JSON output has all of them.\n`,
    );
  return parts.join('');
}

/* GitHub annotations */

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** GitHub shows ten of each kind for a step. */
const maxAnnotations = 10;

const annotation = (kind: 'error' | 'warning' | 'notice', title: string, message: string): string =>
  `::${kind} title=${property(title)}::${data(message)}`;

/** Workflow commands, one a line. */
export function toAnnotations({ rows, unused, isStrict }: Report): string[] {
  const all = byChange(rows, isStrict).flatMap(row => {
    const about = `${row.url} (${row.strategy})`;
    const verdict = {
      worse: 'error',
      failed: 'error',
      undecided: 'warning',
      not_compared: 'warning',
      created: 'notice',
    } as const;
    const kind = Object.hasOwn(verdict, row.state) ? verdict[row.state as keyof typeof verdict] : undefined;
    const file = row.files[0];
    const said = [row.explanation, ...(file ? [sayFile(file)] : [])].join('\n');
    return [
      ...(kind ? [annotation(kind, `${stateWords[row.state]}: ${about}`, said)] : []),
      ...row.checks
        .filter(({ passed }) => !passed)
        .map(check =>
          annotation(
            check.isWarning ? 'warning' : 'error',
            `Budget: ${about}`,
            `${check.text}, measured ${check.measured}`,
          ),
        ),
    ];
  });
  const missing = unused.map(({ text, isWarning }) =>
    annotation(isWarning ? 'warning' : 'error', 'Budget of no page', text),
  );
  const lines = [...all, ...missing];
  return (['error', 'warning', 'notice'] as const).flatMap(kind =>
    lines.filter(line => line.startsWith(`::${kind} `)).slice(0, maxAnnotations),
  );
}

/* GitLab */

type GitlabMetric = { readonly name: string; readonly value: number; readonly desiredSize: 'larger' | 'smaller' };

const gitlabMetrics = {
  largest_contentful_paint: 'Largest contentful paint (ms)',
  total_blocking_time: 'Total blocking time (ms)',
  cumulative_layout_shift: 'Cumulative layout shift',
  speed_index: 'Speed index (ms)',
} as const;

/** The file of `artifacts:reports:browser_performance`, with which GitLab compares two branches by itself. */
export function toGitlab({ rows }: Report): { subject: string; metrics: GitlabMetric[] }[] {
  return rows
    .filter(({ state }) => state !== 'failed')
    .map(row => ({
      subject: `${row.url} (${row.strategy})`,
      metrics: [
        ...Object.entries(row.scores).flatMap(([name, value]): GitlabMetric[] =>
          typeof value === 'number'
            ? [{ name: categoryWords[name as keyof typeof categoryWords] ?? name, value, desiredSize: 'larger' }]
            : [],
        ),
        ...Object.entries(gitlabMetrics).flatMap(([name, words]): GitlabMetric[] => {
          const value = row.metrics[name];
          return typeof value === 'number'
            ? [{ name: words, value: Number(value.toFixed(3)), desiredSize: 'smaller' }]
            : [];
        }),
      ],
    }));
}
