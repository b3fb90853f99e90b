import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFacts } from '../../../../test/support/builders/load-facts.ts';
import type { FileFacts, LoadFacts } from '../../../contract/result/load-facts.ts';
import { toCpuFactors } from './cpu-speed.ts';

type Load = { app: number; other?: number; index?: number | null; files?: Record<string, Partial<FileFacts>> };
const load = ({ app, other = 50, index = 1500, files = {} }: Load): LoadFacts =>
  buildFacts({ 'app.js': { type: 'Script', cpuMs: app }, ...files }, { otherCpuMs: other, benchmarkIndex: index });
/** Five loads whose script takes slightly different times. */
const five = (of: Load): LoadFacts[] => [0, 1, 2, 3, 4].map(more => load({ ...of, app: of.app + more }));

const rounded = (values: readonly number[]) => values.map(value => Math.round(10 * value) / 10);
const factorsOf = (before: readonly LoadFacts[], after: readonly LoadFacts[]) => {
  const { sides } = toCpuFactors({ before, after });
  return rounded([sides.before, sides.after]);
};

test('the side with the faster processor is slowed down, if the benchmark indices agree', () => {
  const slower = five({ app: 202, other: 100, index: 750 });
  assert.deepEqual(factorsOf(five({ app: 100 }), slower), [2, 1]);
  assert.deepEqual(factorsOf(slower, five({ app: 100 })), [1, 2]);
});

test('a side whose work took longer in every part had the slower processor, whatever the indices say', () => {
  assert.deepEqual(factorsOf(five({ app: 100 }), five({ app: 202, other: 90 })), [2, 1]);
  assert.deepEqual(factorsOf(five({ app: 202, other: 90, index: null }), five({ app: 100, index: null })), [1, 2]);
});

test('a script that takes longer alone got more to do', () => {
  assert.deepEqual(factorsOf(five({ app: 100 }), five({ app: 202 })), [1, 1]);
  assert.deepEqual(
    factorsOf(five({ app: 100 }), five({ app: 202, index: 750 })),
    [1, 1],
    'the index says nothing alone',
  );
  assert.deepEqual(
    factorsOf(five({ app: 200, other: 40 }), five({ app: 400, other: 45 })),
    [1, 1],
    'however little else the page does',
  );
  assert.deepEqual(factorsOf(five({ app: 200, other: 40 }), five({ app: 700, other: 100 })), [1, 1], 'nor so much');
  const withVendor = (app: number, vendor: number) =>
    five({ app, other: 0.9 * app, files: { 'vendor.js': { type: 'Script', cpuMs: vendor } } });
  assert.deepEqual(factorsOf(withVendor(100, 45), withVendor(202, 46)), [1, 1]);
  assert.deepEqual(factorsOf(withVendor(100, 45), withVendor(202, 75)), [1.9, 1]);
});

test('if other files changed that give scripts work, only the indices show the processor', () => {
  const more = (file: Partial<FileFacts>) => ({ 'more.file': { bytes: 30_000, resourceBytes: 30_000, ...file } });
  const slower = { app: 202, other: 90 };
  assert.deepEqual(factorsOf(five({ app: 100 }), five({ ...slower, files: more({ type: 'Fetch' }) })), [1, 1]);
  assert.deepEqual(factorsOf(five({ app: 100 }), five({ ...slower, files: more({ type: 'Script' }) })), [1, 1]);
  assert.deepEqual(factorsOf(five({ app: 100 }), five({ ...slower, files: more({ type: 'Image' }) })), [2, 1]);
  const before = five({ app: 100, files: more({ type: 'Script' }) });
  assert.deepEqual(factorsOf(before, five(slower)), [2, 1], 'less input gives no more work');
  const indexed = five({ ...slower, index: 750, files: more({ type: 'Fetch' }) });
  assert.deepEqual(factorsOf(five({ app: 100 }), indexed), [2, 1]);
});

