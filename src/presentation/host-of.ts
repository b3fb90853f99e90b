/** Host and port of a page's URL, for headings; what is no URL stays as it is. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
