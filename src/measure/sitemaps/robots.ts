/** The sitemaps that a robots.txt names (https://www.sitemaps.org/protocol.html#submit_robots). */

/** The address of a file that another one names, without a user name or password: Rangelight logs in nowhere. */
export function toFileUrl(address: string, base: string): URL | null {
  const url = URL.parse(address, base);
  if (url) url.username = '';
  if (url) url.password = '';
  return url;
}

/** Absolute, or relative to the file, which some sites write. */
export function readRobots(text: string, base: string): string[] {
  const named = [...text.matchAll(/^[ \t]*sitemap[ \t]*:[ \t]*(\S+)/gim)].flatMap(
    ([, address = '']) => toFileUrl(address, base)?.href ?? [],
  );
  return [...new Set(named)];
}
