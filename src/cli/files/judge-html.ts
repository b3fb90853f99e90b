/** Whether reports can be written where `--html` says, before anything is measured. */
import { accessSync, constants, lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { findPlace, type Place } from './report-place.ts';
import { UsageError } from './usage-error.ts';

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

/** What has no such kind is the process's own machinery. */
const takesText = (stats: Stats): boolean =>
  stats.isFile() || stats.isFIFO() || stats.isSocket() || stats.isCharacterDevice() || stats.isBlockDevice();

function faultOfOne(path: string, place: Place): string | undefined {
  const meansFolder = path.endsWith('/') || path.endsWith(sep);
  if (meansFolder && place.kind !== 'folder') return `there is no folder ${path}`;
  switch (place.kind) {
    case 'missing-folder':
      return `there is no folder ${place.folder}`;
    case 'folder':
      return faultOfFolder(place.path);
    case 'file':
    case 'free':
      return faultOfFolder(dirname(place.path));
    case 'descriptor':
      return takesText(place.stats) ? undefined : 'it takes no text';
    case 'special':
      if (place.stats.isSocket()) return 'a socket cannot be opened as a file';
      return canWrite(place.path, constants.W_OK) ? undefined : 'it cannot be written to';
  }
}

/** The folder in which those that are missing are made. */
function faultOfAncestor(path: string): string | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })) return faultOfAncestor(dirname(path));
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? faultOfFolder(path) : `${path} is no folder`;
}

function faultOfSeveral(path: string, place: Place): string | undefined {
  if (place.kind === 'missing-folder') return faultOfAncestor(path);
  if (place.kind === 'free') return faultOfFolder(dirname(place.path));
  return place.kind === 'folder' ? faultOfFolder(place.path) : 'for several results it has to be a folder';
}

/** @throws UsageError when what is asked for cannot be written there */
export function judgeHtml(path: string, isList: boolean): void {
  if (path === '-') {
    if (isList) throw new UsageError(['--html - takes one result; for several name a folder']);
    return;
  }
  let fault: string | undefined;
  try {
    fault = (isList ? faultOfSeveral : faultOfOne)(path, findPlace(path));
  } catch (error) {
    fault = error instanceof Error ? error.message : String(error);
  }
  if (fault !== undefined) throw new UsageError([`--html ${path}: ${fault}`]);
}
