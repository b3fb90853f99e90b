/** Removes the query and the fragment of a URL, which often differ in each load: a random number, the time of day. */
export const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;
