import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { collect } from '../../../test/support/collect.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { packJson, toPackedJson } from '../../measure/lhr/packed-json.ts';
import { ClientDisconnected } from '../server/client-signal.ts';
import { createHolders, type HeldParts } from './held-parts.ts';
import { type JsonParts, toParts, toWhole } from './json-parts.ts';

const toResult = async (name: string, bytes = 10_000): Promise<JsonParts> => {
  const full = toPackedJson(await packJson(toJson(randomBytes(bytes).toString('hex'))));
  return toParts({ name: [toJson(name)], full: [full], after: [toJson('x'.repeat(2000))] });
};

const readHeld = async (held: HeldParts) => toWhole((await collect(held())) as unknown as JsonParts);

function create(t: TestContext, maxBytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'held-parts-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const holders = createHolders({ maxBytes, folder });
  const open = () => {
    const holder = holders.open();
    t.after(() => holder.close());
    return holder;
  };
  return { ...holders, open, files: () => readdirSync(folder) };
}

for (const [where, maxBytes] of [
  ['in memory', 1_000_000],
  ['in a file', 0],
  ['in both', 15_000],
] as const)
  test(`parts held ${where} are read unchanged, in any order and more than once`, async t => {
    const { open, files, bytesInMemory } = create(t, maxBytes);
    const holder = open();
    const results = await Promise.all(['a', 'b', 'c'].map(name => toResult(name)));
    const held = await Promise.all(results.map(parts => holder.hold(parts)));
    for (const index of [2, 0, 1, 0]) {
      const [was, is] = [results[index], held[index]];
      assert.ok(was && is && (await toWhole(was)).equals(await readHeld(is)), String(index));
    }
    assert.ok(bytesInMemory() <= maxBytes, `${bytesInMemory()} bytes`);
    assert.deepEqual(files(), [], 'a file has no name');
    await holder.close();
    assert.equal(bytesInMemory(), 0);
  });

test('the limit applies to all holders together, and a closed holder frees its bytes', async t => {
  const { open, bytesInMemory } = create(t, 12_000);
  const [one, other] = [open(), open()];
  const [first, second] = [await toResult('one'), await toResult('other')];
  await one.hold(first);
  const held = bytesInMemory();
  assert.ok(held > 10_000);
  const inFile = await other.hold(second);
  assert.ok(bytesInMemory() <= 12_000);
  await one.close();
  await other.hold(second);
  assert.ok(bytesInMemory() > 10_000);
  assert.ok((await toWhole(second)).equals(await readHeld(inFile)));
});

test('a closed holder accepts and stores nothing, and can be closed again', async t => {
  const { open, bytesInMemory } = create(t, 1_000_000);
  const holder = open();
  await holder.close();
  await assert.rejects(holder.hold(await toResult('a')), ClientDisconnected);
  await holder.close();
  assert.equal(bytesInMemory(), 0);
});

test('a holder that is closed during a write stops and leaves no file behind', async t => {
  const { open, files } = create(t, 0);
  const holder = open();
  const parts = await toResult('a', 1_000_000);
  const holding = Promise.allSettled([1, 2, 3].map(() => holder.hold(parts)));
  await holder.close();
  await holding;
  assert.deepEqual(files(), []);
});

test('parts that need a file fail if no file can be written', async () => {
  const holders = createHolders({ maxBytes: 0, folder: '/nowhere/at/all' });
  const holder = holders.open();
  await assert.rejects(holder.hold(await toResult('a')), { code: 'ENOENT' });
  await holder.close();
});
