/** What a saved file is called: after whose pages it is about, and the day. */
/** Host and port of a page's URL, for headings; what is no URL stays as it is. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** Path and query of a page's URL, for pages below their host; what is no URL stays as it is. */
export const pathOf = (url: string): string => {
  const { pathname = url, search = '' } = URL.parse(url) ?? {};
  return `${pathname}${search}`;
};

/** Letters, digits, dots and hyphens: every file system takes them. */
const tidy = (host: string): string => host.replaceAll(/[^\w.-]+/g, '-').slice(0, 80);

/** `rangelight-example.com-2026-11-22.csv`; of several hosts their number. @param now in the reader's own time zone */
export function toDownloadName(urls: readonly string[], now: Date, extension: string): string {
  const hosts = new Set(urls.map(hostOf));
  const [first = ''] = hosts;
  const whose = hosts.size > 1 ? `${hosts.size}-hosts` : tidy(first);
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(part => `${part}`.padStart(2, '0')).join('-');
  return `${['rangelight', whose, day].filter(Boolean).join('-')}.${extension}`;
}
