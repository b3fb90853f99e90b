/** Requests of a page, with the fields that Lighthouse reports for their type. */
import { type Item, origin } from '../drafts.ts';

/** A path of the page's own host, or a whole address. */
export const at = (path: string): string => (path.includes('://') ? path : `${origin}/${path}`);

/** What comes over TLS, comes by HTTP/2. Texts are packed. */
const file = (resourceType: string, mimeType: string, priority: string, packed: number) => {
  return (path: string, resourceSize: number, fields: Item = {}): Item => ({
    url: at(path),
    finished: true,
    statusCode: 200,
    mimeType,
    resourceType,
    priority,
    resourceSize,
    protocol: at(path).startsWith('https:') ? 'h2' : 'http/1.1',
    transferSize: Math.round(packed * resourceSize) + 310,
    ...fields,
  });
};

export const script = file('Script', 'text/javascript', 'Low', 0.31);
export const style = file('Stylesheet', 'text/css', 'VeryHigh', 0.19);
export const picture = file('Image', 'image/jpeg', 'Low', 1);
export const font = file('Font', 'font/woff2', 'VeryHigh', 1);
export const call = file('Fetch', 'application/json', 'High', 0.24);
export const frame = file('Document', 'text/html', 'VeryHigh', 0.3);
/** It comes in parts, and a load ends before the last of them. */
export const film = (path: string, size: number, fields: Item = {}): Item =>
  file('Media', 'video/mp4', 'Low', 1)(path, size, { statusCode: 206, ...fields });

/** Several of one kind in a folder. */
export const several = (
  kind: typeof picture,
  folder: string,
  sizes: Readonly<Record<string, number>>,
  fields: Item = {},
): Item[] => Object.entries(sizes).map(([name, size]) => kind(`${folder}/${name}`, size, fields));
