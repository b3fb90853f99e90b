/**
 * Replaces many secrets in much text: a session of an application has hundreds of values, and a trace 50 MB. Text and
 * secrets are compared without their escapes, and one pass finds the places where any secret may be. An expression of
 * all secrets takes seconds per MB, and Node refuses it above some 100,000 characters.
 */

/** Min length of a beginning or an end that is recognised next to an ellipsis: the browser shortens long attributes. */
const leastPart = 12;
/** Max length of the rest of such a part. */
const mostPart = 1_000;

/** Number of characters by which places are found, at most the least length of a secret. */
const anchorLength = 5;
const bitsOfCharacter = 4;
const mostHash = 2 ** (anchorLength * bitsOfCharacter) - 1;

/** Returns a hash of the last characters of a text. */
const toNext = (hash: number, code: number): number => ((hash << bitsOfCharacter) ^ code) & mostHash;

/** Escapes of URLs, also nested ones, of HTML, and of JSON. */
const escapes =
  /(?:%(?:25)*[89a-f][0-9a-f])+|%(?:25)*[0-7][0-9a-f]|&(?:amp|lt|gt|quot|apos|#0*\d{1,7}|#x0*[0-9a-f]{1,6});|\\(?:u[0-9a-f]{4}|["\\/'bfnrt])/gi;

const named: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'" },
  ...{ '\\b': '\b', '\\f': '\f', '\\n': '\n', '\\r': '\r', '\\t': '\t' },
};

function toCharacters(written: string): string {
  const known = named[written.toLowerCase()];
  if (known !== undefined) return known;
  try {
    if (written.startsWith('%')) return decodeURIComponent(written.replaceAll(/%(?:25)+(?=[0-9a-f]{2})/gi, '%'));
    if (written.startsWith('\\'))
      return /^\\u/i.test(written) ? JSON.parse(`"${written.toLowerCase()}"`) : written.slice(1);
    const code = written.slice(2, -1);
    return String.fromCodePoint(/^x/i.test(code) ? Number(`0${code}`) : Number(code));
  } catch {
    return written;
  }
}

/** Ignores case, and that forms write `+` for a space. Keeps the length. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  const same = lower.length === text.length ? lower : text.replaceAll(/[A-Z]+/g, letters => letters.toLowerCase());
  return same.replaceAll('+', ' ');
}

/** A text without its escapes. Without any, its places are those of the original. */
type Plain = { readonly plain: string; readonly places?: readonly number[] };

function toPlain(text: string): Plain {
  if (!/[%&\\]/.test(text)) return { plain: fold(text) };
  const parts: string[] = [];
  const places: number[] = [];
  let last = 0;
  const addUntil = (end: number) => {
    parts.push(text.slice(last, end));
    for (let at = last; at < end; at += 1) places.push(at);
  };
  for (const { 0: written, index } of text.matchAll(escapes)) {
    addUntil(index);
    const characters = toCharacters(written);
    parts.push(characters);
    for (let count = characters.length; count > 0; count -= 1) places.push(index);
    last = index + written.length;
  }
  addUntil(text.length);
  return { plain: fold(parts.join('')), places: [...places, text.length] };
}

type Range = readonly [begin: number, end: number];

/** A secret, or a part of one, and the place of its anchor. */
type Wanted = {
  readonly text: string;
  readonly at: number;
  /** The whole secret, if this is its beginning or its end: it counts next to an ellipsis only. */
  readonly beginningOf?: string;
  readonly endOf?: string;
};

/** Returns the place of a secret of which a part was found; undefined if it was not shortened there. */
function findCut(plain: string, [begin, end]: Range, { beginningOf, endOf }: Wanted): Range | undefined {
  if (beginningOf !== undefined) {
    const rest = plain.slice(end, end + mostPart).indexOf('…');
    return rest !== -1 && plain.startsWith(beginningOf.slice(0, end - begin + rest), begin)
      ? [begin, end + rest]
      : undefined;
  }
  const before = plain.slice(Math.max(0, begin - mostPart), begin);
  const from = begin - before.length + before.lastIndexOf('…') + 1;
  return before.includes('…') && endOf?.endsWith(plain.slice(from, end)) ? [from, end] : undefined;
}

function findAt(plain: string, anchorAt: number, wanted: Wanted): Range | undefined {
  const begin = anchorAt - wanted.at;
  if (begin < 0 || !plain.startsWith(wanted.text, begin)) return undefined;
  const range: Range = [begin, begin + wanted.text.length];
  return wanted.beginningOf === undefined && wanted.endOf === undefined ? range : findCut(plain, range, wanted);
}

/** Sorts secrets by the hash of an anchor: the one that the fewest others have. */
function createIndex(secrets: Iterable<string>) {
  const places = new Map<number, Wanted[]>();
  const isPlace = new Uint8Array(mostHash + 1);
  const add = (text: string, part: Pick<Wanted, 'beginningOf' | 'endOf'> = {}) => {
    let best = { at: 0, hash: 0, count: Number.POSITIVE_INFINITY };
    let hash = 0;
    for (let end = 0; end < text.length && best.count > 0; end += 1) {
      hash = toNext(hash, text.charCodeAt(end));
      const count = places.get(hash)?.length ?? 0;
      if (end >= anchorLength - 1 && count < best.count) best = { at: end, hash, count };
    }
    isPlace[best.hash] = 1;
    const wanted = places.get(best.hash) ?? [];
    wanted.push({ text, at: best.at, ...part });
    places.set(best.hash, wanted);
  };
  for (const secret of new Set([...secrets].map(secret => toPlain(secret).plain))) {
    if (secret.length < anchorLength) continue;
    add(secret);
    if (secret.length < 2 * leastPart) continue;
    add(secret.slice(0, leastPart), { beginningOf: secret });
    add(secret.slice(-leastPart), { endOf: secret });
  }
  return { places, isPlace };
}

/** Replaces ranges of a text, each with its neighbours, by one mask. */
function cover(text: string, ranges: readonly Range[], mask: string): string {
  let covered = '';
  let last = -1;
  for (const [begin, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (begin > last) covered += text.slice(Math.max(0, last), begin) + mask;
    last = Math.max(last, end);
  }
  return covered + text.slice(last);
}

/** @returns a function that replaces all secrets in a text, in any spelling, by a mask */
export function createReplacer(secrets: Iterable<string>, mask: string): (text: string) => string {
  const { places, isPlace } = createIndex(secrets);

  function findAll(plain: string): Range[] {
    const ranges: Range[] = [];
    let hash = 0;
    for (let at = 0; at < plain.length; at += 1) {
      hash = toNext(hash, plain.charCodeAt(at));
      if (isPlace[hash] === 0) continue;
      for (const wanted of places.get(hash) ?? []) {
        const range = findAt(plain, at, wanted);
        if (range) ranges.push(range);
      }
    }
    return ranges;
  }

  return text => {
    const { plain, places: original } = toPlain(text);
    const ranges = findAll(plain);
    if (ranges.length === 0) return text;
    const toEnd = (end: number): number => {
      let at = end;
      while (original && at < plain.length && original[at] === original[at - 1]) at += 1;
      return original?.[at] ?? at;
    };
    return cover(
      text,
      ranges.map(([begin, end]) => [original?.[begin] ?? begin, toEnd(end)]),
      mask,
    );
  };
}
