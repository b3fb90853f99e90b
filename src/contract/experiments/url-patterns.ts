/** URL patterns: a URL matches if it contains the parts between the `*` in order, as in blocked URLs of Chromium. */

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

/** Converts a pattern to one of CDP's `Fetch` domain, which matches whole URLs, and in which `?` is any character. */
export const toFetchPattern = (pattern: string): string => `*${pattern.split('*').map(toLiteral).join('*')}*`;

/** Converts a URL to a pattern of CDP's `Fetch` domain, which never sees a fragment. */
export const toFetchUrl = (url: string): string => toLiteral(url.replace(/#.*$/s, ''));
