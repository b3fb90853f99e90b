/** Parses the Markdown of Lighthouse's texts (links and code) into pieces. None of it is ever interpreted as markup. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

const pattern = /`([^`]+)`|\[([^\][]+)\]\(((?:[^()\s]|\([^()\s]*\))+)\)/g;

/** Returns a link if it has a web scheme. */
const toHref = (text: string): string | undefined => {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
};

/** Converts a match; a link to anything but the web becomes its text. */
const toPiece = (code: string | undefined, text: string | undefined, target: string | undefined): Piece => {
  if (code !== undefined) return { kind: 'code', text: code };
  const words = text?.replaceAll('`', '') ?? '';
  const href = toHref(target ?? '');
  return href === undefined ? { kind: 'text', text: words } : { kind: 'link', text: words, href };
};

export function readMarkdown(markdown: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of markdown.matchAll(pattern)) {
    if (match.index > at) pieces.push({ kind: 'text', text: markdown.slice(at, match.index) });
    pieces.push(toPiece(match[1], match[2], match[3]));
    at = match.index + match[0].length;
  }
  if (at < markdown.length) pieces.push({ kind: 'text', text: markdown.slice(at) });
  return pieces;
}

export const toPlainText = (markdown: string): string =>
  readMarkdown(markdown)
    .map(({ text }) => text)
    .join('');
