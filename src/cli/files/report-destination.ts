/** What a path of `--html` leads to, its links followed: a report replaces a regular file, and nothing else. */
import { fstatSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';

export type Destination =
  | { readonly kind: 'folder'; readonly path: string }
  /** `mode` as it is to stay. */
  | { readonly kind: 'file'; readonly path: string; readonly mode: number }
  /** A free name in a folder that is there. */
  | { readonly kind: 'free'; readonly path: string }
  | { readonly kind: 'missing-folder'; readonly folder: string }
  /** Open in this process, as `/dev/fd/3` and `>(…)` are: opened by its name a file would be another, at its beginning. */
  | { readonly kind: 'descriptor'; readonly number: number; readonly stats: Stats }
  /** A device, a named pipe, a socket. */
  | { readonly kind: 'special'; readonly path: string; readonly stats: Stats };

/** As Linux has it. */
const maxLinks = 40;

const realFolder = (path: string): string | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? realpathSync.native(path) : undefined;

const isOfDescriptors = (folder: string): boolean => folder === '/dev/fd' || folder === `/proc/${process.pid}/fd`;

/** Those of another process lead to its open files, which are not ours to replace. */
const isOfAnother = (folder: string): boolean => /^\/proc\/\d+\/(?:task\/\d+\/)?fd$/.test(folder);

function toDestination(path: string, stats: Stats | undefined): Destination {
  if (!stats) return { kind: 'free', path };
  if (stats.isDirectory()) return { kind: 'folder', path };
  return stats.isFile() ? { kind: 'file', path, mode: stats.mode & 0o7777 } : { kind: 'special', path, stats };
}

/** @throws what the file system says */
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
    // Not joined: `..` behind a link is not where its letters say.
    next = isAbsolute(link) ? link : `${folder}/${link}`;
  }
  throw new Error('it is a link that leads to no end');
}
