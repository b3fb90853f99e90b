/**
 * `npm run bench:limited -- --runs 5 --share 0.5 --file limited.ndjson` prints the verdicts of `/compare` under a real
 * CPU limit. Two services on this machine audit each page; either the remote or the local one is in a control group
 * with a share of one CPU. An interrupted study continues.
 */
import { parseArgs } from 'node:util';
import type { Comparison } from '../../src/contract/analysis/comparison.ts';
import { withQuery } from '../../test/support/asking/ask.ts';
import { percentile } from '../measure.ts';
import { startServiceProcess } from '../processes.ts';
import { statedIn } from './blind-pairs.ts';
import { createControlGroup } from './control-group.ts';
import { openLines } from './lines.ts';
import { startCalibrationPages, startStudyPages } from './study-pages.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    share: { type: 'string', default: '0.5' },
    file: { type: 'string', default: 'limited.ndjson' },
  },
});
const [runs, share] = [Number(values.runs), Number(values.share)];

const sides = ['remote', 'local'] as const;
type SideName = (typeof sides)[number];
type Line = { page: string; limited: SideName; points: number; verdict: string; stated: readonly string[] };

/** Right: the verdict names the limit, or says that the difference is within noise, and states nothing else. */
const isRight = ({ verdict, stated }: Line): boolean =>
  stated.length === 0 &&
  /possibly by the speed of the machines|both sides score|within normal run-to-run|run noise|simulation/i.test(
    verdict,
  ) &&
  !/did not load|no known cause|server|disturbed/.test(verdict);

async function compare(service: { url: string }, page: string, url: string, limited: SideName): Promise<Line> {
  const target = withQuery('/compare', { url, profile: 'psi', categories: 'performance' });
  const response = await fetch(service.url + target, { headers: { 'cache-control': 'no-cache' } });
  const { comparison } = (await response.json()) as { comparison?: Comparison | null };
  if (!comparison) throw new Error(`${response.status}: nothing was compared`);
  const points = comparison.scores.performance?.difference ?? Number.NaN;
  // The CPU limit is planted, so a statement about the machine is not false.
  const stated = statedIn(comparison).filter(cause => !cause.startsWith('machine'));
  return { page, limited, points, verdict: comparison.explanation, stated };
}

const limit = createControlGroup({ cpu: share });
const settings = { TARGETS: 'any', LIGHTHOUSE_TIMEOUT: '180' };
const under = { prefix: limit.prefix };
const toRemote = ({ url }: { url: string }) => ({ PSI_ENDPOINT: `${url}/pagespeedonline/v5/runPagespeed` });
const remotes = {
  remote: await startServiceProcess(settings, under),
  local: await startServiceProcess(settings),
};
const services = {
  remote: await startServiceProcess({ ...settings, ...toRemote(remotes.remote) }),
  local: await startServiceProcess({ ...settings, ...toRemote(remotes.local) }, under),
};
const sites = [await startCalibrationPages(), await startStudyPages()];
const pages = sites.flatMap(site => site.pages);
const lines = openLines<Line>(values.file);
const of = (page: string, limited: SideName) =>
  lines.all.filter(line => line.page === page && line.limited === limited);
try {
  for (let run = 0; run < runs; run += 1)
    for (const { name, url } of pages)
      for (const limited of sides) {
        if (of(name, limited).length > run) continue;
        const line = await compare(services[limited], name, url, limited);
        lines.add(line);
        console.error(`  ${run + 1} of ${runs}: ${name}, ${limited} limited: ${line.verdict}`);
      }
  console.log(`\n${share} of a processor for one side, ${runs} comparisons of each\n`);
  console.log('| page | limited | points apart: median (lowest to highest) | right |\n|---|---|---|---|');
  for (const { name } of pages)
    for (const limited of sides) {
      const all = of(name, limited);
      const [low, median, high] = [0, 0.5, 1].map(at =>
        percentile(
          all.map(({ points }) => points),
          at,
        ),
      );
      console.log(
        `| ${name} | ${limited} | ${median} (${low} to ${high}) | ${all.filter(isRight).length} of ${all.length} |`,
      );
    }
  const wrong = lines.all.filter(line => !isRight(line));
  console.log(`\n${lines.all.length - wrong.length} of ${lines.all.length} right`);
  for (const { page, limited, verdict } of wrong) console.log(`- ${page}, ${limited} limited: ${verdict}`);
} finally {
  for (const service of [...Object.values(services), ...Object.values(remotes)]) await service.stop();
  limit.close();
  for (const site of sites) await site.close();
}
