/**
 * Patterns of URLs. A pattern matches a URL that contains the parts between its `*`, in their order: the browser reads its
 * list of blocked URLs in the same way.
 */

const toLiteral = (text: string): string => text.replaceAll(/[\\*?]/g, '\\$&');

/** As `Network.setBlockedURLs` decides. */
export function matchesPattern(url: string, pattern: string): boolean {
  let from = 0;
  for (const part of pattern.split('*')) {
    const at = url.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}

/** The same pattern as CDP `Fetch` reads it: there it describes the whole URL, and `?` is any one character. */
export const toFetchPattern = (pattern: string): string => `*${pattern.split('*').map(toLiteral).join('*')}*`;

/** One URL for CDP `Fetch`, which never sees a fragment. */
export const toFetchUrl = (url: string): string => toLiteral(url.replace(/#.*$/s, ''));
