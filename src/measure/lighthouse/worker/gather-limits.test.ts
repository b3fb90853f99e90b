import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initializeConfig } from 'lighthouse/core/config/config.js';
import { LighthouseError } from 'lighthouse/core/lib/lh-error.js';
import { type GatherBudget, limitGatherers, startBudget, toLimit } from './gather-limits.ts';

const idle: GatherBudget = {
  totalMs: 120_000,
  pausedMs: () => 0,
  onArtifact: () => {},
  onUnfinished: async () => {},
};
/** No gatherer of these tests reaches a page. */
const context = {} as never;

const readGatherers = async () => (await initializeConfig('navigation', undefined, {})).resolvedConfig.artifacts ?? [];

await limitGatherers();

test('a gatherer may use two thirds of the time that is left, after a reserve for the result', () => {
  assert.equal(toLimit({ totalMs: 120_000, spentMs: 10_000, hasFailed: false }), 60_000);
  assert.equal(toLimit({ totalMs: 30_000, spentMs: 9_000, hasFailed: false }), 10_000);
});

test('after one has failed, the others have less time, but never none', () => {
  assert.equal(toLimit({ totalMs: 120_000, spentMs: 10_000, hasFailed: true }), 10_000);
  assert.equal(toLimit({ totalMs: 120_000, spentMs: 94_000, hasFailed: true }), 4_000);
  assert.equal(toLimit({ totalMs: 120_000, spentMs: 119_000, hasFailed: false }), 1_000);
});

test('every gatherer of Lighthouse that gathers an artifact is limited', async () => {
  const gatherers = await readGatherers();
  assert.ok(gatherers.length > 20);
  for (const { id, gatherer } of gatherers) assert.equal(gatherer.instance.getArtifact.name, 'limited', id);
});

test('an artifact has the name of its gatherer, by which the worker knows it', async () => {
  const named: string[] = [];
  const end = startBudget({ ...idle, onArtifact: name => void named.push(name) });
  for (const { id, gatherer } of await readGatherers()) {
    if (!['Accessibility', 'AnchorElements', 'FullPageScreenshot', 'BFCacheFailures'].includes(id)) continue;
    // Without a page, it fails at once.
    await Promise.resolve(gatherer.instance.getArtifact(context)).catch(() => {});
    assert.equal(named.at(-1), id);
  }
  end();
});

test('an artifact that takes too long is unfinished, and does not fail any other', async () => {
  const doctype = (await readGatherers()).find(({ id }) => id === 'Doctype');
  assert.ok(doctype);
  const never = new Promise<never>(() => {});
  const hanging = { driver: { executionContext: { evaluate: () => never } } } as never;
  const unfinished: string[] = [];
  const end = startBudget({ ...idle, totalMs: 1, onUnfinished: async name => void unfinished.push(name) });
  const gathering = Promise.resolve(doctype.gatherer.instance.getArtifact(hanging));
  await assert.rejects(gathering, error => error instanceof LighthouseError && error.code === 'PROTOCOL_TIMEOUT');
  end();
  assert.deepEqual(unfinished, ['Doctype']);
});
