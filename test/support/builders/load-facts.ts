import type { FileFacts, LoadFacts } from '../../../src/contract/result/load-facts.ts';

export const pageUrl = 'https://example.com/';

export const buildFile = (given: Partial<FileFacts> = {}): FileFacts => ({
  type: 'Image',
  requests: 1,
  bytes: 20_000,
  resourceBytes: 20_000,
  priority: 'Low',
  place: 'largest',
  cpuMs: 0,
  ...given,
});

/** A load of a document, a script and an image. */
export const buildFacts = (
  files: Readonly<Record<string, Partial<FileFacts>>> = {},
  given: Partial<Omit<LoadFacts, 'files'>> = {},
): LoadFacts => ({
  files: {
    [pageUrl]: buildFile({ type: 'Document', priority: 'VeryHigh', place: 'first' }),
    [`${pageUrl}app.js`]: buildFile({ type: 'Script', priority: 'High', place: 'first', cpuMs: 100 }),
    [`${pageUrl}hero.png`]: buildFile(),
    ...Object.fromEntries(Object.entries(files).map(([name, file]) => [`${pageUrl}${name}`, buildFile(file)])),
  },
  otherCpuMs: 50,
  benchmarkIndex: 1500,
  observedSpeedIndex: 800,
  isSimulated: true,
  latencyMs: { 'https://example.com': 30 },
  ...given,
});
