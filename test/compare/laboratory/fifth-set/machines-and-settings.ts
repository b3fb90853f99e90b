/** Different machines, settings or versions; the page is the same. */
import { auditOf, base, type Draft, lcp, type PurePlant, score, setThrottling, tbt, withFile } from '../pure-plants.ts';
import { blocking, setObserved, setPaints, setScripts } from '../second-set/drafts.ts';
import { noPage, pageBy } from './expected.ts';

const falseHere = /did not load|may have loaded|explains?|costs?|simulation of/i;
const chrome = (draft: Draft, version: string) => {
  const { hostUserAgent } = draft.environment;
  draft.environment.hostUserAgent = hostUserAgent.replace(/Chrome\/[\d.]+/, `Chrome/${version}`);
};

export const machinesAndSettings: readonly PurePlant[] = [
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
    never: falseHere,
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
    never: falseHere,
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
    name: 'throttled by the tools here',
    planted: 'local: method devtools, remote simulated; 8 points lower',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, {});
      setThrottling(lighthouse, { requestLatencyMs: 562 }, 'devtools');
      score(lighthouse, { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.7 });
    },
    first: 'throttling',
    says: /8 points lower.*(network throttling|throttl)/i,
    never: /did not load|no known cause|explains?|costs?|machines/i,
  },
  {
    name: 'a network of long ago',
    planted: 'local: 400 ms and 400 kbit/s; 28 points in each of three runs',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, {});
      setThrottling(lighthouse, { rttMs: 400, throughputKbps: 400 });
      score(lighthouse, { 'first-contentful-paint': 0.2, 'largest-contentful-paint': 0.15 });
    },
    others: [0.14, 0.16].map(value => draft => {
      score(draft, { 'first-contentful-paint': 0.2, 'largest-contentful-paint': value });
    }),
    simulated: { throttling: { 'first-contentful-paint': 0.99, 'largest-contentful-paint': 0.98 } },
    first: 'throttling',
    says: /28 points lower.*network throttling.{0,60} explains?/i,
    never: /did not load|no known cause|machines|simulation of a/i,
  },
  {
    name: 'a phone where a desktop computer was asked for',
    planted: 'remote: mobile, local: desktop; 18 points higher here',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      lighthouse.configSettings.formFactor = 'desktop';
      score(psi, { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.38 });
    },
    first: 'form_factor',
    says: /18 points higher.*(device|form factor|desktop|phone|mobile)/i,
    never: /no known cause|explains?|costs?|machines|simulation of/i,
  },
  {
    name: 'an older browser there',
    planted: 'remote: Chrome 120, local 153, the same scripts; 9 points of blocking time',
    plant: ({ psi }) => {
      chrome(psi, '120.0.6099.0');
      blocking(psi, 0.7, 260);
    },
    first: ['chrome_version', 'unexplained', 'disturbed_run'],
    says: /9 points higher.*Possible cause/,
    never: /did not load|explains?|costs?|CPU throttling|simulation of/i,
  },
  {
    name: 'an older Lighthouse and an older browser',
    planted: 'remote: 12.2 and Chrome 128; 7 points of the speed index',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '12.2.1';
      chrome(psi, '128.0.6613.0');
      score(psi, { 'speed-index': 0.3 });
    },
    first: ['simulation', 'lighthouse_version', 'chrome_version'],
    says: /7 points higher.*Possible cause.*(Lighthouse|Chrome)/,
    never: /did not load|explains?|costs?|CPU throttling|machines/i,
  },
  {
    name: 'the simulation in all of three runs',
    planted: 'the loads are alike; simulated paints cost 13 points here',
    plant: ({ lighthouse }) => {
      setPaints(lighthouse, 1900, 3900);
      score(lighthouse, { 'first-contentful-paint': 0.7, 'largest-contentful-paint': 0.55 });
    },
    others: [0.54, 0.57].map(value => draft => {
      setPaints(draft, 1900, 3880);
      score(draft, { 'first-contentful-paint': 0.7, 'largest-contentful-paint': value });
    }),
    first: ['simulation', 'unexplained'],
    says: /13 points lower/,
    never: /did not load|explains?|costs?|CPU throttling|machines/i,
  },
  {
    name: 'styles that are worked out for a second',
    planted: 'local: 900 ms of style and layout, no script more; 12 points',
    plant: ({ lighthouse }) => {
      auditOf(lighthouse, 'mainthread-work-breakdown').details.items = [
        { group: 'styleLayout', duration: 900 },
        { group: 'scriptEvaluation', duration: 190 },
      ];
      auditOf(lighthouse, 'long-tasks').details.items = [{ url: base, duration: 620, startTime: 900 }];
      auditOf(lighthouse, 'bootup-time').details.items.push({ url: base, scripting: 9, total: 905 });
      setObserved(lighthouse, 1200);
      blocking(lighthouse, 0.6, 350);
    },
    first: ['different_page', 'disturbed_run', 'unexplained'],
    says: /12 points lower|did not load/,
    never: /explains?|costs?|CPU throttling|machines|simulation of|ran for 905/i,
  },
  {
    name: 'a file and a tunnel',
    planted: 'remote: a picture of 1.4 MB, 12 points; local: 160 ms of round trip, 5 points; 7 points higher here',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '4.png', { resourceSize: 1_400_000, transferSize: 1_400_200 });
      lcp(psi, 0.5);
      auditOf(lighthouse, 'network-rtt').numericValue = 160;
      for (const item of auditOf(lighthouse, 'network-rtt').details.items) item.rtt = 160;
      setObserved(lighthouse, 700);
      score(lighthouse, { 'first-contentful-paint': 0.74, 'largest-contentful-paint': 0.88 });
    },
    simulated: { server: { 'first-contentful-paint': 0.99, 'largest-contentful-paint': 0.98 } },
    againAsThere: { 'first-contentful-paint': 0.99, 'largest-contentful-paint': 0.5 },
    first: 'different_page',
    says: /^The two sides did not load the same page.*4\.png has 1\.4 MB/i,
    never: /no known cause|CPU throttling|machines|simulation of/i,
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
    name: 'a multiplier of 6',
    planted: 'local: 6 against 1.2 times, and three scripts; 26 points in one run, mobile; remote also 40 KB more',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, {});
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 6 });
      setScripts(psi, { '1.js': 60, '2.js': 62, '3.js': 61 });
      setScripts(lighthouse, { '1.js': 62, '2.js': 60, '3.js': 64 }, 6);
      withFile(psi, '6.png', { resourceSize: 139_652, transferSize: 139_806 });
      blocking(lighthouse, 0.13, 1300);
    },
    simulated: { cpu: { 'total-blocking-time': 0.99 } },
    first: ['cpu', 'different_page'],
    says: /26 points lower.*CPU throttling.{0,60} (explains?|accounts? for) (2[56]|the whole)|^The two sides.*6\.png.*CPU throttling/i,
    never: /no known cause|machines|simulation of/i,
  },
  {
    name: 'a script more and a multiplier more',
    planted: 'local: a chat of 210 ms, 5 points; 4 against 1.2 times, 9 points; desktop; 3 runs',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) draft.configSettings.formFactor = 'desktop';
      setThrottling(psi, {});
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      withChat(lighthouse);
      tbt(lighthouse, 0.53);
    },
    others: [0.52, 0.55].map(value => draft => {
      withChat(draft);
      tbt(draft, value);
    }),
    simulated: { cpu: { 'total-blocking-time': 0.83 } },
    againAsThere: { 'total-blocking-time': 1 },
    first: 'different_page',
    says: pageBy('chat\\.example'),
    never: /no known cause|machines|simulation of/i,
  },
];

function withChat(draft: Draft): void {
  auditOf(draft, 'network-requests').details.items.push({
    url: 'https://chat.example/w.js',
    statusCode: 200,
    resourceType: 'Script',
    resourceSize: 210_000,
    transferSize: 64_000,
  });
  auditOf(draft, 'bootup-time').details.items.push({ url: 'https://chat.example/w.js', scripting: 210, total: 240 });
}
