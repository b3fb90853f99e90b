/** Pairs the files of two loads of one page. Every comparison of two loads uses this: causes, verdicts and tables. */
import { withoutQuery } from '../contract/without-query.ts';

export type FileFeatures = {
  readonly url: string;
  readonly type: string;
  readonly bytes: number;
  /** Whether the response is a redirect; default false. */
  readonly isRedirect?: boolean;
};

/** Returns whether a status is a redirect; 304 is a cached response. */
export const isRedirect = (status: number | null | undefined): boolean =>
  typeof status === 'number' && status >= 300 && status < 400 && status !== 304;

export type FilePair<T> =
  | { readonly one: T; readonly other: T | undefined }
  | { readonly one: undefined; readonly other: T };

/**
 * Pairs the files of two loads. Two files are the same if one of these rules finds so; files that an earlier rule pairs
 * are no candidates for a later one:
 *
 * 1. They have the same URL.
 * 2. Their URLs differ only in the query.
 * 3. Their URLs differ only in what a build, a release, a visitor or a mirror changes (`toFileName`).
 * 4. Their URLs differ in one part that looks like a hash, and has the same length in both.
 * 5. Their URLs differ at most in the query, and one is a redirect: before this rule, redirects and files are apart.
 *
 * Rules 3 and 4 only pair files of one type. Of several candidates, they take the one that is nearest in size, and
 * the other rules the first. A file that one load requested more often has no counterpart for the further requests.
 * @returns the files of `ones` in their order, then those of `others` without a counterpart
 */
export function pairFiles<T>(
  ones: readonly T[],
  others: readonly T[],
  toFeatures: (item: T) => FileFeatures,
): FilePair<T>[] {
  const counterparts = new Map<T, T>();
  const features = new Map([...ones, ...others].map(item => [item, toFeatures(item)]));
  const of = (item: T) => features.get(item) as FileFeatures;
  const [left, free] = [new Set(ones), new Set(others)];
  const take = (one: T, other: T) => {
    counterparts.set(one, other);
    left.delete(one);
    free.delete(other);
  };
  const takeFirst = (toKey: (file: FileFeatures) => string) => {
    const byKey = Map.groupBy(free, other => toKey(of(other)));
    for (const one of left) {
      const other = byKey.get(toKey(of(one)))?.shift();
      if (other !== undefined) take(one, other);
    }
  };
  const takeNearest = (toKey: (file: FileFeatures) => string, areSame: (one: string, other: string) => boolean) => {
    const byKey = Map.groupBy(free, other => toKey(of(other)));
    let tried = 0;
    const findCandidates = (one: T) => {
      const tries = (byKey.get(toKey(of(one))) ?? []).slice(0, mostTried - tried);
      tried += tries.length;
      const same = tries.filter(other => areSame(of(one).url, of(other).url));
      return same.map(other => ({ one, other, gap: Math.abs(of(one).bytes - of(other).bytes) }));
    };
    const candidates = [...left].flatMap(findCandidates);
    for (const { one, other } of candidates.sort((a, b) => a.gap - b.gap))
      if (left.has(one) && free.has(other)) take(one, other);
  };
  takeFirst(({ url, isRedirect = false }) => `${isRedirect} ${url}`);
  takeFirst(({ url, isRedirect = false }) => `${isRedirect} ${withoutQuery(url)}`);
  takeNearest(
    ({ url, type, isRedirect = false }) => `${isRedirect} ${type} ${toFileName(url)}`,
    () => true,
  );
  takeNearest(
    ({ url, type, isRedirect = false }) => `${isRedirect} ${type} ${withoutQuery(url).length}`,
    (one, other) => differInHash(withoutQuery(one), withoutQuery(other)),
  );
  takeFirst(({ url }) => withoutQuery(url));
  return [
    ...ones.map(one => ({ one, other: counterparts.get(one) })),
    ...[...free].map(other => ({ one: undefined, other })),
  ];
}

/** Max number of pairs that a rule tries: a page determines how many of its URLs look alike. */
const mostTried = 50_000;

/** Min length of the part of a hash that differs. */
const leastDifferent = 4;
const looksLikeHash = /^[^/]*[\dA-Z][^/]*$/;
/** Two numbers are a place on a map, or the years of two articles. */
const areNumbers = /^\d+ \d+$/;

