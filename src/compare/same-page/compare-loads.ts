import { toAllSharedBytes } from './all-shared-bytes.ts';
import { evidenceOf, hardly, type LoadDifference, likely, sideWords, slight, strong, sure } from './load-difference.ts';
import type { LoadPair } from './load-pair.ts';
import { toOneSided } from './one-sided-files.ts';
import { differenceOf } from './picture-difference.ts';
import { toPriorities } from './priorities.ts';
import { isOtherWork, toScripts } from './script-work.ts';
import { toFailures, toShared, toSizes, toTransfers } from './shared-files.ts';
import { toUnpacked } from './unpacked-files.ts';

/** How many there are, what it costs and what time it is change from load to load. */
const withoutNumbers = (text: string): string => text.replace(/\d+([.,:]\d+)*/g, '*');

const toErrorsByKind = (errors: readonly string[]): ReadonlyMap<string, string> =>
  new Map(errors.map(error => [withoutNumbers(error), error]));

/** A page with errors of its own has others now and then. */
const weighErrors = (own: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): number => {
  if (other.size === 0) return sure;
  return [...other.keys()].every(kind => own.has(kind)) ? likely : hardly;
};

function toErrors({ psi, lighthouse }: LoadPair): LoadDifference[] {
  if (!psi.consoleErrors || !lighthouse.consoleErrors) return [];
  const [theirs, ours] = [toErrorsByKind(psi.consoleErrors), toErrorsByKind(lighthouse.consoleErrors)];
  const extra = (['psi', 'lighthouse'] as const).flatMap(side => {
    const [own, other] = side === 'psi' ? [theirs, ours] : [ours, theirs];
    const [text] = [...own].flatMap(([kind, error]) => (other.has(kind) ? [] : [error]));
    return text === undefined ? [] : [{ side, text, weight: weighErrors(own, other) }];
  });
  return extra.map(({ side, text, weight }) => ({
    kind: `error ${side}`,
    evidence: evidenceOf('console_error', side === 'psi' ? text : null, side === 'psi' ? null : text),
    words: `only ${sideWords[side]} saw an error in the console (${text})`,
    weight,
  }));
}

const maxShort = 40;
const toShort = (text: string): string =>
  text.length <= maxShort
    ? text
    : `${text
        .slice(0, maxShort - 1)
        .trimEnd()
        .toWellFormed()}…`;

function toElement({
  psi: { largestElement: theirs },
  lighthouse: { largestElement: ours },
}: LoadPair): LoadDifference[] {
  if (!theirs || !ours) return [];
  const areSame = withoutNumbers(theirs.text) === withoutNumbers(ours.text);
  const say = ({ text, selector }: NonNullable<typeof ours>) => toShort(text || selector);
  // A build gives other names to classes: the same words are the same element.
  if (say(theirs) === '' || say(ours) === '' || (areSame && (ours.text !== '' || theirs.selector === ours.selector)))
    return [];
  return [
    {
      kind: 'largest_element',
      evidence: evidenceOf('largest_element', say(theirs), say(ours)),
      words: `the largest element was “${say(theirs)}” on the remote side and “${say(ours)}” on this side`,
      weight: likely,
    },
  ];
}

/** Two loads of a page without moving parts give the same picture: 0 percent. */
const leastPicturePercent = 2;
/** Another machine has other fonts. */
const leastCoarsePercent = 10;
const largePicturePercent = 25;

function toPicture({ psi, lighthouse, isSameMachine }: LoadPair): LoadDifference[] {
  const percent = differenceOf(psi.picture, lighthouse.picture, isSameMachine ? 'fine' : 'coarse');
  if (percent === null || percent < (isSameMachine ? leastPicturePercent : leastCoarsePercent)) return [];
  return [
    {
      kind: 'picture',
      evidence: evidenceOf('picture_difference_percent', percent, percent),
      words: `the last pictures of the two loads differ in ${percent} % of their area`,
      weight: percent >= largePicturePercent ? strong : likely,
    },
  ];
}

/** Another page may draw more. So may a machine that was held up: by itself this says little. */
function toDrawing(pair: LoadPair): LoadDifference[] {
  const [{ drawingMs: theirs }, { drawingMs: ours }] = [pair.psi, pair.lighthouse];
  if (theirs === null || ours === null || !isOtherWork(theirs, ours, pair)) return [];
  const [remote, local] = [Math.round(theirs), Math.round(ours)];
  return [
    {
      kind: 'drawing',
      evidence: evidenceOf('drawing_ms', remote, local),
      words: `layout and painting took ${remote} ms on the remote side and ${local} ms on this side`,
      weight: slight,
    },
  ];
}

/** What two loads differ in, most telling first. Where a side does not say, nothing is said. */
export function compareLoads(pair: LoadPair): LoadDifference[] {
  const shared = toShared(pair);
  const [failures, sizes, transfers] = [toFailures(shared), toSizes(shared), toTransfers(shared)];
  const all = [
    ...failures,
    ...sizes,
    // Single files tell more.
    ...(sizes.some(({ weight }) => weight >= likely) ? [] : toAllSharedBytes(shared)),
    ...(transfers.length > 0 ? transfers : toUnpacked(shared)),
    ...toPriorities(shared, pair.isSameBrowser),
    ...toScripts(shared, pair),
    ...toDrawing(pair),
    ...toOneSided(pair, 'psi'),
    ...toOneSided(pair, 'lighthouse'),
    // A failed request writes one, too.
    ...(failures.length > 0 ? [] : toErrors(pair)),
    ...toElement(pair),
    ...toPicture(pair),
  ];
  return all.toSorted((a, b) => b.weight - a.weight);
}
