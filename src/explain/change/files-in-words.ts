/** Describes changes in the files of a page, and their effect under the same conditions. */

import { simulatedMetrics } from '../../contract/names.ts';
import type { ChangeStatus } from '../../contract/stored/change-verdict.ts';
import { nameOfFile as lastPartOf } from '../../contract/without-query.ts';
import { counted, formatBytes, formatMs, joinWords } from '../../presentation/numbers.ts';
import type { MeasureComparison, SetComparison } from '../statistics/compare-sets.ts';
import { variableNames } from '../statistics/judge-change.ts';
import type { FoundFileChange } from './shared-conditions/file-changes.ts';
import { documentKey } from './shared-conditions/page-relative.ts';
import type { Sides } from './shared-conditions/sides.ts';

/** Min number of changes with one cause that are described together. */
const fewestTogether = 4;
const leastBytes = 1024;
const leastCpuMs = 15;

const differenceOf = ({ before, after }: Sides<number>): number => after - before;

/** @param url URL or name of a file of the page */
export const nameOfFile = (url: string): string => (url === documentKey ? 'the document' : lastPartOf(url));

const sayCpu = (ms: number): string => `${formatMs(Math.abs(ms))} of CPU time`;

/** Formats sizes as `300 KB, 290 ms of CPU time`. */
function saySize(bytes: number, cpuMs: number): string {
  return [formatBytes(Math.abs(bytes)), ...(Math.abs(cpuMs) >= leastCpuMs ? [sayCpu(cpuMs)] : [])].join(', ');
}

/** Formats a change of size as `grew by 300 KB`. Text that compresses well may hardly grow over the network. */
function sayGrowth({ bytes, resourceBytes }: FoundFileChange): string {
  const [byBytes, byContent] = [differenceOf(bytes), differenceOf(resourceBytes)];
  const isOverNetwork = Math.abs(byBytes) >= leastBytes;
  const by = isOverNetwork ? byBytes : byContent;
  return `${by > 0 ? 'grew' : 'shrank'} by ${formatBytes(Math.abs(by))}${isOverNetwork ? '' : ' before compression'}`;
}

function sayOne(change: FoundFileChange): string {
  const { kind, url, bytes, cpuMs, requests } = change;
  const name = nameOfFile(url);
  const [byBytes, byCpu] = [differenceOf(bytes), differenceOf(cpuMs)];
  if (kind === 'added') return `${name} was added (${saySize(bytes.after, cpuMs.after)})`;
  if (kind === 'removed') return `${name} was removed (${saySize(bytes.before, cpuMs.before)})`;
  if (kind === 'packed')
    return `${name} is compressed ${byBytes > 0 ? 'less' : 'more'} (${formatBytes(bytes.before)} → ${formatBytes(bytes.after)})`;
  if (kind === 'requests')
    return `${name} is requested ${counted(requests.after, 'time')} instead of ${requests.before}`;
  if (kind === 'work') return `${name} takes ${formatMs(Math.abs(byCpu))} ${byCpu > 0 ? 'more' : 'less'} CPU time`;
  const work =
    Math.abs(byCpu) >= leastCpuMs
      ? `, and takes ${formatMs(Math.abs(byCpu))} ${byCpu > 0 ? 'more' : 'less'} CPU time`
      : '';
  return `${name} ${sayGrowth(change)}${work}`;
}

const kindWords: Readonly<Record<FoundFileChange['kind'], string>> = {
  added: 'were added',
  removed: 'were removed',
  size: 'changed in size',
  packed: 'are compressed differently',
  requests: 'are requested more or less often',
  work: 'use a different amount of CPU time',
};

function sayMany(changes: readonly FoundFileChange[]): string {
  const [first] = changes;
  if (!first) return '';
  const bytes = changes.reduce((sum, change) => sum + differenceOf(change.bytes), 0);
  const cpuMs = changes.reduce((sum, change) => sum + differenceOf(change.cpuMs), 0);
  const toSign = (value: number) => (value > 0 ? '+' : '−');
  const sums = [
    ...(first.kind === 'work' || Math.abs(bytes) < 1 ? [] : [`${toSign(bytes)}${formatBytes(Math.abs(bytes))}`]),
    ...(Math.abs(cpuMs) < leastCpuMs ? [] : [`${toSign(cpuMs)}${sayCpu(cpuMs)}`]),
  ];
  const isCounted = first.kind === 'requests' || sums.length === 0;
  return `${changes.length} files ${kindWords[first.kind]}${isCounted ? '' : ` (${sums.join(', ')})`}`;
}

