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
 * What tells this machine from others in what is kept: it stays as long as the data folder. Where it cannot be written
 * it is new with each start. Of two processes that begin at once, both have what the first one wrote.
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
 * The same for every process and every container of one machine until it starts again, and nothing else can be told by
 * it; undefined if the system has no such number.
 */
export function readBootId(path = '/proc/sys/kernel/random/boot_id'): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? undefined : createHash('sha256').update(`rangelight ${text}`).digest('hex').slice(0, 16);
  } catch {
    return undefined;
  }
}
