/** Checks whether reports can be written to the path of `--html`, before any measurement. */

import { accessSync, constants, lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { messageOf } from '../../contract/errors.ts';
import { indexMark } from '../../web/report/index/render-index.ts';
import { UsageError } from '../input/usage-error.ts';
import { indexName } from './html-files.ts';
import { type Destination, findDestination } from './report-destination.ts';

const canWrite = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

const faultOfFolder = (folder: string): string | undefined =>
  canWrite(folder, constants.W_OK | constants.X_OK) ? undefined : `the folder ${folder} cannot be written to`;

/** Returns whether a file accepts text. Files of any other type are internal to the process. */
const takesText = (stats: Stats): boolean =>
  stats.isFile() || stats.isFIFO() || stats.isSocket() || stats.isCharacterDevice() || stats.isBlockDevice();

function faultOfOne(path: string, destination: Destination): string | undefined {
  const meansFolder = path.endsWith('/') || path.endsWith(sep);
  if (meansFolder && destination.kind !== 'folder') return `there is no folder ${path}`;
  switch (destination.kind) {
    case 'missing-folder':
      return `there is no folder ${destination.folder}`;
    case 'folder':
      return faultOfFolder(destination.path);
    case 'file':
    case 'free':
      return faultOfFolder(dirname(destination.path));
    case 'descriptor':
      return takesText(destination.stats) ? undefined : 'it does not accept text';
    case 'special':
      if (destination.stats.isSocket()) return 'a socket cannot be opened as a file';
      return canWrite(destination.path, constants.W_OK) ? undefined : 'it cannot be written to';
  }
}

/** Checks the existing folder in which missing folders will be created. */
function faultOfAncestor(path: string): string | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })) return faultOfAncestor(dirname(path));
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? faultOfFolder(path) : `${path} is not a folder`;
}

/** Checks that an existing file is an index of Rangelight, and not the start page of a site. */
function faultOfIndex(path: string): string | undefined {
  const destination = findDestination(path);
  if (destination.kind === 'free') return undefined;
  return destination.kind === 'file' && readFileSync(destination.path, 'utf8').includes(indexMark)
    ? undefined
    : `its ${indexName} was not written by this command, and would be replaced; name another folder`;
}

function faultOfSeveral(path: string, destination: Destination): string | undefined {
  if (destination.kind === 'missing-folder') return faultOfAncestor(path);
  if (destination.kind === 'free') return faultOfFolder(dirname(destination.path));
  if (destination.kind !== 'folder') return 'it must be a folder for several results';
  return faultOfFolder(destination.path) ?? faultOfIndex(join(destination.path, indexName));
}

/** @throws UsageError if the files cannot be written there */
export function judgeHtml(path: string, isList: boolean): void {
  if (path === '-') {
    if (isList) throw new UsageError(['--html - accepts one result; for several, name a folder']);
    return;
  }
  let fault: string | undefined;
  try {
    fault = (isList ? faultOfSeveral : faultOfOne)(path, findDestination(path));
  } catch (error) {
    fault = messageOf(error);
  }
  if (fault !== undefined) throw new UsageError([`--html ${path}: ${fault}`]);
}
