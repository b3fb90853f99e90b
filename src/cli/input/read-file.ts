/** Reads a file that the user named. */
import { readFileSync, statSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

const maxBytes = 1_000_000;

/** @throws UsageError */
export function readNamedFile(path: string): string {
  try {
    if (statSync(path).size > maxBytes) throw new UsageError([`${path} has more than ${maxBytes / 1e6} MB`]);
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError([
      code === 'ENOENT'
        ? `${path} does not exist`
        : `${path} cannot be read: ${code === 'EISDIR' ? 'it is a folder' : message}`,
    ]);
  }
}
