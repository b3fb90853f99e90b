/** Finds files that only one side loaded. */

import type { Source } from '../../../contract/errors.ts';
import { isFailed, type LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import { formatBytes } from '../../../presentation/numbers.ts';
import {
  leastPictureBytes,
  negligible,
  noticedBytes,
  noticedScriptMs,
  noticedShare,
  strong,
  sure,
  turnLimits,
} from '../constants.ts';
import { cutTo, factOf, maxNamed, onlyOn, ratioOf } from '../evidence.ts';
import { type LoadDifference, type LoadPair, type NamedFile, otherSide, type SharedFile } from './load-pair.ts';

/* Priorities of scripts and style sheets: what blocks rendering loads first, the end of the page later. */

const isMoved = ({ psi, lighthouse }: SharedFile): boolean => psi.priority !== lighthouse.priority;

/** A different browser version changes the priority of all files of a type. */
const isOfBrowser = (files: readonly SharedFile[]): boolean =>
  files.every(isMoved) &&
  new Set(files.map(({ psi, lighthouse }) => `${psi.priority} ${lighthouse.priority}`)).size === 1;

export const toPriorities = ({ shared, isSameBrowser, where }: LoadPair): LoadDifference[] =>
  ['Script', 'Stylesheet'].flatMap(type => {
    const told = shared.filter(({ psi, lighthouse }) => psi.type === type && psi.priority && lighthouse.priority);
    if (!isSameBrowser && isOfBrowser(told)) return [];
    return told.filter(isMoved).map(({ psi, lighthouse, name, key }) => ({
      kind: `priority ${key}`,
      evidence: factOf('priority', name, psi.priority, lighthouse.priority),
      words: `${name} was requested with ${psi.priority?.toLowerCase()} priority ${where.psi} and with ${lighthouse.priority?.toLowerCase()} priority ${where.lighthouse}`,
      weight: strong,
    }));
  });

/* Recognises third-party content that varies between loads, such as the ad that won an auction. */

/** Files that one side loaded and the other did not, and the size of its whole load in bytes. */
type OneSide = { files: readonly LoadedFile[]; allBytes: number };

const totalOf = (files: Iterable<LoadedFile>): number => {
  let sum = 0;
  for (const { bytes } of files) sum += bytes;
  return sum;
};

/** Ends like `.co.uk`, which different sites share. */
const sharedEnd = /\.(?:ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2}(?::\d+)?$/;
const siteOf = (host: string): string =>
  host
    .split('.')
    .slice(sharedEnd.test(host) ? -3 : -2)
    .join('.');
const pathOf = ({ place, host }: LoadedFile): string => place.slice(host.length);
const workOf = (files: readonly LoadedFile[]): number => files.reduce((sum, { scriptMs }) => sum + scriptMs, 0);

export function takeTurns(psi: OneSide, lighthouse: OneSide, pageHost: string | null): boolean {
  const parts = [psi, lighthouse];
  const paths = new Set(psi.files.map(pathOf));
  const isOthers = ({ host, type }: LoadedFile) => siteOf(host) !== siteOf(pageHost ?? '') && type !== 'Stylesheet';
  return (
    pageHost !== null &&
    parts.every(({ files }) => files.length > 0 && files.every(isOthers)) &&
    // The same path on a different host is the same file.
    !lighthouse.files.some(file => paths.has(pathOf(file))) &&
    parts.every(({ files, allBytes }) => totalOf(files) <= turnLimits.share * allBytes) &&
    (ratioOf(totalOf(psi.files), totalOf(lighthouse.files)) ?? 1) <= turnLimits.ratio &&
    Math.abs(workOf(psi.files) - workOf(lighthouse.files)) < turnLimits.ms
  );
}

const isBeacon = (file: LoadedFile): boolean =>
  !isFailed(file) &&
  ((file.type === 'Image' && file.bytes < leastPictureBytes) ||
    ((file.type === 'XHR' || file.type === 'Fetch') && file.bytes === 0));

const filesOnlyOn = ({ onlyOn }: LoadPair, side: Source): NamedFile[] => onlyOn[side].filter(file => !isBeacon(file));

const areNoticed = (files: readonly NamedFile[], all: number, otherHosts: ReadonlySet<string>): boolean => {
  const bytes = totalOf(files);
  return (
    (bytes >= noticedBytes && bytes >= noticedShare * all) ||
    files.some(
      ({ type, scriptMs, host }) =>
        scriptMs >= noticedScriptMs || type === 'Stylesheet' || (type === 'Script' && !otherHosts.has(host)),
    )
  );
};

/** Returns the folder of a file, or third-party content: pages may load other files of a kind each time. */
const toKind = ({ key, type }: NamedFile, isOthers: boolean): string =>
  isOthers ? 'only files of other hosts' : `only ${type} ${key.slice(0, key.lastIndexOf('/'))}`;

const sayWork = (files: readonly LoadedFile[]): string[] => {
  const ms = Math.round(files.reduce((sum, { scriptMs }) => sum + scriptMs, 0));
  const isByWorker = files.every(file => file.isByWorker);
  return [...(ms >= noticedScriptMs ? [`${ms} ms of script`] : []), ...(isByWorker ? ['by a worker'] : [])];
};

/** Returns files that only one side loaded, the most important first, and whether they matter to the page. */
export function findOneSided(
  pair: LoadPair,
  side: Source,
): { files: readonly NamedFile[]; isNoticed: boolean; isOthers: boolean } {
  const files = filesOnlyOn(pair, side).toSorted((a, b) => b.scriptMs - a.scriptMs || b.bytes - a.bytes);
  const other = pair[otherSide[side]].files ?? new Map<string, LoadedFile>();
  const hosts = new Set([...other.values()].map(({ host }) => host));
  if (pair.host !== null) hosts.add(pair.host);
  const all = totalOf((pair[side].files ?? new Map()).values());
  return { files, isNoticed: areNoticed(files, all, hosts), isOthers: !hosts.has(files[0]?.host ?? '') };
}

/** Weighs a difference: varying third-party content counts as little as files without an effect. */
function weigh(pair: LoadPair, isNoticed: boolean): number {
  const toPart = (side: Source) => ({
    files: filesOnlyOn(pair, side),
    allBytes: totalOf(pair[side].files?.values() ?? []),
  });
  return isNoticed && !takeTurns(toPart('psi'), toPart('lighthouse'), pair.host) ? sure : negligible;
}

export function toOneSided(pair: LoadPair, side: Source): LoadDifference[] {
  const { files, isNoticed, isOthers } = findOneSided(pair, side);
  const [first] = files;
  if (!first) return [];
  const loaded = files.length === 1 ? first.name : `${files.length} files`;
  const names = cutTo(
    files.map(({ name }) => name),
    maxNamed,
  );
  return [
    {
      kind: toKind(first, isOthers && isNoticed),
      evidence: factOf('loaded', first.name, ...onlyOn(side, loaded)),
      words: `${names} loaded only ${pair.where[side]} (${[formatBytes(totalOf(files)), ...sayWork(files)].join(', ')})`,
      weight: weigh(pair, isNoticed),
    },
  ];
}
