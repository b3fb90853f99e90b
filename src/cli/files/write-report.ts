/** Writes one report: a file whole or not at all; a pipe or a device as it is. */
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, constants, openSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { hasReaderLeft } from '../surroundings.ts';
import { type Destination, findDestination } from './report-destination.ts';

export type WriteOptions = {
  /** Ends the wait for a reader. */
  readonly signal: AbortSignal;
  /** Streams that are already open, by the numbers of their descriptors. */
  readonly streams: ReadonlyMap<number, (text: string) => Promise<void>>;
};

/** Between two looks whether a named pipe has a reader. */
const readerWaitMs = 100;

/** @param mode of the file that was there */
function writeWhole(path: string, text: string, mode: number | undefined): void {
  const beside = join(dirname(path), `.${randomBytes(6).toString('hex')}.html.part`);
  try {
    writeFileSync(beside, text, { flag: 'wx', mode: mode ?? 0o666 });
    // The mask of the process took from it.
    if (mode !== undefined) chmodSync(beside, mode);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** Waits for its reader without the open that would do so: no signal could end that one, nor the process. */
async function openPipe(path: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    await setTimeout(readerWaitMs, undefined, { signal });
  }
}

/** As fast as the reader takes it; a reader that closes the pipe is no error. Closes it. */
async function send(descriptor: number, text: string): Promise<void> {
  const socket = new Socket({ fd: descriptor, readable: false, writable: true });
  socket.end(text);
  await finished(socket).catch(error => {
    if (!hasReaderLeft(error)) throw error;
  });
}

const isFlow = (stats: Stats): boolean => stats.isFIFO() || stats.isSocket();

async function writeSpecial(
  { path, stats }: Extract<Destination, { kind: 'special' }>,
  text: string,
  signal: AbortSignal,
) {
  if (isFlow(stats)) return send(await openPipe(path, signal), text);
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** @throws what the file system says, and the abort of a wait */
export async function writeReport(path: string, text: string, { signal, streams }: WriteOptions): Promise<void> {
  const destination = findDestination(path);
  switch (destination.kind) {
    case 'file':
      return writeWhole(destination.path, text, destination.mode);
    case 'free':
      return writeWhole(destination.path, text, undefined);
    case 'special':
      return writeSpecial(destination, text, signal);
    case 'descriptor': {
      const write = streams.get(destination.number);
      if (write) return write(text);
      return isFlow(destination.stats) ? send(destination.number, text) : writeFileSync(destination.number, text);
    }
    case 'folder':
      throw new Error(`${path} is a folder`);
    case 'missing-folder':
      throw new Error(`there is no folder ${destination.folder}`);
  }
}
