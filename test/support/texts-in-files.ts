/** Searches everything in a folder for texts that must not be there. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

async function* filesIn(path: string): AsyncGenerator<string> {
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    const file = join(path, entry.name);
    if (entry.isDirectory()) yield* filesIn(file);
    else if (entry.isFile()) yield file;
  }
}

/** Undoes the compression of stored files. */
export function unpack(bytes: Buffer): Buffer {
  try {
    if (bytes.readUInt16BE(0) === 0x1f8b) return gunzipSync(bytes);
    if (bytes.readUInt32LE(0) === 0xfd2fb528) return zstdDecompressSync(bytes);
  } catch {
    // It is not a whole compressed file.
  }
  return bytes;
}

export async function findTextsInFiles(path: string, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const file of filesIn(path)) {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    if (bytes.length <= 4) continue;
    const content = unpack(bytes);
    found.push(...texts.filter(text => content.includes(text)).map(text => `${text} in ${file}`));
  }
  return found;
}
