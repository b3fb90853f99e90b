/** Slower or disturbed machines. */
import type { PurePlant } from '../compare-plant.ts';
import {
  auditOf,
  block,
  blocking,
  custom,
  embedded,
  far,
  mainThread,
  measure,
  nameless,
  near,
  noPage,
  runScripts,
  score,
  scoresOf,
  setIndices,
  setScripts,
  setThrottling,
  tbt,
  twoMachines,
  usualScripts,
} from '../drafts.ts';
import { application, dashboard, type Page } from '../pages/pages.ts';
import { show } from '../pages/show.ts';

const noPageNorCause = /did not load|may have loaded|explains?|costs?|simulation of/i;

const noPageNorCauses = new RegExp(`${noPage.source}|explains?|costs?|simulation of`, 'i');

const slowTimes = [240, 345, 385, 270] as const;

const scaled = (page: Page, factor: number): Page => ({
  ...page,
  scripts: Object.fromEntries(Object.entries(page.scripts).map(([url, ms]) => [url, factor * ms])),
  layout: factor * page.layout,
  painting: factor * page.painting,
});

export const machines: readonly PurePlant[] = [
  {
    name: 'a machine of a fifth of the speed',
    planted: 'remote: benchmark 500 against 2500; 15 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 500;
      lighthouse.environment.benchmarkIndex = 2500;
      tbt(psi, 0.5);
    },
    analyser: custom,
    again: [1, 0.5],
    first: 'machine',
    says: /Possible causes?: the speed of the machines/i,
    never: /explains?|costs?|no known cause/i,
  },
  {
    name: 'a processor under a limit',
    planted: 'remote: the same machine with a quarter of a processor; benchmark 1000 against 2500; 15 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1000;
      lighthouse.environment.benchmarkIndex = 2500;
      tbt(psi, 0.5);
    },
    environment: {
      psi: { boot_id: '0123456789abcdef', processors: 0.25 },
      lighthouse: { boot_id: '0123456789abcdef', processors: 2 },
    },
    again: [1, 0.5],
    first: 'machine',
    says: /Possible causes?: the speed of the machines/i,
    never: /no known cause|both sides ran on this machine/i,
  },
  {
    name: 'disturbed local run',
    planted: 'local: 400 ms of blocking time that is no work of the page',
    plant: ({ lighthouse }) => {
      block(lighthouse, 400, 4, 'other');
      tbt(lighthouse, 0.6);
    },
    environment: { lighthouse: { concurrent_audits: 1 } },
    first: 'disturbed_run',
    says: /a disturbed run/i,
    never: /CPU throttling|no known cause/i,
  },
  {
    name: 'disturbed local run under other settings',
    planted: 'the same, and 4 in place of 1.2 times',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      block(lighthouse, 400, 4, 'other');
      tbt(lighthouse, 0.6);
    },
    environment: { lighthouse: { concurrent_audits: 1 } },
    again: [0.6, 1],
    first: 'disturbed_run',
    says: /Possible causes?: a disturbed run/i,
    never: /explains?|costs?|CPU throttling/i,
  },
  {
    name: 'slow moment of this machine',
    planted: 'local: benchmark a third of what is usual; 12 points',
    plant: ({ lighthouse }) => {
      lighthouse.environment.benchmarkIndex = 700;
      tbt(lighthouse, 0.6);
    },
    environment: { lighthouse: { benchmark_median: 2100, concurrent_audits: 0 } },
    first: 'disturbed_run',
    says: /Possible causes?: a disturbed run/i,
    never: /no known cause/,
  },
  {
    name: 'this machine is the slow one',
    planted: 'local: benchmark 400 against 2400; 12 points lower',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 2400;
      lighthouse.environment.benchmarkIndex = 400;
      blocking(lighthouse, 0.6, 330);
    },
    simulated: { machine: { 'total-blocking-time': 0.98 } },
    first: 'machine',
    says: /12 points lower.*Possible causes?: the speed of the machines/i,
    never: /explains?|costs?|no known cause|did not load/i,
  },
  {
    name: 'this service under a limit',
    planted: 'local: half a processor of the same machine; benchmark 900 against 2400, 12 points lower',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 2400;
      lighthouse.environment.benchmarkIndex = 900;
      blocking(lighthouse, 0.6, 330);
    },
    environment: {
      psi: { boot_id: 'fedcba9876543210', processors: 4 },
      lighthouse: { boot_id: 'fedcba9876543210', processors: 0.5 },
    },
    simulated: { machine: { 'total-blocking-time': 0.98 } },
    first: 'machine',
    says: /Possible causes?: the speed of the machines/i,
    never: /explains?|costs?|no known cause|did not load|both sides ran on this machine/i,
  },
  {
    name: 'the embedded half was disturbed',
    planted: 'remote: 380 ms of blocking that is no work of the page; 11 points higher here',
    plant: ({ psi }) => {
      auditOf(psi, 'long-tasks').details.items = [{ url: 'Unattributable', duration: 430, startTime: 900 }];
      auditOf(psi, 'mainthread-work-breakdown').details.items = [
        { group: 'other', duration: 520 },
        { group: 'scriptEvaluation', duration: 190 },
      ];
      blocking(psi, 0.62, 380);
    },
    analyser: { kind: 'embedded', host: '127.0.0.1:8000' },
    environment: { psi: { concurrent_audits: 1 }, lighthouse: { concurrent_audits: 1 } },
    first: 'disturbed_run',
    says: /11 points higher.*a disturbed run/i,
    never: /no known cause|did not load|CPU throttling/i,
  },
  {
    name: 'both halves at once: every script is slower here',
    planted: 'local: all scripts three times as long, beside the other half; 9 points',
    plant: ({ psi, lighthouse }) => {
      setScripts(psi, { '1.js': 32, '2.js': 31, '3.js': 33, '4.js': 30 });
      setScripts(lighthouse, { '1.js': 96, '2.js': 93, '3.js': 101, '4.js': 92 });
      blocking(lighthouse, 0.7, 260);
    },
    analyser: { kind: 'embedded', host: '127.0.0.1:8000' },
    environment: {
      psi: { concurrent_audits: 1 },
      lighthouse: { concurrent_audits: 1, benchmark_median: 1400 },
    },
    first: 'disturbed_run',
    says: /a disturbed run/i,
    never: /no known cause|did not load|explains?|costs?/i,
  },
  {
    name: 'a neighbour on the remote machine',
    planted: 'remote: benchmark 300 of 1,000 here, every script three times as long; 12 points higher here',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 300;
      lighthouse.environment.benchmarkIndex = 1000;
      setScripts(psi, { '1.js': 150, '2.js': 180, '3.js': 160, '4.js': 150 });
      setScripts(lighthouse, { '1.js': 50, '2.js': 58, '3.js': 52, '4.js': 49 });
      blocking(psi, 0.58, 360);
    },
    first: ['machine', 'disturbed_run', 'unexplained'],
    says: /1[23] points higher/,
    never: noPageNorCause,
  },
  {
    name: 'a small container',
    planted: 'local: half a processor, benchmark 800 against 2,300, all scripts 2.8 times as long; 12 points lower',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 2300;
      lighthouse.environment.benchmarkIndex = 800;
      setScripts(psi, { '1.js': 50, '2.js': 60, '3.js': 55, '4.js': 52 });
      setScripts(lighthouse, { '1.js': 140, '2.js': 168, '3.js': 154, '4.js': 146 });
      blocking(lighthouse, 0.57, 380);
    },
    environment: {
      psi: { boot_id: '00000000000000aa', processors: 8 },
      lighthouse: { boot_id: '00000000000000bb', processors: 0.5 },
    },
    first: ['machine', 'disturbed_run', 'unexplained'],
    says: /12 points lower/,
    never: noPageNorCause,
  },
  {
    name: 'a far faster machine, in all of three runs',
    planted: 'remote: benchmark 3,200, local 520 to 560; scripts six times as long; 18 points lower',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 3200;
      lighthouse.environment.benchmarkIndex = 540;
      setScripts(psi, { '1.js': 40, '2.js': 42, '3.js': 38 });
      setScripts(lighthouse, { '1.js': 240, '2.js': 250, '3.js': 230 });
      blocking(lighthouse, 0.4, 560);
    },
    others: [
      [0.42, 520],
      [0.38, 560],
    ].map(([value = 0, index = 0]) => draft => {
      draft.environment.benchmarkIndex = index;
      setScripts(draft, { '1.js': 240, '2.js': 250, '3.js': 230 });
      blocking(draft, value, 570);
    }),
    simulated: { machine: { 'total-blocking-time': 0.97 } },
    first: 'machine',
    says: /18 points lower.*Possible causes?: the speed of the machines/i,
    never: /did not load|no known cause|explains?|costs?|simulation of/i,
  },
  {
    name: 'shifts there, work here',
    planted: 'remote: 10 points of shifts, local: 14 points of blocking time that is no script; 4 points lower',
    plant: ({ psi, lighthouse }) => {
      score(psi, { 'cumulative-layout-shift': 0.6 });
      auditOf(lighthouse, 'long-tasks').details.items = [{ url: 'Unattributable', duration: 430, startTime: 900 }];
      auditOf(lighthouse, 'mainthread-work-breakdown').details.items = [{ group: 'other', duration: 620 }];
      tbt(lighthouse, 0.53);
      auditOf(lighthouse, 'total-blocking-time').numericValue = 380;
    },
    first: ['disturbed_run', 'unexplained', 'run_noise', null],
    says: /4 points lower/,
    never: new RegExp(`${noPage.source}|explains?|simulation of`, 'i'),
  },
  {
    name: 'no index, and every script four times as long',
    planted: 'remote: tells no index; local: 160 ms for each of four scripts in place of 40; 15 points lower',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 0;
      runScripts(psi, [40, 42, 41, 39]);
      runScripts(lighthouse, [160, 170, 166, 158]);
    },
    environment: { psi: { boot_id: far }, lighthouse: { boot_id: near } },
    first: ['machine', 'disturbed_run', 'unexplained'],
    says: /1[3456] points lower/,
    never: noPageNorCauses,
  },
  {
    name: 'a backup beside the run',
    planted: 'local: index 520 of usually 1,480, remote 1,500; every script 2.6 times as long; 10 points lower',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1500;
      lighthouse.environment.benchmarkIndex = 520;
      runScripts(psi, [48, 49, 94]);
      runScripts(lighthouse, [125, 128, 240]);
    },
    environment: {
      psi: { boot_id: far },
      lighthouse: { boot_id: near, benchmark_median: 1480, concurrent_audits: 0 },
    },
    first: 'disturbed_run',
    says: /1[01] points lower.*disturbed run/i,
    never: new RegExp(`${noPageNorCauses.source}|no known cause`, 'i'),
  },
  {
    name: 'the remote service had much to do',
    planted: 'remote: index 410 of usually 1,390, two audits beside it; every script 2.9 times as long; 13 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 410;
      lighthouse.environment.benchmarkIndex = 1350;
      runScripts(psi, [140, 145, 270]);
      runScripts(lighthouse, [48, 50, 93]);
    },
    environment: {
      psi: { boot_id: far, benchmark_median: 1390, concurrent_audits: 2 },
      lighthouse: { boot_id: near, benchmark_median: 1360, concurrent_audits: 0 },
    },
    first: 'disturbed_run',
    says: /1[234] points higher.*disturbed run/i,
    never: new RegExp(`${noPageNorCauses.source}|no known cause`, 'i'),
  },
  {
    name: 'a quota that the index did not meet',
    planted: 'local: all of four scripts take four times as long, the index says 1,400 as there; 22 points lower',
    plant: drafts => {
      setIndices(drafts, 1420, 1400);
      runScripts(drafts.psi, [60, 85, 95, 68]);
      runScripts(drafts.lighthouse, slowTimes);
    },
    environment: twoMachines,
    first: ['machine', 'disturbed_run', 'unexplained'],
    says: /2[0123] points lower/,
    never: noPageNorCause,
  },
  {
    name: 'a quota in every run',
    planted: 'local: the same in each of three runs',
    plant: drafts => {
      setIndices(drafts, 1420, 1400);
      runScripts(drafts.psi, [60, 85, 95, 68]);
      runScripts(drafts.lighthouse, slowTimes);
    },
    others: [0.96, 1.05].map(share => draft => {
      draft.environment.benchmarkIndex = 1410;
      runScripts(
        draft,
        slowTimes.map(ms => share * ms),
      );
    }),
    environment: twoMachines,
    first: ['machine', 'disturbed_run', 'unexplained'],
    says: /2[0123] points lower/,
    never: noPageNorCause,
  },
  {
    name: 'a machine of 2.5 times the speed, by its index and by its scripts',
    planted: 'remote: index 2,500 against 1,000, every script takes 0.4 times as long; 9 points lower',
    plant: drafts => {
      setIndices(drafts, 2500, 1000);
      runScripts(drafts.psi, [45, 48, 52, 44]);
      runScripts(drafts.lighthouse, [113, 120, 131, 110]);
    },
    environment: twoMachines,
    first: ['machine', 'disturbed_run', 'unexplained'],
    says: /points lower.*Possible causes?: the speed of the machines/i,
    never: noPageNorCause,
  },
  {
    name: 'a busy machine that paints late',
    planted: 'local: index 480 of usually 1,500; the browser paints after 1.1 s in place of 0.2; 8 points, no script',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1480;
      lighthouse.environment.benchmarkIndex = 480;
      measure(lighthouse, { fcp: 2100, lcp: 3150, si: 2500 }, { paint: 1100 });
    },
    environment: {
      ...twoMachines,
      lighthouse: { ...twoMachines.lighthouse, benchmark_median: 1500, concurrent_audits: 0 },
    },
    first: 'disturbed_run',
    says: /[789] points lower.*Possible causes?: a disturbed run/i,
    never: new RegExp(`${noPageNorCause.source}|no known cause`, 'i'),
  },
  {
    name: 'half the machine, for a desktop page',
    planted: 'local: every script twice as long, index 1,300 against 2,400; 11 points lower',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) {
        draft.configSettings.formFactor = 'desktop';
        setThrottling(draft, { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 });
      }
      psi.environment.benchmarkIndex = 2400;
      lighthouse.environment.benchmarkIndex = 1300;
      runScripts(psi, [90, 85, 120, 70], {}, 1);
      runScripts(lighthouse, [180, 172, 238, 144], {}, 1);
    },
    environment: twoMachines,
    first: ['machine', 'disturbed_run'],
    says: /points lower.*Possible cause/,
    never: noPageNorCause,
  },
  {
    name: 'hydration on a workstation and on a small server',
    planted: 'remote: index 4,100 against 820, sixteen processors and two; all work a fifth as long; desktop',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      const desktop = { ...application, paints: [700, 1150, 1000] } as const;
      for (const draft of [psi, lighthouse]) {
        draft.configSettings.formFactor = 'desktop';
        setThrottling(draft, { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 });
      }
      psi.environment.benchmarkIndex = 4100;
      lighthouse.environment.benchmarkIndex = 820;
      show(psi, { ...scaled(desktop, 0.2), paints: [640, 1030, 900], seen: [310, 520] });
      show(lighthouse, desktop);
    },
    environment: {
      psi: { boot_id: '00000000000000c1', processors: 16 },
      lighthouse: { boot_id: '00000000000000d2', processors: 2 },
    },
    simulated: { machine: scoresOf({ fcp: 645, lcp: 1040, si: 905, tbt: 35 }, 'desktop') },
    first: 'machine',
    says: /points lower.*machine/,
    never: /did not load|may have loaded|explains?|costs?|no known cause|simulation of|network throttling|disturbed/i,
  },
  {
    name: 'charts beside a second audit',
    planted: 'local: another audit at once, index 610 of usually 1,500, all work 2.3 times as long; remote: 1,450',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1450;
      lighthouse.environment.benchmarkIndex = 610;
      show(psi, dashboard);
      show(lighthouse, { ...scaled(dashboard, 2.3), paints: [2400, 3500, 3350], seen: [980, 2100] });
    },
    environment: { lighthouse: { concurrent_audits: 1, benchmark_median: 1500 } },
    first: 'disturbed_run',
    says: /points lower.*disturbed/i,
    never: /did not load|may have loaded|no known cause|explains?|costs?|processor|simulation of|network throttling/i,
  },
  {
    name: 'a stalled task',
    planted: 'local: a task of 500 ms without script, on a machine that was held up: a disturbed run as before',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, usualScripts);
      mainThread(lighthouse, usualScripts, { blockingMs: 450, otherMs: 480 });
      auditOf(lighthouse, 'long-tasks').details.items = [{ url: nameless, duration: 500, startTime: 1400 }];
    },
    first: 'disturbed_run',
    says: /disturbed run/i,
    never: /did not load|no known cause|simulation of|names no file/i,
  },
  {
    name: 'a wait that explains all',
    planted: 'local: the page waited 700 ms, and without that scores what the remote side scores',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, usualScripts);
      mainThread(lighthouse, { ...usualScripts, '3.js': 300 }, { blockingMs: 520 });
    },
    environment: {
      lighthouse: { processor_wait: { main_thread_ms: 700, without: { performance: 99, total_blocking_time: 0 } } },
    },
    first: 'disturbed_run',
    says: /a disturbed run accounts for/i,
    never: /did not load|no known cause|simulation of/i,
  },
  {
    name: 'the comparison’s own other half',
    planted: 'embedded, both halves at once: blocking time of 300 ms more here; nothing else ran',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, { ...usualScripts, '1.js': 30 });
      mainThread(lighthouse, { '1.js': 110, '2.js': 60, '3.js': 180, '4.js': 90 }, { blockingMs: 420 });
    },
    analyser: embedded,
    environment: { psi: { concurrent_audits: 1 }, lighthouse: { concurrent_audits: 1 } },
    first: 'disturbed_run',
    says: /Possible causes?: a disturbed run/i,
    never: /did not load|[Aa]nother audit/,
  },
  {
    name: 'the other half of a list',
    planted: 'embedded, next to two more audits: 300 ms of blocking more here, all scripts longer',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, { '1.js': 60, '2.js': 70, '3.js': 55, '4.js': 65 });
      mainThread(lighthouse, { '1.js': 120, '2.js': 138, '3.js': 112, '4.js': 129 });
    },
    analyser: embedded,
    environment: { psi: { concurrent_audits: 2 }, lighthouse: { concurrent_audits: 2 } },
    first: ['disturbed_run', 'run_noise'],
    says: /points lower.*disturbed run/i,
    never: /did not load|no known cause|simulation of/i,
  },
];
