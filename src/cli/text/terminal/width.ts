/** Measures text in terminal columns: wide characters take two, combining marks none. */
import stringWidth from 'string-width';

export const widthOf = (text: string): number => stringWidth(text);

const segmenter = new Intl.Segmenter();
const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

/** Splits text into grapheme clusters, which are never cut. */
const charactersOf = (text: string): string[] =>
  isPlain(text) ? [...text] : Array.from(segmenter.segment(text), ({ segment }) => segment);

function takeFirst(characters: readonly string[], columns: number): string[] {
  const taken: string[] = [];
  let width = 0;
  for (const character of characters) {
    width += widthOf(character);
    if (width > columns) break;
    taken.push(character);
  }
  return taken;
}

/** Cuts text to a width, with an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  return columns < 1 ? '' : `${takeFirst(charactersOf(text), columns - 1).join('')}…`;
}

const minEnd = 8;

/** Shortens a URL: by its scheme, then between the host and the end of the path, which identify the page. */
export function shortenUrl(url: string, columns: number): string {
  if (widthOf(url) <= columns) return url;
  const bare = url.replace(/^https?:\/\//i, '');
  if (widthOf(bare) <= columns) return bare;
  const room = columns - 1;
  const [host = ''] = /^[^/?#]*\/?/.exec(bare) ?? [];
  const isShort = host !== '' && widthOf(host) + minEnd <= room;
  if (!isShort && room < 2 * minEnd) return cutTo(bare, columns);
  const begin = isShort ? host : takeFirst(charactersOf(bare), Math.floor(room / 2)).join('');
  const rest = charactersOf(bare.slice(begin.length)).toReversed();
  const end = takeFirst(rest, room - widthOf(begin))
    .toReversed()
    .join('');
  return `${begin}…${end}`;
}

/** Wraps text into lines of whole words; a word longer than a line stays whole, so that it can be copied. */
export function wrapText(text: string, columns: number): string[] {
  if (widthOf(text) <= columns) return [text];
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && widthOf(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === undefined ? lines : [...lines, line];
}

/** Indents a paragraph, including its wrapped lines. */
export const indentText = (text: string, columns: number, indent: string, hanging = indent): string =>
  wrapText(text, Math.max(1, columns - Math.max(widthOf(indent), widthOf(hanging))))
    .map((line, at) => `${at === 0 ? indent : hanging}${line}`)
    .join('\n');
