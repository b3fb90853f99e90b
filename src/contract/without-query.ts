/** Removes the query and the fragment of a URL, which often differ in each load: a random number, the time of day. */
export const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;

/** Returns the last part of a URL; the host if it has no path. */
export function nameOfFile(url: string): string {
  const path = withoutQuery(url).replace(/\/+$/, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name === '' ? url : name;
}
