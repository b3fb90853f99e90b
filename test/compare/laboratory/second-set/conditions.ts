/** Different settings, servers, machines or ages; the page is the same. The author had not read the rules. */
import {
  addFile,
  auditOf,
  base,
  lcp,
  type PurePlant,
  requestsOf,
  score,
  setDocument,
  setElement,
  setResponse,
  setThrottling,
  withFile,
} from '../pure-plants.ts';
import { addPicture, blocking, otherPage, setObserved, setPaints, setScripts, took } from './drafts.ts';

const phone = { rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 4 };
const desktop = { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 };

export const conditions: readonly PurePlant[] = [
  {
    name: 'Google, which tells no settings',
    planted: 'remote: multiplier 1.2 is assumed, local 4; 17 points',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, phone);
      setScripts(lighthouse, { '1.js': 90, '2.js': 90, '3.js': 110 }, 4);
      blocking(lighthouse, 0.43, 700);
    },
    analyser: { kind: 'google', host: 'www.googleapis.com' },
    simulated: { cpu: { 'total-blocking-time': 0.99 } },
    first: 'cpu',
    says: /CPU throttling.{0,60} (explains?|accounts? for) (1[67]|the whole)/i,
    never: otherPage,
  },
  {
    name: 'desktop: another network',
    planted: 'both desktop, remote 150 ms and 1.6 Mbit/s; 20 points',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) draft.configSettings.formFactor = 'desktop';
      setThrottling(psi, { ...desktop, rttMs: 150, throughputKbps: 1638.4 });
      setThrottling(lighthouse, desktop);
      lcp(psi, 0.2);
    },
    simulated: { throttling: { 'largest-contentful-paint': 0.21 } },
    first: 'throttling',
    says: /network throttling.{0,60} (explains?|accounts? for) (19|the whole)/i,
    never: otherPage,
  },
  {
    name: 'desktop: a picture',
    planted: 'both desktop, local: 800 KB in place of 72; 6 points',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) {
        draft.configSettings.formFactor = 'desktop';
        setThrottling(draft, desktop);
      }
      withFile(lighthouse, '3.png', { resourceSize: 800_000, transferSize: 800_150 });
      lcp(lighthouse, 0.74);
    },
    againAsThere: { 'largest-contentful-paint': 0.98 },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*3\.png has 72 KB on psi\.example and 800 KB in local Lighthouse.*a different page.{0,60} (explains?|accounts? for) (6|the whole)/i,
    never: /no known cause/,
  },
  {
    name: 'no throttling at all',
    planted: 'remote: method provided; 17 points more there',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { rttMs: 0, throughputKbps: 0, cpuSlowdownMultiplier: 1 }, 'provided');
      setThrottling(lighthouse, phone);
      score(lighthouse, { 'largest-contentful-paint': 0.6, 'total-blocking-time': 0.72 });
    },
    first: 'throttling',
    says: /17 points lower.*Possible causes?: network throttling/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'a multiplier without any script',
    planted: '4 against 1.2 times, and the re-audit changes nothing',
    plant: ({ lighthouse }) => setThrottling(lighthouse, phone),
    simulated: {},
    first: [null, 'cpu'],
    says: /^Both sides score 99/,
    never: /explains?|costs?|no known cause|did not load/i,
  },
  {
    name: 'a large cost and a small gain',
    planted: 'processor −21, network +6: 15 points lower',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { rttMs: 300 });
      setThrottling(lighthouse, phone);
      blocking(lighthouse, 0.3, 900);
      score(psi, { 'largest-contentful-paint': 0.74 });
    },
    simulated: { throttling: { 'largest-contentful-paint': 0.74 }, cpu: { 'total-blocking-time': 1 } },
    first: 'cpu',
    says: /15 points lower.*CPU throttling.{0,60} costs 21/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'two large causes against each other',
    planted: 'processor −30, network +22: 8 points lower',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { rttMs: 300 });
      setThrottling(lighthouse, phone);
      blocking(lighthouse, 0, 3000);
      score(psi, { 'largest-contentful-paint': 0.1 });
    },
    simulated: { throttling: { 'largest-contentful-paint': 0.1 }, cpu: { 'total-blocking-time': 1 } },
    first: ['cpu', 'throttling', 'run_noise'],
    says: /8 points lower.*.{0,30}CPU throttling.* costs 30 points, more than the 22 that network throttling/i,
    never: /(explains?|accounts? for) (30|22|the whole)|no known cause|did not load/,
  },
  {
    name: 'servers and processor, the larger first',
    planted: 'local: every answer 1.1 s late, 14 points; 4 against 1.2 times, 6 points',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, phone);
      setResponse(lighthouse, 1150);
      setObserved(lighthouse, 1500);
      score(lighthouse, { 'largest-contentful-paint': 0.42, 'total-blocking-time': 0.8 });
    },
    simulated: { cpu: { 'total-blocking-time': 1 }, server: { 'largest-contentful-paint': 0.98 } },
    first: 'server',
    says: /20 points lower.*server response times.{0,60} (explains?|accounts? for) (14|the whole).* and CPU throttling.{0,60} (explains?|accounts? for) (6|the whole)/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'another page and another processor',
    planted: 'local: a picture of 3 MB, 10 points; 4 against 1.2 times, 12 points',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, phone);
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000 });
      withFile(psi, '3.png', { resourceSize: 72_000 });
      score(lighthouse, { 'largest-contentful-paint': 0.58, 'total-blocking-time': 0.6 });
    },
    simulated: { cpu: { 'total-blocking-time': 1 } },
    againAsThere: { 'largest-contentful-paint': 0.98 },
    first: 'different_page',
    says: /^The two sides did not load the same page: .* has 72 KB on psi\.example.* explains 1[012] of.* explains 1[012]\b/i,
    never: /no known cause/,
  },
  {
    name: 'another page that helps, a processor that costs more',
    planted: 'remote: a picture of 3 MB, 12 points lower; local 4 against 1.2 times, 24 points lower',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, phone);
      withFile(psi, '3.png', { resourceSize: 3_000_000 });
      lcp(psi, 0.5);
      blocking(lighthouse, 0.2, 1200);
    },
    simulated: { cpu: { 'total-blocking-time': 1 } },
    againAsThere: { 'largest-contentful-paint': 0.5 },
    first: 'different_page',
    says: /^The two sides did not load the same page: .* has 3 MB on psi\.example/i,
    never: /no known cause|a different page.{0,60} (explains?|accounts? for) (12|the whole)/i,
  },
  {
    name: 'a content host in another region',
    planted: 'remote: 190 ms away in place of 0.3; 8 points',
    plant: ({ psi }) => {
      auditOf(psi, 'network-rtt').numericValue = 190;
      for (const item of auditOf(psi, 'network-rtt').details.items) item.rtt = 190;
      setObserved(psi, 900);
      score(psi, { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.73 });
    },
    simulated: { server: { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.73 } },
    first: 'server',
    says: /8 points higher.*server response times.{0,60} (explains?|accounts? for) (8|the whole)/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'slow calls of a script only',
    planted: 'local: three calls of 1.1 s in place of 40 ms; the largest paint waits, 11 points',
    plant: ({ psi, lighthouse }) => {
      for (const name of ['stock', 'prices', 'user']) {
        const call = { resourceType: 'Fetch', resourceSize: 3000, transferSize: 3200 };
        addFile(psi, `${base}api/${name}`, { ...call, ...took(40) });
        addFile(lighthouse, `${base}api/${name}`, { ...call, ...took(1100) });
      }
      setObserved(lighthouse, 240, 1400);
      lcp(lighthouse, 0.54);
    },
    simulated: {},
    first: 'server',
    says: /server.*\/same-many\/api\/\w+/i,
    never: /no known cause|did not load|CPU throttling/i,
  },
  {
    name: 'redirects before the page',
    planted: 'local: two answers of 301 more, 10 points',
    plant: ({ lighthouse }) => {
      const hops = ['http://boats.example/', `${base.replace('www', 'old')}`].map(url => ({
        url,
        statusCode: 301,
        resourceType: 'Document',
        resourceSize: 0,
        transferSize: 300,
      }));
      auditOf(lighthouse, 'network-requests').details.items = [...hops, ...requestsOf(lighthouse)];
      score(lighthouse, { 'first-contentful-paint': 0.72, 'largest-contentful-paint': 0.7 });
    },
    first: 'different_page',
    says: /redirect|301|(boats|old\.boats)\.example\//,
    never: /no known cause|CPU throttling/i,
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
    name: 'two modes of the simulation, on the other side',
    planted: 'remote: simulated LCP 3.9 s in place of 1.8, what the browser saw is the same; 14 points',
    plant: ({ psi }) => {
      setPaints(psi, 1105, 3900);
      lcp(psi, 0.42);
    },
    first: 'simulation',
    says: /14 points higher.*the simulation of a slow network.{0,60} (explains?|accounts? for) (14|the whole)/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'other weights of another version',
    planted: 'remote: 11.7, which weighs layout shifts with 15 % more and LCP with 15 % less; 10 points',
    plant: ({ psi, lighthouse }) => {
      psi.lighthouseVersion = '11.7.1';
      for (const draft of [psi, lighthouse]) score(draft, { 'cumulative-layout-shift': 0.33 });
      for (const ref of psi.categories.performance?.auditRefs ?? []) {
        if (ref.id === 'cumulative-layout-shift') ref.weight = 40;
        if (ref.id === 'largest-contentful-paint') ref.weight = 10;
      }
      score(psi, {});
    },
    first: 'lighthouse_version',
    says: /different versions of Lighthouse/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'audits that do not apply here',
    planted: 'local: five of accessibility are not counted, and one fails on both sides',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) auditOf(draft, 'heading-order').score = 0;
      const [far, near] = [psi, lighthouse].map(draft => draft.categories.accessibility);
      if (far) far.score = 0.96;
      if (!near) return;
      near.score = 0.88;
      const kept = ['heading-order', 'html-has-lang', 'document-title', 'color-contrast'];
      near.auditRefs = near.auditRefs.filter(({ id }) => kept.includes(id));
    },
    first: 'one_sided_audits',
    says: /accessibility is 8 points lower/i,
    never: /failed (on|in)|no known cause|did not load/,
  },
  {
    name: 'an answer of yesterday, and another processor',
    planted: 'remote: 26 hours old; 4 against 1.2 times, 21 points',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, phone);
      blocking(lighthouse, 0.3, 900);
    },
    cached: { age: 26 * 3600 },
    simulated: { cpu: { 'total-blocking-time': 1 } },
    first: 'cpu',
    says: /CPU throttling.{0,60} (explains?|accounts? for) (21|the whole).*\. The result on psi\.example is 1 day old/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'an answer of this morning, and another story',
    planted: 'remote: 10 hours old, another largest element and picture, the document has a fifth more',
    plant: ({ psi }) => {
      setElement(psi, 'Storm over the harbour');
      setDocument(psi, { resourceSize: 1790 });
      addPicture(psi, `${base}stories/storm.jpg`, 88_000);
    },
    cached: { age: 10 * 3600 },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*\. The result on psi\.example is 10 hours old/,
  },
  {
    name: 'processor over five runs',
    planted: '4 against 1.2 times, local 72 to 80, remote 99',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, phone);
      blocking(lighthouse, 0.25, 1000);
    },
    others: [0.1, 0.2, 0.3, 0.36].map(value => draft => blocking(draft, value, 1000)),
    simulated: { cpu: { 'total-blocking-time': 1 } },
    first: 'cpu',
    says: /CPU throttling.{0,60} explains .*\(19(\.\d)? to 27 over 5 runs\)/i,
    never: /inside|no known cause|did not load/,
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
    name: 'a picture in every run',
    planted: 'local: 3 MB in three runs of 76 to 79, remote 72 KB and 99',
    plant: ({ lighthouse }) => {
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000, transferSize: 3_000_200 });
      lcp(lighthouse, 0.15);
    },
    others: [0.08, 0.2].map(value => draft => {
      withFile(draft, '3.png', { resourceSize: 3_000_000, transferSize: 3_000_200 });
      lcp(draft, value);
    }),
    againAsThere: { 'largest-contentful-paint': 0.98 },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*3\.png has 72 KB on psi\.example and 3 MB in local Lighthouse.*a different page/i,
    never: /inside|no known cause/,
  },
];
