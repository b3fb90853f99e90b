import type { IncomingMessage } from 'node:http';

/** No route has it. */
const routeless = '/%00';

const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
};

/**
 * The target of a request as the router is to read it. With scheme and host in front, as it may be written, it is the
 * same path. One that cannot be decoded would be answered by the framework before any hook has seen the request; so it
 * is given a path without a route, and is answered like everything else that has none.
 */
export function toRoutableUrl({ url = '/' }: IncomingMessage): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
  if (!path.includes('%')) return path;
  return isDecodable(path.split('?', 1)[0] ?? '') ? path : routeless;
}
