import { isFailed, type LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { formatBytes } from '../../../presentation/numbers.ts';
import {
  leastEmptiedBytes,
  leastRuleBytes,
  likely,
  negligible,
  otherData,
  otherSizeBytes,
  otherSizeRatio,
  otherVersion,
  packedShares,
  sameSizeRatio,
  sameTextRatio,
  slight,
  sure,
} from '../constants.ts';
import { cutTo, factOf, maxNamed, onlyOn, ratioOf } from '../evidence.ts';
import type { Family, LoadDifference, LoadPair, SharedFile } from './load-pair.ts';

/* Recognises why the bytes of one key differ: a small change, or more files with different queries. */

const isRewritten = ({ psi, lighthouse, isOwn }: SharedFile): boolean =>
  isOwn &&
  (lighthouse.type === 'Stylesheet' || lighthouse.type === 'Script') &&
  !psi.isCut &&
  !lighthouse.isCut &&
  Math.min(psi.bytes, lighthouse.bytes) > 0 &&
  Math.abs(psi.bytes - lighthouse.bytes) >= leastRuleBytes;

const countOf = ({ urls }: LoadedFile): number => new Set(urls).size;

/** Pages randomise their content by queries of images, so another number of them means no other file. */
export const isOtherCount = ({ psi, lighthouse }: SharedFile): boolean => {
  const [theirs, ours] = [countOf(psi), countOf(lighthouse)];
  const isAlike = (ratioOf(psi.bytes / theirs, lighthouse.bytes / ours) ?? 1) < sameSizeRatio;
  return lighthouse.type === 'Image' && theirs !== ours && isAlike;
};

/** Describes sizes, in bytes if they are shown alike. */
function saySizes(file: SharedFile, { where }: Pick<LoadPair, 'where'>): string {
  const { psi, lighthouse, name } = file;
  if (isOtherCount(file))
    return `${name} loaded with ${countOf(psi)} different queries (${formatBytes(psi.bytes)}) ${where.psi} and with ${countOf(lighthouse)} (${formatBytes(lighthouse.bytes)}) ${where.lighthouse}`;
  const [theirs, ours] = [formatBytes(psi.bytes), formatBytes(lighthouse.bytes)];
  const [said, own] = theirs === ours ? [`${psi.bytes} bytes`, `${lighthouse.bytes} bytes`] : [theirs, ours];
  return `${name} has ${said} ${where.psi} and ${own} ${where.lighthouse}`;
}

export const toFailures = ({ shared, where }: LoadPair): LoadDifference[] =>
  shared
    .filter(({ psi, lighthouse }) => isFailed(psi) !== isFailed(lighthouse))
    .filter(({ psi, lighthouse }) => !psi.isBlocked && !lighthouse.isBlocked)
    .map(({ psi, lighthouse, name, key }) => {
      const side = isFailed(psi) ? 'psi' : 'lighthouse';
      const failed = side === 'psi' ? psi : lighthouse;
      return {
        kind: `status ${key}`,
        evidence: factOf('status', name, psi.status, lighthouse.status),
        words:
          failed.status === 0
            ? `${name} got no response ${where[side]}`
            : `${name} returned a ${failed.status} ${where[side]}`,
        weight: sure,
      };
    });

export const isOtherSize = (theirs: number, ours: number): boolean =>
  Math.abs(theirs - ours) >= otherSizeBytes && (ratioOf(theirs, ours) ?? 1) >= otherSizeRatio;

const isEmptied = (theirs: LoadedFile, ours: LoadedFile): boolean =>
  !isComposed(ours) &&
  ours.type !== 'Media' &&
  !theirs.isCut &&
  !ours.isCut &&
  Math.min(theirs.bytes, ours.bytes) === 0 &&
  Math.max(theirs.bytes, ours.bytes) >= leastEmptiedBytes;

/** Returns whether a response may be generated for each visitor. */
export const isComposed = ({ type }: LoadedFile): boolean => type === 'XHR' || type === 'Fetch' || type === 'Document';

const isOtherVersion = (theirs: LoadedFile, ours: LoadedFile): boolean =>
  !isComposed(ours) &&
  ours.type !== 'Media' &&
  Math.abs(theirs.bytes - ours.bytes) >= otherVersion.bytes &&
  (ratioOf(theirs.bytes, ours.bytes) ?? 1) >= otherVersion.ratio;

/** Weighs a difference in size. Sizes of partial responses (206), such as video, depend on buffering. */
function weighSize(file: SharedFile): number {
  const { psi, lighthouse } = file;
  if (psi.status === 206 && lighthouse.status === 206) return slight;
  if (!isOtherSize(psi.bytes, lighthouse.bytes) && !isEmptied(psi, lighthouse)) return negligible;
  const isOther =
    Math.abs(psi.bytes - lighthouse.bytes) >= otherData.bytes &&
    (ratioOf(psi.bytes, lighthouse.bytes) ?? 1) >= otherData.ratio;
  return (isComposed(lighthouse) && !isOther) || isOtherCount(file) ? likely : sure;
}

export const toSizes = (pair: LoadPair): LoadDifference[] =>
  pair.shared
    .filter(({ psi, lighthouse }) => !isFailed(psi) && !isFailed(lighthouse))
    .filter(
      file =>
        isOtherSize(file.psi.bytes, file.lighthouse.bytes) ||
        isEmptied(file.psi, file.lighthouse) ||
        isOtherVersion(file.psi, file.lighthouse) ||
        isRewritten(file),
    )
    .toSorted((a, b) => Math.abs(b.psi.bytes - b.lighthouse.bytes) - Math.abs(a.psi.bytes - a.lighthouse.bytes))
    .map(file => ({
      weight: weighSize(file),
      kind: `bytes ${file.key}`,
      evidence: factOf('bytes', file.name, file.psi.bytes, file.lighthouse.bytes),
      words: saySizes(file, pair),
    }));

/** Finds files that the browser blocked on one side only; its console may name the policy. */
export function toBlocked({ shared, psi, lighthouse, where }: LoadPair): LoadDifference[] {
  return (['psi', 'lighthouse'] as const).flatMap(side => {
    const found = shared.filter(file => file[side].isBlocked && !isFailed(side === 'psi' ? file.lighthouse : file.psi));
    const [first] = found;
    if (!first) return [];
    const isPolicy = (side === 'psi' ? psi : lighthouse).hasPolicyError;
    const names = cutTo(
      found.map(({ name }) => name),
      maxNamed,
    );
    return [
      {
        kind: `blocked ${side}`,
        family: 'blocked' as const,
        weight: sure,
        evidence: factOf('blocked', first.name, ...onlyOn(side, names)),
        words: isPolicy
          ? `a content security policy blocked ${names} only ${where[side]}`
          : `the browser blocked ${names} before sending the request${found.length === 1 ? '' : 's'}, only ${where[side]}`,
      },
    ];
  });
}

const isStored = ({ transferred }: LoadedFile): boolean => transferred === 0;
const familyOf = (...files: readonly LoadedFile[]): Family => (files.some(isStored) ? 'stored' : 'compression');
const sayTransfer = (file: LoadedFile): string =>
  isStored(file) ? 'nothing (a cache or a service worker had it)' : formatBytes(file.transferred);

/** Finds large files that were compressed on one side only, or not transferred. */
export const toTransfers = ({ shared, where }: LoadPair): LoadDifference[] =>
  shared
    .filter(
      ({ psi, lighthouse }) => !isFailed(psi) && !isFailed(lighthouse) && !isOtherSize(psi.bytes, lighthouse.bytes),
    )
    .filter(({ psi, lighthouse }) => isOtherSize(psi.transferred, lighthouse.transferred))
    .map(({ psi, lighthouse, name, key }) => ({
      kind: `transferred ${key}`,
      family: familyOf(psi, lighthouse),
      weight: sure,
      evidence: factOf('transferred_bytes', name, psi.transferred, lighthouse.transferred),
      words: `${name} transferred ${sayTransfer(psi)} ${where.psi} and ${sayTransfer(lighthouse)} ${where.lighthouse}`,
    }));

/** Returns whether the same text has a different transferred size. */
export const isPackedOtherwise = (psi: SideFacts, lighthouse: SideFacts): boolean =>
  psi.documentTransferred !== null &&
  lighthouse.documentTransferred !== null &&
  isOtherSize(psi.documentTransferred, lighthouse.documentTransferred) &&
  !isOtherSize(psi.documentBytes ?? 0, lighthouse.documentBytes ?? 0);

export const toPacking = (psi: SideFacts, lighthouse: SideFacts): LoadDifference[] => {
  if (!isPackedOtherwise(psi, lighthouse)) return [];
  const [theirs, ours] = [psi.documentTransferred ?? 0, lighthouse.documentTransferred ?? 0];
  return [
    {
      kind: 'document_transferred',
      family: 'compression' as const,
      evidence: factOf('transferred_bytes', 'of the document', theirs, ours),
      words: `the document transferred ${formatBytes(theirs)} ${psi.where} and ${formatBytes(ours)} ${lighthouse.where}`,
      weight: sure,
    },
  ];
};

const isPacked = ({ bytes, transferred }: LoadedFile): boolean =>
  transferred > 0 && transferred < packedShares.packed * bytes;
const isOpen = ({ bytes, transferred }: LoadedFile): boolean => transferred >= packedShares.open * bytes;

const isSame = ({ psi, lighthouse }: SharedFile): boolean =>
  !isFailed(psi) && !isFailed(lighthouse) && (ratioOf(psi.bytes, lighthouse.bytes) ?? 1) <= sameTextRatio;

/** Finds files that were compressed on one side only: each may be small, but a slow network waits for all of them. */
export function toUnpacked({ shared, where }: LoadPair): LoadDifference[] {
  const same = shared.filter(isSame);
  const found = [
    same.filter(({ psi, lighthouse }) => isPacked(psi) && isOpen(lighthouse)),
    same.filter(({ psi, lighthouse }) => isOpen(psi) && isPacked(lighthouse)),
  ].filter(list => list.length > 0);
  const [list = []] = found;
  const theirs = list.reduce((sum, { psi }) => sum + psi.transferred, 0);
  const ours = list.reduce((sum, { lighthouse }) => sum + lighthouse.transferred, 0);
  // If each side compressed what the other did not, the files come from two builds.
  if (found.length !== 1 || Math.abs(theirs - ours) < otherSizeBytes) return [];
  const names = cutTo(
    list.map(({ name }) => name),
    maxNamed,
  );
  return [
    {
      kind: 'unpacked',
      family: 'compression' as const,
      evidence: factOf('transferred_bytes', names, theirs, ours),
      words: `${names} transferred ${formatBytes(theirs)} ${where.psi} and ${formatBytes(ours)} ${where.lighthouse}`,
      weight: sure,
    },
  ];
}
