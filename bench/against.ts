/**
 * `npm run bench:against -- COMMIT` measures the working tree and an earlier commit alternately: start time, idle
 * memory, and one audit. Both use the packages installed here. It takes about seven minutes.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startSite } from '../demo/site.ts';
import { all, ask } from './figures/local-audit.ts';
import { measureStart, type Start } from './figures/start.ts';
import { measurePairs, type Paired, type Spread, timeMs, toSpread } from './measure.ts';
import { startServiceProcess } from './processes.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '15' } },
});
const [commit = 'HEAD'] = positionals;
const pairs = Number(values.pairs);
const project = fileURLToPath(new URL('..', import.meta.url));

const parent = mkdtempSync(join(tmpdir(), 'rangelight-against-'));
// Under root, the worker of a service runs as another user, who must be able to read the code.
chmodSync(parent, 0o755);
const folder = join(parent, 'earlier');
const git = (...words: string[]) =>
  execFileSync('git', ['-C', project, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });

const startOurs = () => startServiceProcess();
const startTheirs = () => startServiceProcess({}, { folder });

const say = ({ median, min, max }: Spread): string => `${median} (${min}–${max})`;
const print = (what: string, { ours, theirs, ratio }: Paired): void =>
  console.log(`| ${what} | ${say(theirs)} | ${say(ours)} | ${say(ratio)} |`);

async function compareStarts(): Promise<void> {
  const found: { ours: Start; theirs: Start }[] = [];
  await measureStart(startOurs);
  await measureStart(startTheirs);
  for (let pair = 0; pair < pairs; pair += 1) {
    const first = pair % 2 === 0 ? await measureStart(startOurs) : undefined;
    const theirs = await measureStart(startTheirs);
    found.push({ ours: first ?? (await measureStart(startOurs)), theirs });
    console.error(`  start ${pair + 1}/${pairs}`);
  }
  for (const [name, what] of [
    ['listening', 'until it listens, ms'],
    ['ready', 'until its browser has been tried, ms'],
    ['idle', 'memory at rest, MB'],
  ] as const)
    print(what, {
      ours: toSpread(found.map(({ ours }) => ours[name])),
      theirs: toSpread(found.map(({ theirs }) => theirs[name])),
      ratio: toSpread(found.map(({ ours, theirs }) => ours[name] / theirs[name])),
    });
}

async function compareAudits(): Promise<void> {
  const site = await startSite();
  const [ours, theirs] = [await startOurs(), await startTheirs()];
  try {
    const audit = (service: { url: string }) => ask(service.url, `${site.url}/good.html`, all);
    await audit(ours);
    await audit(theirs);
    print(
      'one audit, ms',
      await measurePairs(
        pairs,
        () => timeMs(() => audit(ours)),
        () => timeMs(() => audit(theirs)),
        pair => console.error(`  audit ${pair}/${pairs}`),
      ),
    );
  } finally {
    await Promise.all([ours.stop(), theirs.stop()]);
    await site.close();
  }
}

try {
  git('worktree', 'add', '--quiet', '--detach', folder, commit);
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  console.log(`${pairs} pairs: median (least–most)\n\n| | ${commit} | now | ratio |\n|---|---|---|---|`);
  await compareStarts();
  await compareAudits();
} finally {
  git('worktree', 'remove', '--force', folder);
  rmSync(parent, { recursive: true, force: true });
}
