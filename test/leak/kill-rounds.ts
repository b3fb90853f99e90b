import type { FaultSite } from '../faults/fault-site.ts';
import type { Scope } from '../support/start-service.ts';
import { victims } from './audits.ts';
import { type Kill, killService, killWithinService } from './kills.ts';
import { startServiceProcess } from './service-process.ts';

const most = (values: readonly (number | undefined)[]): string => {
  const known = values.filter(value => value !== undefined);
  return known.length === 0 ? '' : Math.max(...known).toFixed(2);
};

const toRow = (kills: readonly Kill[]): string => {
  const codes = [...new Set(kills.map(({ code }) => code ?? '(nobody to ask)'))].join(', ');
  const left = kills.filter(({ goneSeconds }) => goneSeconds === undefined).length;
  const next = kills.filter(({ nextAudit }) => nextAudit === 200).length;
  return [
    `${kills[0]?.victim} ×${kills.length}`.padEnd(14),
    `told ${codes} within ${most(kills.map(({ answeredSeconds }) => answeredSeconds)) || '-'} s;`,
    `all gone within ${most(kills.map(({ goneSeconds }) => goneSeconds))} s, ${left} times not within 10 s;`,
    `next audit worked ${next} times`,
  ].join(' ');
};

/** Kills browser, worker and service `times` times each and prints the results. @returns what was wrong */
export async function runKills(scope: Scope, site: FaultSite, times: number): Promise<string[]> {
  const wrong: string[] = [];
  const report = (kills: readonly Kill[]) => {
    console.log(toRow(kills));
    for (const { victim, goneSeconds, nextAudit } of kills) {
      if (goneSeconds === undefined) wrong.push(`${victim}: something was left after 10 s`);
      if (nextAudit !== 200) wrong.push(`${victim}: the next audit answered ${nextAudit}`);
    }
  };
  const service = await startServiceProcess(scope);
  for (const victim of victims) {
    const kills: Kill[] = [];
    for (let time = 0; time < times; time += 1) kills.push(await killWithinService(service, site, victim));
    report(kills);
  }
  const kills: (Kill & { foldersAfterStart: number })[] = [];
  for (let time = 0; time < times; time += 1) kills.push(await killService(scope, site));
  report(kills);
  const unswept = kills.filter(({ foldersAfterStart }) => foldersAfterStart > 0).length;
  if (unswept > 0) wrong.push(`service: the next start left folders of the last one ${unswept} times`);
  return wrong;
}
