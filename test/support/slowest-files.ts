/** A reporter that prints the files whose tests took longest, after the report of the run. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const mostFiles = 15;

// biome-ignore lint/style/noDefaultExport: Node reads a reporter from the default export
export default async function* slowestFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const durations = new Map<string, number>();
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 0 || data.file === undefined) continue;
    const file = relative('.', data.file);
    durations.set(file, (durations.get(file) ?? 0) + data.details.duration_ms);
  }
  const slowest = [...durations].toSorted((a, b) => b[1] - a[1]).slice(0, mostFiles);
  yield `\nSlowest files, in seconds:\n${slowest.map(([file, ms]) => `${(ms / 1000).toFixed(0).padStart(5)}  ${file}`).join('\n')}\n`;
}
