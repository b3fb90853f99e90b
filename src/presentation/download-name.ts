/** Names saved files by the hosts of their pages and the date. */
/** Returns host and port of a page's URL for headings; text that is not a URL stays unchanged. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** Returns path and query of a page below its host; text that is not a URL stays unchanged. */
export const pathOf = (url: string): string => {
  const { pathname = url, search = '' } = URL.parse(url) ?? {};
  return `${pathname}${search}`;
};

/** Replaces characters that some file systems do not accept. */
const tidy = (host: string): string => host.replaceAll(/[^\w.-]+/g, '-').slice(0, 80);

/**
 * Returns a name such as `rangelight-example.com-2026-11-22.csv`; for several hosts, it contains their number.
 * @param now in the user's time zone
 */
export function toDownloadName(urls: readonly string[], now: Date, extension: string): string {
  const hosts = new Set(urls.map(hostOf));
  const [first = ''] = hosts;
  const whose = hosts.size > 1 ? `${hosts.size}-hosts` : tidy(first);
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(part => `${part}`.padStart(2, '0')).join('-');
  return `${['rangelight', whose, day].filter(Boolean).join('-')}.${extension}`;
}
