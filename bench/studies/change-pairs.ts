/**
 * `node bench/studies/change-pairs.ts --seconds 150` pairs the blocks recorded by change-loads.ts, simulates the loads
 * of each pair under shared conditions, and appends the verdict's input as a line of `pairs.ndjson`. It continues where
 * the last call ended.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { loadArtifacts } from 'lighthouse/core/lib/asset-saver.js';
import { simulateScenarios, toAlikeSettings } from '../../src/analysis/stored/simulate-alike.ts';
import type { LoadFacts } from '../../src/contract/result/load-facts.ts';
import { toSharedConditions } from '../../src/explain/change/shared-conditions/shared-conditions.ts';
import { auditAgain, readFacts } from '../../src/measure/lighthouse/worker/re-audit.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import type { ResultStore } from '../../src/storage/results/store.ts';
import { tableKinds, unchanged } from './change/kinds.ts';
import type { PairedEntry, PairedLoad, RecordedLoad, RecordedPair } from './change/recorded.ts';
import { openLines } from './lines.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '150' },
    folder: { type: 'string', default: '/tmp/change-loads' },
    filter: { type: 'string', default: '' },
  },
});
const endMs = Date.now() + 1000 * Number(values.seconds);

const loads = openLines<RecordedLoad>(join(values.folder, 'loads.ndjson')).all;
const facts = openLines<{ id: string; facts: LoadFacts; entry: PairedEntry }>(join(values.folder, 'facts.ndjson'));
const pairs = openLines<RecordedPair>(join(values.folder, 'pairs.ndjson'));
const store: ResultStore = await openResultStore({ dataDir: join(values.folder, 'data') } as never);

function unpack(id: string) {
  const folder = mkdtempSync(join(tmpdir(), 'change-pair-'));
  for (const [from, to] of Object.entries({ trace: 'trace', network_log: 'devtoolslog', gathered: 'artifacts' })) {
    const base = join(values.folder, 'data', 'artifacts', id, `${from}.json`);
    let bytes: Buffer;
    try {
      bytes = gunzipSync(readFileSync(`${base}.gz`));
    } catch {
      bytes = readFileSync(base);
    }
    writeFileSync(join(folder, `${to}.json`), bytes);
  }
  try {
    return loadArtifacts(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function factsOf(id: string) {
  const found = facts.all.find(line => line.id === id);
  if (found) return found;
  const entry = await store.get(id);
  const line = {
    id,
    facts: await readFacts(unpack(id)),
    entry: { scores: entry?.scores ?? {}, metrics: entry?.metrics ?? {} } as PairedEntry,
  };
  facts.add(line);
  return line;
}

const blocks = Map.groupBy(loads, ({ block }) => block);
const whole = [...blocks].filter(([, of]) => of.length >= 5);
const wanted = whole.flatMap(([after, [first]]) => {
  const { page, kind, cpuShare, isBusy } = first as RecordedLoad;
  const isUnchanged = kind === unchanged.name;
  const found = whole
    .filter(([before, [load]]) => {
      if (!load || load.page !== page || load.kind !== unchanged.name || before === after) return false;
      // Busy blocks are compared with each other, and only one side has a CPU limit.
      if (Boolean(load.isBusy) !== Boolean(isBusy) || (load.cpuShare !== null && (cpuShare !== null || isUnchanged)))
        return false;
      // The earlier of two unchanged blocks is `before`.
      return !isUnchanged || cpuShare !== null || load.time < (first as RecordedLoad).time;
    })
    .map(([before, [load]]) => ({ before, limit: load?.cpuShare ?? null }));
  const [limited, quiet] = [found.filter(({ limit }) => limit !== null), found.filter(({ limit }) => limit === null)];
  // Two processors of different speed are compared with the kinds of the table alone.
  const slow = tableKinds.some(({ name }) => name === kind) ? limited : [];
  const chosen = isUnchanged ? quiet.slice(0, 9) : [...quiet.slice(0, 1), ...slow];
  return chosen.map(({ before, limit }, turn) => {
    const limits = [cpuShare === null ? [] : `${cpuShare} CPU`, limit === null ? [] : `before ${limit} CPU`];
    const conditions = [isBusy ? 'busy' : [], ...limits].flat();
    return { pair: { page, kind: [kind, ...conditions].join(', '), before, after }, turn: isUnchanged ? -1 : turn };
  });
});
// Unchanged pairs come first, because they show false alarms. Then each block has one pair before any has two.
const order = wanted.toSorted((a, b) => a.turn - b.turn).map(({ pair }) => pair);
const open = order.filter(
  pair =>
    `${pair.page} ${pair.kind}`.includes(values.filter) &&
    !pairs.all.some(({ before, after }) => before === pair.before && after === pair.after),
);
console.error(`${open.length} pairs are missing of ${wanted.length}`);

for (const pair of open) {
  if (Date.now() > endMs) break;
  const idsOf = (block: string) => (blocks.get(block) ?? []).slice(0, 5).map(({ id }) => id);
  const sides = { before: idsOf(pair.before), after: idsOf(pair.after) };
  const known = { before: [] as PairedLoad[], after: [] as PairedLoad[] };
  const factsBySide = { before: [] as LoadFacts[], after: [] as LoadFacts[] };
  for (const side of ['before', 'after'] as const)
    for (const id of sides[side]) factsBySide[side].push((await factsOf(id)).facts);
  const conditions = toSharedConditions(factsBySide);
  for (const side of ['before', 'after'] as const)
    for (const [at, id] of sides[side].entries()) {
      const { entry, facts: of } = await factsOf(id);
      const settings = toAlikeSettings(conditions[side], at);
      const audited = (await simulateScenarios(settings, distinct => auditAgain(unpack(id), distinct))) ?? {};
      known[side].push({ entry, audited, facts: of, cpuFactor: conditions[side].cpuFactors[at] ?? 1 });
    }
  pairs.add({ ...pair, loads: known });
}
await store.close();
process.exit(0);
