import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFacts, pageUrl } from '../../../../test/support/builders/load-facts.ts';
import { toAbsolute, toRelative } from './page-relative.ts';
import { toSharedConditions } from './shared-conditions.ts';

const moveTo = (origin: string) => {
  const { files, latencyMs, ...rest } = buildFacts();
  const move = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [name.replace('https://example.com', origin), value]),
    );
  return { ...rest, files: move(files), latencyMs: move(latencyMs) };
};

test('the files of a page have the same names at every URL', () => {
  const preview = moveTo('https://preview-2.example.net:8443');
  assert.deepEqual(toRelative(preview, 'https://preview-2.example.net:8443/?x=1'), toRelative(buildFacts(), pageUrl));
});

test('files of other hosts keep their URLs', () => {
  const facts = {
    ...buildFacts(),
    files: { 'https://ads.example/tag.js': buildFacts().files[`${pageUrl}app.js`] as never },
  };
  assert.deepEqual(Object.keys(toRelative(facts, pageUrl).files), ['https://ads.example/tag.js']);
});

test('conditions get the URL of the load back', () => {
  const facts = [toRelative(buildFacts(), pageUrl)];
  const { before } = toSharedConditions({ before: facts, after: facts });
  const { scenarios, latencyMs } = toAbsolute(before, pageUrl);
  assert.deepEqual(Object.keys(scenarios[0] ?? {}), Object.keys(buildFacts().files));
  assert.deepEqual(latencyMs, buildFacts().latencyMs);
});
