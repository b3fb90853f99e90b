import type { AuditAnswer } from './audits.ts';

export type Sample = { heapBytes: number; residentBytes: number; openFiles: number };

export type SoakOutcome = {
  audits: number;
  answers: readonly AuditAnswer[];
  /** Answers with an outcome that does not match the page. */
  wrong: readonly AuditAnswer[];
  unanswered: readonly string[];
  /** At regular intervals, in order. */
  samples: readonly Sample[];
  processesLeft: number;
  foldersLeft: number;
  /** Text on the service's standard error. */
  errors: string;
  minutes: number;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Medians of the first and the last tenth of the samples, at least three, because a single sample is noisy. */
function ends(samples: readonly Sample[], field: keyof Sample): { first: number; last: number; growth: number } {
  const size = Math.max(3, Math.ceil(samples.length / 10));
  const values = samples.map(sample => sample[field]);
  const [first, last] = [median(values.slice(0, size)), median(values.slice(-size))];
  return { first, last, growth: last / first - 1 };
}

const maxGrowth = 0.1;

/** Sentences about exceeded limits; empty if all are met. */
export function findBreaches(outcome: SoakOutcome): string[] {
  const { growth } = ends(outcome.samples, 'residentBytes');
  const missing = outcome.audits - outcome.answers.length - outcome.unanswered.length;
  return [
    ...outcome.unanswered.map(text => `no answer: ${text}`),
    ...(missing > 0 ? [`${missing} audits were never asked for`] : []),
    ...outcome.wrong.map(({ name, status, code }) => `wrong answer: ${name} came to ${status} ${code ?? 'measured'}`),
    ...(outcome.processesLeft > 0 ? [`${outcome.processesLeft} processes left`] : []),
    ...(outcome.foldersLeft > 0 ? [`${outcome.foldersLeft} folders left`] : []),
    ...(outcome.errors ? [`on the service's standard error: ${outcome.errors}`] : []),
    ...(growth < maxGrowth ? [] : [`the resident size grew by ${(growth * 100).toFixed(1)} %`]),
  ];
}

const countBy = (answers: readonly AuditAnswer[]): [string, number][] => {
  const counts = new Map<string, number>();
  for (const { status, code } of answers) {
    const key = `${status} ${code ?? 'measured'}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a);
};

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** A Markdown table. */
export function soakTable(outcome: SoakOutcome): string {
  const resident = ends(outcome.samples, 'residentBytes');
  const heap = ends(outcome.samples, 'heapBytes');
  const files = ends(outcome.samples, 'openFiles');
  const rows: [string, string][] = [
    ['audits asked for', String(outcome.audits)],
    ['answered', String(outcome.answers.length)],
    ...countBy(outcome.answers).map(([key, count]): [string, string] => [`… ${key}`, String(count)]),
    ['answered wrongly', String(outcome.wrong.length)],
    ['processes left, but for workers at rest', String(outcome.processesLeft)],
    ['folders left', String(outcome.foldersLeft)],
    ['RSS of the service, first and last tenth', `${megabytes(resident.first)} → ${megabytes(resident.last)} MB`],
    ['… growth', percent(resident.growth)],
    ['heap', `${megabytes(heap.first)} → ${megabytes(heap.last)} MB`],
    ['open files', `${files.first} → ${files.last}`],
    ['unhandled rejections', outcome.errors ? 'see below' : '0'],
    ['audits a minute', (outcome.answers.length / outcome.minutes).toFixed(1)],
  ];
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}
