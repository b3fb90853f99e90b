/** The sitemaps that a robots.txt names (https://www.sitemaps.org/protocol.html#submit_robots). */

/** Absolute, or relative to the file, which some sites write. */
export function readRobots(text: string, base: string): string[] {
  const named = [...text.matchAll(/^[ \t]*sitemap[ \t]*:[ \t]*(\S+)/gim)].flatMap(
    ([, address = '']) => URL.parse(address, base)?.href ?? [],
  );
  return [...new Set(named)];
}
