/**
 * URL patterns. A pattern matches a URL that contains the parts between its `*` in order, like the browser's list of
 * blocked URLs.
 */

const toLiteral = (text: string): string => text.replaceAll(/[\\*?]/g, '\\$&');

/** Returns whether a pattern matches a URL, by the rules of `Network.setBlockedURLs`. */
export function matchesPattern(url: string, pattern: string): boolean {
  let from = 0;
  for (const part of pattern.split('*')) {
    const at = url.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}

/**
 * Converts a pattern to one of CDP's `Fetch` domain, which matches the whole URL, and in which `?` matches any
 * character.
 */
export const toFetchPattern = (pattern: string): string => `*${pattern.split('*').map(toLiteral).join('*')}*`;

/** Converts a URL to a pattern of CDP's `Fetch` domain, which never sees a fragment. */
export const toFetchUrl = (url: string): string => toLiteral(url.replace(/#.*$/s, ''));
