/** A generated part of a Markdown document is between two marks, each a comment on a line of its own. */

const end = '<!-- end of generated text -->';

/**
 * Replaces every generated part of a document.
 * @param start regular expression with the flag `g` that matches a start mark; its first group is passed to `generate`
 * @throws Error if a start mark has no end mark
 */
export function withGenerated(document: string, start: RegExp, generate: (argument: string) => string): string {
  let result = '';
  let from = 0;
  for (const match of document.matchAll(start)) {
    const bodyStart = match.index + match[0].length;
    const bodyEnd = document.indexOf(end, bodyStart);
    if (bodyEnd < 0) throw new Error(`${match[0]} has no end mark`);
    result += `${document.slice(from, bodyStart)}\n${generate(match[1] ?? '')}\n`;
    from = bodyEnd;
  }
  return result + document.slice(from);
}