/** Returns the first position at which two texts of one length differ, and the end of the last difference. */
function findDifferent(one: string, other: string): [from: number, to: number] {
  let from = 0;
  let to = one.length;
  while (from < to && one[from] === other[from]) from += 1;
  while (to > from && one[to - 1] === other[to - 1]) to -= 1;
  return [from, to];
}

/** Returns whether two URLs differ in one part that looks like a hash, and has the same length in both. */
export function differInHash(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  const range = findDifferent(one, other);
  const [part, otherPart] = [one.slice(...range), other.slice(...range)];
  if (part.length < leastDifferent || areNumbers.test(`${part} ${otherPart}`)) return false;
  return looksLikeHash.test(part) && looksLikeHash.test(otherPart);
}

const isPartOfWord = (sign: string | undefined): boolean => sign !== undefined && /\w/.test(sign);

/** Returns a name that fits two paired files: `*` stands for what a build changed. */
export function toCommonName(one: string, other: string): string {
  if (one === other) return one;
  const [name, otherName] = [withoutBuild(one), withoutBuild(other)];
  if (name === otherName || name.length !== otherName.length) return otherName;
  let [from, to] = findDifferent(name, otherName);
  // The ends of two hashes may be the same by chance.
  while (isPartOfWord(otherName[from - 1])) from -= 1;
  while (isPartOfWord(otherName[to])) to += 1;
  return `${otherName.slice(0, from)}*${otherName.slice(to)}`;
}

/* Recognises parts of file names that change with each build or release of the same page. */

const kindOf = (sign: string): string => {
  if (/\d/.test(sign)) return 'digit';
  return /[A-Z]/.test(sign) ? 'capital' : 'letter';
};

const countTurns = (piece: string): number =>
  [...piece].filter((sign, at) => at > 0 && kindOf(sign) !== kindOf(piece.charAt(at - 1))).length;

/** Share of changes between cases and digits in random text; `1200x800` and a capital change twice at most. */
const leastShareOfTurns = 0.4;

const isRandom = (text: string): boolean =>
  text.split(/[-_]/).reduce((turns, piece) => turns + countTurns(piece), 0) >= leastShareOfTurns * (text.length - 1);

/** Returns whether text is a hash, including the upper-case hashes of esbuild and Angular. */
const isHash = (text: string): boolean => isRandom(text) || /^(?=.*[A-Z])[A-Z\d]+$/.test(text);

/** `main-Bq3x9LkA.js`, `chunk.3PQK4TZE.js`: bundlers use eight characters. */
const hash = /(?<=[-._/])[\w-]{8}(?=(?:\.min)?\.\w+$)/;

/** `main.a1b2c3.js`: six or seven characters, if digits and letters are mixed. */
const shortHash = /(?<=[-._])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,7}(?=(?:\.min)?\.\w+$)/;

/** Folder of a release. */
const release = /(?<=\/)[\w-]{20,}(?=\/)/g;

/** Id of a load, session or visitor. */
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Build, version or session in a path: `app.3f2ab9c1.js`. */
const token = /[0-9a-f]{8,}|\d{5,}/gi;
export const withoutTokens = (path: string): string => path.replace(token, '*');

export const withoutBuild = (path: string): string =>
  withoutTokens(
    path
      .replace(uuid, '*')
      .replace(hash, text => (isHash(text) ? '*' : text))
      .replace(shortHash, '*')
      .replace(release, text => (isRandom(text) ? '*' : text)),
  );

/** Removes `www`, and the numbers of hosts such as img1 and img2, which serve the same files. */
const withoutShard = ({ hostname, host, port }: URL): string =>
  /^[\d.]+$|^\[/.test(hostname)
    ? host
    : `${hostname.replace(/^www\d*\./, '').replace(/\d+/g, '*')}${port && `:${port}`}`;

/** Returns a name of a file that is the same in every load of a page: without protocol, query and build. */
export function toFileName(url: string): string {
  const parsed = URL.parse(url);
  return parsed?.host ? `${withoutShard(parsed)}${withoutBuild(parsed.pathname)}`.slice(0, 500) : withoutQuery(url);
}
