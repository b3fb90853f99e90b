/** Writes one report: a file completely or not at all; a pipe or a device directly. */
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, constants, openSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { hasReaderLeft } from '../command-context.ts';
import { type Destination, findDestination } from './report-destination.ts';

export type WriteOptions = {
  /** Ends the wait for a reader. */
  readonly signal: AbortSignal;
  readonly streams: ReadonlyMap<number, (text: string) => Promise<void>>;
};

/** Interval between checks whether a named pipe has a reader. */
const readerWaitMs = 100;

/** @param mode mode of the existing file */
function writeWhole(path: string, text: string, mode: number | undefined): void {
  const beside = join(dirname(path), `.${randomBytes(6).toString('hex')}.html.part`);
  try {
    writeFileSync(beside, text, { flag: 'wx', mode: mode ?? 0o666 });
    // The umask of the process has removed permissions, so they are set again.
    if (mode !== undefined) chmodSync(beside, mode);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** Waits for a reader without a blocking open, which no signal could interrupt. */
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

/** Writes as fast as the reader reads, then closes the descriptor. A reader that closes the pipe is not an error. */
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

/** @throws the error of the file system, and the abort of a wait */
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
