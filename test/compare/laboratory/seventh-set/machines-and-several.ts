/** Machines, browsers, settings, and several causes at once. */
import { pageBy } from '../fifth-set/expected.ts';
import { type Draft, flip, type PurePlant, setResponse, setThrottling, withFile } from '../pure-plants.ts';
import { addScript, setScripts } from '../second-set/drafts.ts';
import { blockingOf, measure, scoresOf } from './drafts.ts';

const notAPage = /did not load|may have loaded|different page/i;
const falseHere = new RegExp(`${notAPage.source}|explains?|costs?|simulation of`, 'i');
const names = ['1.js', '2.js', '3.js', '4.js'];
const timesOf = (times: readonly number[]) => Object.fromEntries(times.map((ms, at) => [names[at], ms]));
const [far, near] = ['00000000000000a7', '00000000000000b7'];

/** Scripts that ran so long, in ms before the multiplier, and the blocking time of their tasks. */
function work(draft: Draft, times: readonly number[], multiplier = 1.2): void {
  setScripts(draft, timesOf(times), multiplier);
  measure(draft, { tbt: blockingOf(times, multiplier) });
}

export const machinesAndSeveral: readonly PurePlant[] = [
  {
    name: 'no index, and every script four times as long',
    planted: 'remote: tells no index; local: 160 ms for each of four scripts in place of 40; 15 points lower',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 0;
      work(psi, [40, 42, 41, 39]);
      work(lighthouse, [160, 170, 166, 158]);
    },
    environment: { psi: { boot_id: far }, lighthouse: { boot_id: near } },
    first: ['machine', 'disturbed_run', 'unexplained'],
    says: /1[3456] points lower/,
    never: falseHere,
  },
  {
    name: 'half the speed, and a multiplier of 4',
    planted: 'local: 4 against 1.2 times, 20 points; index 950 against 1,900 and scripts twice as long, 5 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1900;
      lighthouse.environment.benchmarkIndex = 950;
      setThrottling(psi, {});
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      work(psi, [50, 52, 48, 51]);
      work(lighthouse, [100, 104, 97, 102], 4);
    },
    environment: { psi: { boot_id: far }, lighthouse: { boot_id: near } },
    simulated: { cpu: scoresOf({ tbt: blockingOf([100, 104, 97, 102]) }) },
    first: 'cpu',
    says: /2[3456] points lower.*CPU throttling.{0,60} explains?/i,
    never: /did not load|may have loaded|simulation of/i,
  },
  {
    name: 'a backup beside the run',
    planted: 'local: index 520 of usually 1,480, remote 1,500; every script 2.6 times as long; 10 points lower',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1500;
      lighthouse.environment.benchmarkIndex = 520;
      work(psi, [48, 49, 94]);
      work(lighthouse, [125, 128, 240]);
    },
    environment: {
      psi: { boot_id: far },
      lighthouse: { boot_id: near, benchmark_median: 1480, concurrent_audits: 0 },
    },
    first: 'disturbed_run',
    says: /1[01] points lower.*disturbed run/i,
    never: new RegExp(`${falseHere.source}|no known cause`, 'i'),
  },
  {
    name: 'the remote service had much to do',
    planted: 'remote: index 410 of usually 1,390, two audits beside it; every script 2.9 times as long; 13 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 410;
      lighthouse.environment.benchmarkIndex = 1350;
      work(psi, [140, 145, 270]);
      work(lighthouse, [48, 50, 93]);
    },
    environment: {
      psi: { boot_id: far, benchmark_median: 1390, concurrent_audits: 2 },
      lighthouse: { boot_id: near, benchmark_median: 1360, concurrent_audits: 0 },
    },
    first: 'disturbed_run',
    says: /1[234] points higher.*disturbed run/i,
    never: new RegExp(`${falseHere.source}|no known cause`, 'i'),
  },
  {
    name: 'a call that the newest browser warns of',
    planted: 'remote: Chrome 141, local 153, which knows a deprecation more; best practices 11 lower',
    plant: ({ psi, lighthouse }) => {
      psi.environment.hostUserAgent = psi.environment.hostUserAgent.replace(/Chrome\/[\d.]+/, 'Chrome/141.0.7390.0');
      flip(lighthouse, 'deprecations', 'best-practices', 0.63);
    },
    first: ['audits', 'chrome_version'],
    says: /best[- ]practices is 11 points lower.*deprecations/i,
    never: /did not load|may have loaded|CPU throttling|machines|simulation of|no known cause/i,
  },
  {
    name: 'a slower network there, and an older Lighthouse',
    planted: 'remote: 300 ms, 700 kbit/s and 12.3; 15 points higher here, of which the network costs 14',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { rttMs: 300, throughputKbps: 700 });
      setThrottling(lighthouse, {});
      psi.lighthouseVersion = '12.3.0';
      measure(psi, { fcp: 2300, lcp: 4000, si: 2700 });
    },
    simulated: { throttling: scoresOf({ fcp: 2250, lcp: 3900, si: 2600 }) },
    first: 'throttling',
    says: /1[3456] points higher.*network throttling.{0,60} explains?/i,
    never: /did not load|may have loaded|machines|simulation of a/i,
  },
  {
    name: 'a slow server and a tag',
    planted: 'local: 1,150 ms in place of 40 to the first byte, 8 points; a tag of 210 ms, 5 points; 13 in all',
    plant: ({ psi, lighthouse }) => {
      const tag = 'https://tag.example/t.js';
      setResponse(psi, 40);
      setResponse(lighthouse, 1150);
      addScript(lighthouse, tag, 64_000);
      setScripts(psi, { '1.js': 48, '2.js': 49, '3.js': 94 });
      setScripts(lighthouse, { '1.js': 49, '2.js': 47, '3.js': 96, [tag]: 210 });
      measure(psi, { tbt: blockingOf([48, 49, 94]) });
      const tbt = blockingOf([49, 47, 96, 210]);
      measure(lighthouse, { fcp: 2250, lcp: 3050, si: 2250, tbt }, { paint: 1350 });
    },
    simulated: { server: scoresOf({ fcp: 1100, lcp: 1850, si: 1100 }) },
    againAsThere: scoresOf({ tbt: blockingOf([49, 47, 96]) }),
    first: ['different_page', 'server'],
    says: /server.*tag\.example|tag\.example.*server/i,
    never: /no known cause|CPU throttling|machines|simulation of|disturbed/i,
  },
  {
    name: 'a picture, a multiplier and a version',
    planted: 'local: 2.2 MB in place of 100 KB, 14 points; 2.4 against 1.2 times, 6 points; remote also 12.8',
    plant: ({ psi, lighthouse }) => {
      psi.lighthouseVersion = '12.8.2';
      setThrottling(psi, {});
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 2.4 });
      withFile(lighthouse, '6.png', { resourceSize: 2_200_000, transferSize: 2_200_150 });
      work(psi, [48, 49, 94]);
      work(lighthouse, [49, 48, 95], 2.4);
      measure(lighthouse, { lcp: 4400 }, { paint: 226, largest: 900 });
    },
    simulated: { cpu: scoresOf({ tbt: blockingOf([49, 48, 95]) }) },
    againAsThere: scoresOf({ lcp: 1850 }),
    first: 'different_page',
    says: new RegExp(`${pageBy('6\\.png').source}.*CPU throttling.{0,30} explains`, 'i'),
    never: /no known cause|machines|simulation of|disturbed/i,
  },
];
