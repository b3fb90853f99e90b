/** `output.results`: every result of this run as JSON, for `baseline.file` of a later run. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Result } from '../../../contract/result/result.ts';
import { type Asking, ask } from '../../ask-json.ts';
import { maskTexts } from '../mask.ts';
import type { Row } from './report.ts';

/** @throws CommandFailure */
export async function writeResults(
  path: string,
  rows: readonly Row[],
  { asking, mask }: { asking: Asking; mask: (text: string) => string },
): Promise<void> {
  const results: Result[] = [];
  for (const { id } of rows) {
    if (id === undefined) continue;
    // The displayed run contains its requests, for naming the changed files.
    const shown = (await ask(`results/${encodeURIComponent(id)}?detailed=true`, asking)) as Result;
    results.push(shown);
    for (const other of shown.runs?.ids ?? [])
      if (other !== id) results.push((await ask(`results/${encodeURIComponent(other)}`, asking)) as Result);
  }
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(maskTexts(results, mask)));
}
