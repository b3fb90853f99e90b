import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const createId = (): string => randomBytes(8).toString('hex');

const read = (path: string): string | undefined => {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return /^[0-9a-f]{16}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Returns an id that distinguishes this machine in stored data. It is stored in the data folder; if that cannot be
 * written, each start has a new id. If two processes start at the same time, both use the id that was written first.
 */
export function readMachineId(dataDir: string | undefined): string {
  if (dataDir === undefined) return createId();
  const path = join(dataDir, 'machine-id');
  const known = read(path);
  if (known) return known;
  const id = createId();
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, `${id}\n`, { flag: 'wx', mode: 0o600 });
    return id;
  } catch {
    return read(path) ?? id;
  }
}

/**
 * Returns an id that all processes and containers of a machine share until it restarts, and that reveals nothing else
 * about the machine; undefined if the system has none.
 */
export function readBootId(path = '/proc/sys/kernel/random/boot_id'): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? undefined : createHash('sha256').update(`rangelight ${text}`).digest('hex').slice(0, 16);
  } catch {
    return undefined;
  }
}
