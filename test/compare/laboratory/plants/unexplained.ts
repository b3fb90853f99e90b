/** Cached answers, noise between runs, and differences without a known cause. */
import type { PurePlant } from '../compare-plant.ts';
import {
  type Audit,
  auditOf,
  blocking,
  embedded,
  lcp,
  mainThread,
  measure,
  nameless,
  noPageClaimed,
  nothing,
  quiet,
  same,
  score,
  setObserved,
  setPaints,
  setResponse,
  setScripts,
  tbt,
  usualScripts,
  withFile,
} from '../drafts.ts';

export const unexplained: readonly PurePlant[] = [
  {
    name: 'server that is a little slower',
    planted: '174 against 64 ms',
    plant: ({ psi, lighthouse }) => {
      setResponse(psi, 174);
      setResponse(lighthouse, 64);
    },
    first: null,
    says: same,
    never: quiet,
  },
  {
    name: 'answer of three days ago',
    planted: 'remote: from the cache; layout shifts cost 15 points',
    plant: ({ psi }) => score(psi, { 'cumulative-layout-shift': 0.4 }),
    cached: { age: 3 * 86_400 },
    first: 'cached_answer',
    says: /Possible causes?: the age of the PSI result.*\. The result on psi\.example is 3 days old/,
    never: /no known cause/,
  },
  {
    name: 'inside the local runs',
    planted: 'local runs of 70 to 93 points, remote 92',
    plant: ({ psi, lighthouse }) => {
      tbt(psi, 0.75);
      tbt(lighthouse, 0.2);
    },
    others: [draft => tbt(draft, 0), draft => tbt(draft, 0.8)],
    first: 'run_noise',
    says: /is inside the range of the 3 local runs/i,
    never: /Possible cause|explains?|costs?|accounts? for|no known cause|did not load/i,
  },
  { name: 'nothing', planted: 'two loads as they are', plant: nothing, first: null, says: same, never: quiet },
  {
    name: 'a side that says little',
    planted: 'remote: only scores; 20 points by layout shifts',
    plant: ({ psi }) => {
      psi.audits = Object.fromEntries(
        Object.entries(psi.audits).map(([id, audit]) => [id, { ...audit, details: { items: [], debugData: {} } }]),
      );
      delete (psi.audits['network-requests'] as Partial<Audit>).details;
      delete (psi.audits['errors-in-console'] as Partial<Audit>).details;
      score(psi, { 'cumulative-layout-shift': 0.2 });
    },
    first: 'unexplained',
    says: /no known cause for the difference/,
    never: /did not load|CPU throttling/i,
  },
  {
    name: 'layout shifts in every run',
    planted: 'local: three runs of 78 to 81 by layout shifts, remote 99; nothing else differs',
    plant: ({ lighthouse }) => score(lighthouse, { 'cumulative-layout-shift': 0.2 }),
    others: [0.15, 0.27].map(value => draft => score(draft, { 'cumulative-layout-shift': value })),
    first: 'unexplained',
    says: /20 points lower.*no known cause/,
    never: /inside|CPU throttling|did not load|machines|noise/i,
  },
  {
    name: 'a side without a score',
    planted: 'remote: no largest paint, so no score of performance',
    plant: ({ psi }) => {
      auditOf(psi, 'largest-contentful-paint').score = null;
      if (psi.categories.performance) psi.categories.performance.score = null;
    },
    first: null,
    says: /scored only in local Lighthouse: performance \(99\)/i,
    never: /did not load|no known cause|explains?|costs?|lower|higher/i,
  },
  {
    name: 'a remote side without its tables',
    planted: 'remote: no times of scripts, no tasks; 12 points of blocking time here',
    plant: ({ psi, lighthouse }) => {
      for (const id of ['bootup-time', 'long-tasks', 'mainthread-work-breakdown', 'metrics']) delete psi.audits[id];
      blocking(lighthouse, 0.6, 320);
    },
    first: ['unexplained', 'disturbed_run'],
    says: /12 points lower/,
    never: /did not load|explains?|costs?|CPU throttling|simulation of|machines/i,
  },
  {
    name: 'scripts on a machine of 2.4 times the speed',
    planted: 'remote: every script takes 0.4 times as long, benchmark 2400 against 1000; 9 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 2400;
      lighthouse.environment.benchmarkIndex = 1000;
      setScripts(psi, { '1.js': 30, '2.js': 300, '3.js': 35 });
      setScripts(lighthouse, { '1.js': 74, '2.js': 930, '3.js': 83 });
      blocking(psi, 0.65, 300);
      blocking(lighthouse, 0.35, 900);
    },
    first: ['unexplained', 'machine'],
    says: /9 points lower/,
    never: /did not load|explains?|costs?|simulation of/i,
  },
  {
    name: 'shifts of the text once',
    planted: 'local: 12 points of layout shifts in a single run, nothing else',
    plant: ({ lighthouse }) => score(lighthouse, { 'cumulative-layout-shift': 0.52 }),
    first: 'unexplained',
    says: /no known cause for the difference/,
    never: noPageClaimed,
  },
  {
    name: 'a picture that is found late',
    planted: 'local: nothing asks for it ahead: 1.4 s in place of 0.2; 10 points, the files are the same',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '6.png', { networkRequestTime: 60, networkEndTime: 210 });
      withFile(lighthouse, '6.png', { networkRequestTime: 1250, networkEndTime: 1400 });
      setObserved(lighthouse, 240, 1420);
      setPaints(lighthouse, 1105, 3400);
      lcp(lighthouse, 0.58);
    },
    first: ['unexplained', 'different_page', 'server'],
    says: /10 points lower/,
    never: /did not load|CPU throttling|machines|simulation of|disturbed|the server took/i,
  },
  {
    name: 'six days, and another Lighthouse',
    planted: 'remote: 12.8 and six days old; 9 points of layout shifts',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '12.8.2';
      score(psi, { 'cumulative-layout-shift': 0.64 });
    },
    cached: { age: 6 * 86_400 },
    first: ['cached_answer', 'lighthouse_version'],
    says: /9 points higher.*Possible cause.*(age|Lighthouse).*6 days old/,
    never: /did not load|no known cause|explains?|costs?|simulation of|machines/i,
  },
  {
    name: 'a picture that is hard to draw',
    planted: 'local: 780 ms of painting in place of 4; 11 points of blocking time',
    plant: ({ lighthouse }) => {
      auditOf(lighthouse, 'mainthread-work-breakdown').details.items = [
        { group: 'paintCompositeRender', duration: 780 },
        { group: 'scriptEvaluation', duration: 190 },
      ];
      auditOf(lighthouse, 'long-tasks').details.items = [{ url: 'Unattributable', duration: 420, startTime: 1100 }];
      blocking(lighthouse, 0.63, 370);
    },
    first: ['unexplained', 'different_page', 'disturbed_run'],
    says: /11 points lower/,
    never: /did not load|explains?|costs?|CPU throttling|machines|simulation of|disturbed run accounts for/i,
  },
  {
    name: 'a busy machine whose wait is known',
    planted: 'embedded, local: 480 ms of blocking without script; the measured wait explains 4 points of 18',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, usualScripts);
      mainThread(lighthouse, usualScripts, { blockingMs: 480, otherMs: 520 });
      auditOf(lighthouse, 'long-tasks').details.items = [{ url: nameless, duration: 530, startTime: 1400 }];
    },
    analyser: embedded,
    environment: {
      lighthouse: {
        concurrent_audits: 1,
        processor_wait: { main_thread_ms: 90, without: { performance: 89, total_blocking_time: 410 } },
      },
    },
    first: ['unexplained', 'disturbed_run'],
    says: /points lower/,
    never: /did not load|a disturbed run.{0,60} (explains?|accounts? for) (1\d|[5-9]|the whole)/i,
  },
  {
    name: 'text that a socket brings',
    planted: 'local: the same files, and the largest text comes 1.9 s later',
    plant: ({ lighthouse }) => measure(lighthouse, { lcp: 4100 }, { paint: 240, largest: 2150 }),
    first: 'unexplained',
    says: /no known cause for the difference, which is mostly in the largest paint/,
    never: /did not load|simulation of|disturbed|machines/i,
  },
];
