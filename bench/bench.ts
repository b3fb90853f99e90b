/**
 * `npm run bench`: the numbers the project promises, measured in one run as ratios.
 * `npm run bench -- --save` also writes them to bench/results.json with where they come from.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { startSite } from '../demo/site.ts';
import { compareCachedPsi } from './cached-psi.ts';
import { measureHealthUnderLoad } from './health-under-load.ts';
import { compareWithCommand } from './local-audit.ts';
import type { Spread } from './measure.ts';
import { measureReAudits } from './re-audits.ts';

const withSpread = ({ median, min, max }: Spread) => `${median} (${min} to ${max})`;
const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED');

const toCachedLines = (name: string, { bytes, ours, theirs, ratio }: Awaited<ReturnType<typeof compareCachedPsi>>) =>
  `  ${name.padEnd(18)}${bytes} bytes: service/s ${withSpread(ours)}, bare/s ${withSpread(theirs)}
  ratio             ${withSpread(ratio)}   at least 0.5: ${verdict(ratio.median >= 0.5)}`;

const site = await startSite();
const page = `${site.url}/good.html`;

console.error('Local audits …');
const audit = await compareWithCommand(page, 7);
console.error('Cached answers …');
const cachedSmall = await compareCachedPsi(page, 'mobile', 5);
const cachedTypical = await compareCachedPsi(`${site.url}/faulty.html`, 'mobile', 5);
const cachedBoth = await compareCachedPsi(`${site.url}/faulty.html`, 'both', 5);
console.error('Health under two audits …');
const health = await measureHealthUnderLoad(page, 10);
console.error('Re-audits …');
const reAudits = await measureReAudits(`${site.url}/faulty.html`, 5);
await site.close();

console.log(`
/lighthouse against the lighthouse command, median of 7, in turn
  service ms        ${withSpread(audit.ours)}
  command ms        ${withSpread(audit.theirs)}
  ratio             ${withSpread(audit.ratio)}   at most 0.60: ${verdict(audit.ratio.median <= 0.6)}

GET /psi from the cache against a bare Fastify route with the same bytes, median of 5, in turn
${toCachedLines('no faults, mobile', cachedSmall)}
${toCachedLines('faults, mobile', cachedTypical)}
${toCachedLines('faults, both', cachedBoth)}

GET /health while two audits run, ${health.requests} requests beside ${health.audits} audits
  ms                p50 ${health.p50.toFixed(1)}, p99 ${health.p99.toFixed(1)}, max ${health.max.toFixed(1)}   p99 under 50 ms: ${verdict(health.p99 < 50)}

Four re-audits of one load together, as many as a comparison makes, median of 5
  usual page ms     ${withSpread(reAudits.usual)}   under 2000 ms: ${verdict(reAudits.usual.median < 2000)}
  30 MB of trace ms ${withSpread(reAudits.heavy)}   under 2000 ms: ${verdict(reAudits.heavy.median < 2000)}
`);

if (process.argv.includes('--save')) {
  const results = {
    measured: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim(),
    machine: { cores: cpus().length, model: cpus()[0]?.model, memoryGB: Math.round(totalmem() / 1e9) },
    node: process.version,
    audit,
    cachedSmall,
    cachedTypical,
    cachedBoth,
    health,
    reAudits,
  };
  writeFileSync(new URL('./results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`);
}
