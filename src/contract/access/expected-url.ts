/** Returns whether a pattern, in which `*` matches any characters, matches a text from its beginning to its end. */
export const matchesWhole = (text: string, pattern: string): boolean => {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
};

/**
 * Returns whether a URL is the expected one. A pattern that begins with `/` is compared with the path, else with the
 * whole URL, in both cases from its beginning to its end: `/login?next=/account` is not `/account`. The query counts
 * only if the pattern has one, the fragment never. `*` matches any characters.
 */
export function matchesExpectedUrl(url: string, pattern: string): boolean {
  const parsed = URL.parse(url);
  if (!parsed) return false;
  const { origin, pathname, search } = parsed;
  const path = pattern.includes('?') ? `${pathname}${search}` : pathname;
  return matchesWhole(pattern.startsWith('/') ? path : `${origin}${path}`, pattern);
}
