/** Resolves a path of `--html` and its links: a report replaces only a regular file. */
import { fstatSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';

export type Destination =
  | { readonly kind: 'folder'; readonly path: string }
  /** A file with the mode to preserve. */
  | { readonly kind: 'file'; readonly path: string; readonly mode: number }
  /** A free name in an existing folder. */
  | { readonly kind: 'free'; readonly path: string }
  | { readonly kind: 'missing-folder'; readonly folder: string }
  /** A descriptor of this process, such as `/dev/fd/3`: opening it by name would begin at the start of the file. */
  | { readonly kind: 'descriptor'; readonly number: number; readonly stats: Stats }
  /** A device, a named pipe, a socket. */
  | { readonly kind: 'special'; readonly path: string; readonly stats: Stats };

/** Max number of links, as in Linux. */
const maxLinks = 40;

const realFolder = (path: string): string | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? realpathSync.native(path) : undefined;

const isOfDescriptors = (folder: string): boolean => folder === '/dev/fd' || folder === `/proc/${process.pid}/fd`;

/** Matches descriptors of other processes, which must not be replaced. */
const isOfAnother = (folder: string): boolean => /^\/proc\/\d+\/(?:task\/\d+\/)?fd$/.test(folder);

function toDestination(path: string, stats: Stats | undefined): Destination {
  if (!stats) return { kind: 'free', path };
  if (stats.isDirectory()) return { kind: 'folder', path };
  return stats.isFile() ? { kind: 'file', path, mode: stats.mode & 0o7777 } : { kind: 'special', path, stats };
}

/** @throws the error of the file system */
export function findDestination(path: string): Destination {
  let next = path;
  for (let links = 0; links < maxLinks; links += 1) {
    const [parent, name] = [dirname(next), basename(next)];
    const folder = realFolder(parent);
    if (folder === undefined) return { kind: 'missing-folder', folder: parent };
    if (isOfDescriptors(folder) && /^\d+$/.test(name))
      return { kind: 'descriptor', number: Number(name), stats: fstatSync(Number(name)) };
    const here = join(folder, name);
    if (isOfAnother(folder)) return { kind: 'special', path: here, stats: statSync(here) };
    const stats = lstatSync(here, { throwIfNoEntry: false });
    if (!stats?.isSymbolicLink()) return toDestination(here, stats);
    const link = readlinkSync(here);
    // Paths are not joined, because `..` after a link refers to the parent of its target.
    next = isAbsolute(link) ? link : `${folder}/${link}`;
  }
  throw new Error('it is a circular link');
}
