import type { LoadReading } from '../../../measure/lhr/facts/load-facts.ts';
import { type DecodedPicture, readPicture } from '../../../measure/lhr/late-content.ts';
import {
  largePicturePercent,
  leastCoarsePercent,
  leastPicturePercent,
  likely,
  negligible,
  slight,
  strong,
  sure,
} from '../constants.ts';
import { cutTo, fact, maxNamed, onlyOn } from '../evidence.ts';
import { isOtherWork, type LoadDifference, type LoadPair, toScripts } from './load-pair.ts';
import { toOneSided, toPriorities } from './one-sided-files.ts';
import { toAllSharedBytes } from './page-sizes.ts';
import { toBlocked, toFailures, toSizes, toTransfers, toUnpacked } from './shared-files.ts';

/** Removes numbers, such as counts, prices and times, which change from load to load. */
const withoutNumbers = (text: string): string => text.replace(/\d+([.,:]\d+)*/g, '*');

const toErrorsByKind = (errors: readonly string[]): ReadonlyMap<string, string> =>
  new Map(errors.map(error => [withoutNumbers(error), error]));

/** Weighs differences in console errors, which vary between loads of a page that has errors. */
const weighErrors = (own: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): number => {
  if (other.size === 0) return sure;
  return [...other.keys()].every(kind => own.has(kind)) ? likely : negligible;
};