test('a single load on a slow processor gets a factor of its own, and its side does not', () => {
  const before = five({ app: 100 });
  const after = [...five({ app: 100 }).slice(1), load({ app: 153 })];
  const { loads, sides } = toCpuFactors({ before, after });
  assert.deepEqual(rounded(loads.before), [1, 1, 1, 1, 1]);
  assert.deepEqual(rounded(loads.after), [1, 1, 1, 1, 0.7]);
  assert.deepEqual(sides, { before: 1, after: 1 });
});

test('a script that differs by a byte in every load is another one, and one whose size varies is the same', () => {
  const sized = (bytes: (at: number) => number, of: Load) =>
    five(of).map((one, at) => ({
      ...one,
      files: Object.fromEntries(
        Object.entries(one.files).map(([url, file]) => [url, { ...file, resourceBytes: bytes(at) }]),
      ),
    }));
  const slower = { app: 202, other: 100, index: 750 };
  assert.deepEqual(
    factorsOf(
      sized(() => 20_000, { app: 100 }),
      sized(() => 20_001, slower),
    ),
    [1, 1],
  );
  const varying = (at: number) => 20_000 + (at % 3);
  assert.deepEqual(factorsOf(sized(varying, { app: 100 }), sized(varying, slower)), [2, 1]);
});

test('many small scripts may vary, and not most of the work', () => {
  const small = (ms: (at: number) => number) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.js`, { type: 'Script', cpuMs: ms(at) }]));
  const before = five({ app: 20, files: small(() => 20) });
  const after = (odd: number) => five({ app: 40, other: 100, files: small(at => (at < odd ? 20 : 40)) });
  assert.deepEqual(factorsOf(before, after(2)), [1.9, 1]);
  assert.deepEqual(factorsOf(before, after(6)), [1, 1]);
});

test('changed scripts, or little work, reveal nothing about the processor', () => {
  const changed = five({ app: 202, index: 750 }).map(one => ({
    ...one,
    files: Object.fromEntries(
      Object.entries(one.files).map(([url, file]) => [url, { ...file, resourceBytes: file.resourceBytes + 90_000 }]),
    ),
  }));
  assert.deepEqual(factorsOf(five({ app: 100 }), changed), [1, 1]);
  assert.deepEqual(factorsOf(five({ app: 5, other: 10 }), five({ app: 11, other: 20, index: 750 })), [1, 1]);
});

test('without much script, all work reveals the processor, unless a file changed that gives work', () => {
  const [before, slower] = [five({ app: 5 }), { app: 11, other: 110, index: 750 }];
  assert.deepEqual(factorsOf(before, five(slower)), [2.2, 1]);
  assert.deepEqual(factorsOf(before, five({ ...slower, index: 1500 })), [1, 1], 'one part alone may have more to do');
  const more = (type: string) => ({ 'more.file': { type, bytes: 30_000, resourceBytes: 30_000 } });
  assert.deepEqual(factorsOf(before, five({ ...slower, files: more('Image') })), [2.2, 1]);
  for (const type of ['Stylesheet', 'Document', 'Script', 'Fetch'])
    assert.deepEqual(factorsOf(before, five({ ...slower, files: more(type) })), [1, 1], type);
});

test('the work of one load counts up to twice or half that of its side', () => {
  const slower = { other: 150, index: 500 };
  const after = [...five({ ...slower, app: 300 }).slice(1), load({ ...slower, app: 1900 })];
  const { loads } = toCpuFactors({ before: five({ app: 100 }), after });
  assert.deepEqual(rounded(loads.before), [3, 3, 3, 2.9, 2.9]);
  assert.deepEqual(rounded(loads.after), [1, 1, 1, 1, 0.5]);
});

test('three loads whose script takes twice as long in each keep their own times', () => {
  const three = (app: number) => five({ app }).slice(0, 3);
  const { loads } = toCpuFactors({ before: three(100), after: three(202) });
  assert.deepEqual(loads, { before: [1, 1, 1], after: [1, 1, 1] });
});