const mostNamed = 4;
/** Points below which a file explains nothing. */
const leastPoints = 0.5;

const byKind = (changes: readonly FoundFileChange[]): string[] => {
  const [main] = changes;
  if (!main) return [];
  const alike = changes.filter(({ kind }) => kind === main.kind);
  return alike.length >= fewestTogether
    ? [sayMany(alike), ...byKind(changes.filter(change => !alike.includes(change)))]
    : [sayOne(main), ...byKind(changes.slice(1))];
};

const pointsOf = ({ effect }: FoundFileChange): number => effect?.points ?? 0;

/** Returns 1 if a change makes the page faster, and -1 if slower: by its points, or else by its bytes. */
const signOf = ({ effect, bytes }: FoundFileChange): number =>
  Math.sign(effect && Math.abs(effect.points) >= leastPoints ? effect.points : -differenceOf(bytes));

/** Formats `extra.js was added (214 ms of CPU time) and costs 20 points`, after the first file without the unit. */
const sayCost = (change: FoundFileChange, isFirst: boolean): string => {
  const points = Math.max(1, Math.round(Math.abs(pointsOf(change))));
  const verb = pointsOf(change) < 0 ? 'costs' : 'gains';
  return `${sayOne(change)} and ${verb} ${isFirst ? counted(points, 'point') : points}`;
};

/**
 * Describes the changes of the files, without a full stop; undefined if the files are the same. Files that explain the
 * verdict come first, with the points that each explains: what points the other way is no cause, and left out.
 * @param status status of the verdict, if there is a verdict
 */
export function sayFiles(changes: readonly FoundFileChange[], status?: ChangeStatus): string | undefined {
  if (changes.length === 0) return undefined;
  const sign = { better: 1, worse: -1, no_difference: 0, undecided: 0 }[status ?? 'undecided'];
  const culprits = changes.filter(change => sign * pointsOf(change) >= leastPoints);
  if (culprits.length === 0) {
    const said = byKind(changes.filter(change => sign * signOf(change) >= 0));
    const rest = said.length - mostNamed;
    return joinWords(rest > 0 ? [...said.slice(0, mostNamed), `${rest} more changes`] : said) || undefined;
  }
  const named = culprits.slice(0, mostNamed).map((change, at) => sayCost(change, at === 0));
  const rest = culprits.length - named.length;
  return [
    ...named,
    ...(rest > 0 ? [`${counted(rest, 'more file')} ${sign < 0 ? 'cost' : 'gain'}${rest === 1 ? 's' : ''} less`] : []),
  ].join('; ');
}

const decided: readonly (ChangeStatus | undefined)[] = ['better', 'worse'];

/**
 * Describes how much slower or faster the server responds; undefined if that did not change, or points the other way.
 * @param status status of the verdict
 */
export function sayServer(measure: MeasureComparison | undefined, status: ChangeStatus): string | undefined {
  if (!measure || measure.difference === null || !decided.includes(measure.status)) return undefined;
  if (decided.includes(status) && measure.status !== status) return undefined;
  const { before, after, difference } = measure;
  return `the server responds ${formatMs(Math.abs(difference))} ${difference > 0 ? 'later' : 'sooner'} (${formatMs(before ?? 0)} → ${formatMs(after ?? 0)})`;
}

const farthest = (measure: MeasureComparison | undefined): number | null =>
  measure?.interval ? Math.max(...measure.interval.map(Math.abs)) : null;

/** Returns measures that vary too much to decide, which do not prevent `no_difference`. */
export const toVarying = ({ metrics }: Pick<SetComparison, 'metrics'>) =>
  variableNames.filter(name => metrics[name]?.status === 'undecided');

/** Returns the largest differences that the intervals still allow: of the score, and of any time. */
export function toBound({ scores, metrics }: SetComparison): { points: number | null; ms: number | null } {
  const isSteady = (name: (typeof simulatedMetrics)[number]) => !toVarying({ metrics }).some(other => other === name);
  const times = simulatedMetrics.filter(isSteady).flatMap(name => farthest(metrics[name]) ?? []);
  const points = farthest(scores.performance);
  return {
    points: points === null ? null : Math.ceil(points),
    ms: times.length === 0 ? null : Math.ceil(Math.max(...times)),
  };
}
