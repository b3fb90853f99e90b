/** The little Markdown of Lighthouse's texts (links and code) as pieces. Nothing is ever made into markup from it. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

const pattern = /`([^`]+)`|\[([^\][]+)\]\(((?:[^()\s]|\([^()\s]*\))+)\)/g;

/** Only the web's own schemes: a link is something to read. */
const toHref = (text: string): string | undefined => {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
};

/** What a match stands for; a link that does not lead to the web becomes its words. */
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

/** The same without its marks, for where only text can stand. */
export const toPlainText = (markdown: string): string =>
  readMarkdown(markdown)
    .map(({ text }) => text)
    .join('');