function toErrors({ psi, lighthouse, where }: LoadPair): LoadDifference[] {
  if (!psi.consoleErrors || !lighthouse.consoleErrors) return [];
  const [theirs, ours] = [toErrorsByKind(psi.consoleErrors), toErrorsByKind(lighthouse.consoleErrors)];
  const extra = (['psi', 'lighthouse'] as const).flatMap(side => {
    const [own, other] = side === 'psi' ? [theirs, ours] : [ours, theirs];
    const [text] = [...own].flatMap(([kind, error]) => (other.has(kind) ? [] : [error]));
    return text === undefined ? [] : [{ side, text, weight: weighErrors(own, other) }];
  });
  return extra.map(({ side, text, weight }) => ({
    kind: `error ${side}`,
    evidence: fact('console_error', ...onlyOn(side, text)),
    words: `the console shows an error only ${where[side]} (${text})`,
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
  where,
}: LoadPair): LoadDifference[] {
  if (!theirs || !ours) return [];
  const areSame = withoutNumbers(theirs.text) === withoutNumbers(ours.text);
  const say = ({ text, selector }: NonNullable<typeof ours>) => toShort(text || selector);
  // A build renames classes, so elements with the same text are the same.
  if (say(theirs) === '' || say(ours) === '' || (areSame && (ours.text !== '' || theirs.selector === ours.selector)))
    return [];
  return [
    {
      kind: 'largest_element',
      family: 'largest_element' as const,
      evidence: fact('largest_element', say(theirs), say(ours)),
      words: `the largest element was “${say(theirs)}” ${where.psi} and “${say(ours)}” ${where.lighthouse}`,
      weight: likely,
    },
  ];
}

/** Words of consent banners in common languages, about cookies and the choices. */
const consentWords =
  /\bconsent\b|your privacy|datenschutzeinstellung|einwilligung|vie privée|consentement|privacidad|informativa sui/i;
const aboutCookies = /\bcookies?\b/i;
const askWords =
  /\buses?\b|accept|agree|polic|setting|preference|verwend|nutz|akzept|zustimm|utilis|aceptar|usamos|utiliza|usiamo|accett|gebruik/i;
const asksForConsent = (text: string): boolean =>
  consentWords.test(text) || (aboutCookies.test(text) && askWords.test(text));

/** Finds a consent banner that is the largest element on one side only. */
function toBanner({ psi, lighthouse, where }: LoadPair): LoadDifference[] | undefined {
  const [theirs, ours] = [psi, lighthouse].map(({ largestElement }) => largestElement?.text ?? '');
  const [isThere, isHere] = [asksForConsent(theirs ?? ''), asksForConsent(ours ?? '')];
  if (isThere === isHere || !psi.largestElement || !lighthouse.largestElement) return undefined;
  const [side, text] = isThere ? (['psi', theirs] as const) : (['lighthouse', ours] as const);
  return [
    {
      kind: 'consent',
      family: 'consent' as const,
      weight: strong,
      evidence: fact('largest_element', toShort(theirs ?? ''), toShort(ours ?? '')),
      words: `a consent banner appeared only ${where[side]} (“${toShort(text ?? '')}”)`,
    },
  ];
}

/** Compares how the page requested its largest image, if it is the same on both sides. */
function toLargestPicture({ psi, lighthouse, where }: LoadPair): LoadDifference[] {
  const [theirs, ours] = [psi.largestPicture, lighthouse.largestPicture];
  if (!theirs || !ours || withoutNumbers(theirs.name) !== withoutNumbers(ours.name)) return [];
  const tellCheck = (check: 'isEager' | 'isHinted' | 'isNamed', say: (side: string) => string, weight: number) => {
    const [there, here] = [theirs[check], ours[check]];
    if (there === null || here === null || there === here) return [];
    const { found, name } = checks[check];
    const side = there === found ? 'psi' : 'lighthouse';
    return [
      {
        kind: `largest_picture ${check}`,
        evidence: fact(`largest_picture_${name}`, String(there), String(here)),
        words: say(where[side]),
        weight,
      },
    ];
  };
  return [
    ...tellCheck('isEager', side => `the largest image loads lazily (loading=lazy) only ${side}`, sure),
    ...tellCheck('isHinted', side => `the largest image has fetchpriority=high only ${side}`, sure),
    ...tellCheck('isNamed', side => `the markup contains the largest image only ${side}`, slight),
  ];
}

/** Value of each check on the side that the sentence names. */
const checks = {
  isEager: { name: 'eager', found: false },
  isHinted: { name: 'high_priority', found: true },
  isNamed: { name: 'in_markup', found: true },
} as const;

/** Finds animations that Lighthouse lists on one side only: a visitor may prefer reduced motion. */
function toAnimations({
  psi: { animated: theirs },
  lighthouse: { animated: ours },
  where,
}: LoadPair): LoadDifference[] {
  if (!theirs || !ours || (theirs.length === 0) === (ours.length === 0)) return [];
  const side = theirs.length > 0 ? 'psi' : 'lighthouse';
  const names = cutTo(side === 'psi' ? theirs : ours, maxNamed);
  return [
    {
      kind: `animations ${side}`,
      evidence: fact('animations', theirs.length, ours.length),
      words: `animations ran only ${where[side]} (${names}), as if the other browser preferred reduced motion`,
      weight: likely,
    },
  ];
}

function toPicture({ psi, lighthouse, isSameMachine }: LoadPair): LoadDifference[] {
  const percent = differenceOf(pictureOf(psi), pictureOf(lighthouse), isSameMachine ? 'fine' : 'coarse');
  if (percent === null || percent < (isSameMachine ? leastPicturePercent : leastCoarsePercent)) return [];
  return [
    {
      kind: 'picture',
      evidence: fact('picture_difference_percent', percent, percent),
      words: `the final screenshots differ in ${percent} % of their area`,
      weight: percent >= largePicturePercent ? strong : likely,
    },
  ];
}

/**
 * Finds differences in the time spent on rendering or garbage collection. A busy machine also causes them, so they are
 * weak evidence.
 */
const toOtherWork = (pair: LoadPair): LoadDifference[] =>
  (
    [
      ['drawing', 'layout and painting'],
      ['garbage', 'garbage collection'],
    ] as const
  ).flatMap(([kind, name]) => {
    const [theirs, ours] = [pair.psi[`${kind}Ms`], pair.lighthouse[`${kind}Ms`]];
    if (theirs === null || ours === null || !isOtherWork(theirs, ours, pair)) return [];
    const [remote, local] = [Math.round(theirs), Math.round(ours)];
    return [
      {
        kind,
        weight: slight,
        evidence: fact(`${kind}_ms`, remote, local),
        words: `${name} took ${remote} ms ${pair.where.psi} and ${local} ms ${pair.where.lighthouse}`,
      },
    ];
  });

/** Returns the differences of two loads, the most important first. Facts that one side does not report are skipped. */
export function compareLoads(pair: LoadPair): LoadDifference[] {
  const banner = toBanner(pair);
  const blocked = toBlocked(pair);
  const [failures, sizes, transfers] = [toFailures(pair), toSizes(pair), toTransfers(pair)];
  const all = [
    ...failures,
    ...blocked,
    ...sizes,
    // Differences of single files are more specific.
    ...(sizes.some(({ weight }) => weight >= likely) ? [] : toAllSharedBytes(pair)),
    ...(transfers.length > 0 ? transfers : toUnpacked(pair)),
    ...toPriorities(pair),
    ...toScripts(pair),
    ...toOtherWork(pair),
    ...toOneSided(pair, 'psi'),
    ...toOneSided(pair, 'lighthouse'),
    // A failed request also causes a console error.
    ...(failures.length > 0 || blocked.length > 0 ? [] : toErrors(pair)),
    ...(banner ?? toElement(pair)),
    ...toLargestPicture(pair),
    ...toAnimations(pair),
    ...toPicture(pair),
  ];
  return all.toSorted((a, b) => b.weight - a.weight);
}

/* Measures the difference between two screenshots. */

const channels = 3;

/** Size of a cell in pixels, and the min mean difference per channel (0 to 255) of a cell that looks different. */
const scales = {
  /** Compares pixels, for screenshots of one machine. */
  fine: { cell: 8, visible: 12 },
  /** Compares mean colours, so that different fonts make no difference. */
  coarse: { cell: 32, visible: 20 },
} as const;
export type ScaleName = keyof typeof scales;

/**
 * Returns the differences of a cell, over all channels: between single pixels (`fine`), and between the sums of all
 * pixels (`coarse`).
 */
function measureCell(one: DecodedPicture, other: DecodedPicture, [x, y]: readonly [number, number], cell: number) {
  let each = 0;
  const sums = [0, 0, 0];
  for (let row = y; row < y + cell; row += 1) {
    const [a, b] = [channels * (row * one.width + x), channels * (row * other.width + x)];
    for (let at = 0; at < cell * channels; at += 1) {
      const difference = (one.data[a + at] ?? 0) - (other.data[b + at] ?? 0);
      each += Math.abs(difference);
      sums[at % channels] = (sums[at % channels] ?? 0) + difference;
    }
  }
  return { fine: each, coarse: sums.reduce((all, sum) => all + Math.abs(sum), 0) };
}

/**
 * Returns the part of two screenshots that looks different, in percent of their common area. Null if one is invalid, or
 * if their shapes differ, because then the devices differ, not the pages.
 */
export function differenceOf(
  a: DecodedPicture | null,
  b: DecodedPicture | null,
  scale: ScaleName = 'fine',
): number | null {
  const { cell, visible } = scales[scale];
  if (!a || !b || Math.abs(a.width - b.width) >= 8 || Math.abs(a.height - b.height) >= 8) return null;
  const columns = Math.floor(Math.min(a.width, b.width) / cell);
  const rows = Math.floor(Math.min(a.height, b.height) / cell);
  let different = 0;
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const measured = measureCell(a, b, [column * cell, row * cell], cell)[scale];
      if (measured > visible * cell * cell * channels) different += 1;
    }
  return Math.round((100 * different) / Math.max(1, columns * rows));
}

const pictures = new WeakMap<LoadReading, DecodedPicture | null>();

/** Decodes the final screenshot of a load, only once for all comparisons. */
function pictureOf(load: LoadReading): DecodedPicture | null {
  if (!pictures.has(load)) pictures.set(load, readPicture(load.picture));
  return pictures.get(load) ?? null;
}
