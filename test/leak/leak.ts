/**
 * `npm run leak` runs waves of faults, deadlines, kills and disconnects on a service in a separate process; nothing may
 * be left after each. `npm run leak -- --waves 50` is a long run; `--kills 20` also kills browser, worker and service
 * 20 times each. The exit code is 1 if something has leaked.
 */
import { parseArgs } from 'node:util';
import { startFaultSite } from '../faults/fault-site.ts';
import { runKills } from './kill-rounds.ts';
import { runScript } from './run-script.ts';
import { startServiceProcess } from './service-process.ts';
import { findLeaks, manyFaults, takeWave, type Wave } from './waves.ts';

const { values } = parseArgs({
  options: { waves: { type: 'string', default: '3' }, kills: { type: 'string', default: '0' } },
});
const warmUps = 2;
const wanted = Math.max(1, Number.parseInt(values.waves, 10) || 1);
const kills = Number.parseInt(values.kills, 10) || 0;

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
const toRow = (name: string, wave: Wave) =>
  [
    name,
    wave.processes,
    wave.workers,
    wave.folders,
    wave.openFiles,
    Object.values(wave.resources).reduce((sum, count) => sum + count, 0),
    wave.resources.Timeout ?? 0,
    megabytes(wave.heapBytes),
    megabytes(wave.residentBytes),
    wave.seconds.toFixed(1),
  ]
    .map(value => String(value).padStart(10))
    .join('');

await runScript(async scope => {
  const site = await startFaultSite(scope);
  const service = await startServiceProcess(scope, { LIGHTHOUSE_TIMEOUT: '25' });
  console.log(
    ['wave', 'processes', 'workers', 'folders', 'files', 'handles', 'timers', 'heap MB', 'RSS MB', 'seconds']
      .map(name => name.padStart(10))
      .join(''),
  );
  const waves: Wave[] = [];
  for (let number = 1; number <= warmUps + wanted; number += 1) {
    const wave = await takeWave(service, { site, faults: manyFaults });
    waves.push(wave);
    console.log(toRow(number <= warmUps ? `warm-up ${number}` : String(number - warmUps), wave));
  }
  const [baseline] = waves.slice(warmUps - 1);
  const leaks = baseline ? findLeaks(baseline, waves.slice(warmUps)) : [];
  const errors = service.errors().trim();
  if (errors) leaks.push(`on its standard error: ${errors}`);
  if (kills > 0) leaks.push(...(await runKills(scope, site, kills)));
  console.log(leaks.length === 0 ? 'Nothing leaked.' : leaks.join('\n'));
  return leaks.length === 0 ? 0 : 1;
});
