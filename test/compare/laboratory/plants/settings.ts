/** Throttling, devices, versions, and the simulation of a slow network. */
import type { Analyser } from '../../../../src/contract/result/result.ts';
import type { PurePlant } from '../compare-plant.ts';
import {
  blocking,
  blockingOf,
  type Draft,
  desktop,
  far,
  googleApi,
  lcp,
  mainThread,
  measure,
  near,
  noOther,
  otherPage,
  phone,
  runScripts,
  score,
  scoresOf,
  setObserved,
  setPaints,
  setResponse,
  setScripts,
  setThrottling,
  shift,
  tbt,
  throttledChat,
  usualScripts,
  usualTimes,
  waitFor,
  withFile,
} from '../drafts.ts';
import { landing, manual } from '../pages/pages.ts';
import { show } from '../pages/show.ts';

const setChrome = (draft: Draft, version: string) => {
  const { hostUserAgent } = draft.environment;
  draft.environment.hostUserAgent = hostUserAgent.replace(/Chrome\/[\d.]+/, `Chrome/${version}`);
};

const googleHost: Analyser = { kind: 'google', host: 'www.googleapis.com' };

export const settings: readonly PurePlant[] = [
  {
    name: 'network',
    planted: 'remote: 40 ms and 10 Mbit/s; the re-audit gives 12 points',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { rttMs: 40, throughputKbps: 10_240 });
      setThrottling(lighthouse, {});
      tbt(lighthouse, 0.6);
    },
    again: [0.6, 1],
    first: 'throttling',
    says: /network throttling.{0,60} (explains?|accounts? for) (12|the whole)/i,
  },
  {
    name: 'processor',
    planted: 'local: 4 in place of 1.2 times; the re-audit gives 21 points',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      tbt(lighthouse, 0.3);
    },
    again: [0.3, 1],
    first: 'cpu',
    says: /CPU throttling.{0,60} (explains?|accounts? for) (21|the whole)/i,
  },
  {
    name: 'network and processor',
    planted: 'both settings; 9 and 12 points',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { rttMs: 40 });
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      tbt(lighthouse, 0.3);
    },
    again: [0.3, 0.6, 1],
    first: 'cpu',
    says: /CPU throttling.{0,60} (explains?|accounts? for) 12 of the 21 points, and network throttling explains 9/i,
  },
  {
    name: 'settings that cannot be simulated',
    planted: 'remote: throttled while it ran',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { rttMs: 40 }, 'devtools');
      setThrottling(lighthouse, {});
      tbt(lighthouse, 0.5);
    },
    first: 'throttling',
    says: /Possible causes?: network throttling.*effect of the settings could not be computed/i,
    never: /no known cause/,
  },
  {
    name: 'device',
    planted: 'remote: a desktop computer, 15 points',
    plant: ({ psi, lighthouse }) => {
      psi.configSettings.formFactor = 'desktop';
      tbt(lighthouse, 0.5);
    },
    first: 'form_factor',
    says: /Possible causes?: the simulated device/,
    never: /no known cause/,
  },
  {
    name: 'version of Lighthouse',
    planted: 'remote: 12.8, 15 points',
    plant: ({ psi, lighthouse }) => {
      psi.lighthouseVersion = '12.8.2';
      tbt(lighthouse, 0.5);
    },
    first: 'lighthouse_version',
    says: /Possible causes?: different versions of Lighthouse/i,
    never: /no known cause/,
  },
  {
    name: 'simulation',
    planted: 'the same loads; simulated FCP and LCP score 0.3 here',
    plant: ({ lighthouse }) => score(lighthouse, { 'first-contentful-paint': 0.3, 'largest-contentful-paint': 0.5 }),
    first: 'simulation',
    says: /the simulation of a slow network, not the loads themselves/i,
    never: /no known cause/,
  },
  {
    name: 'processor over three runs',
    planted: 'settings of 4 and 1.2 times; 18 to 24 points',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      tbt(lighthouse, 0.3);
    },
    others: [draft => tbt(draft, 0.2), draft => tbt(draft, 0.4)],
    again: [0.3, 1],
    first: 'cpu',
    says: /CPU throttling.{0,60} explains .*\(18 to 24 over 3 runs\)/i,
  },
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
    name: 'a multiplier that was calibrated',
    planted: 'remote 4 times, local 2.1; 10 points higher here',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, phone);
      setThrottling(lighthouse, { ...phone, cpuSlowdownMultiplier: 2.1 });
      setScripts(psi, { '1.js': 60, '2.js': 62, '3.js': 61 }, 4);
      setScripts(lighthouse, { '1.js': 60, '2.js': 60, '3.js': 64 }, 2.1);
      blocking(psi, 0.6, 330);
      blocking(lighthouse, 0.92, 150);
    },
    simulated: { cpu: { 'total-blocking-time': 0.59 } },
    first: 'cpu',
    says: /10 points higher.*CPU throttling.{0,60} (explains?|accounts? for) (9|the whole)/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'a slow server there, a slow processor here',
    planted: 'processor −20, server +8: 12 points lower',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, phone);
      setResponse(psi, 1200);
      setObserved(psi, 1450);
      lcp(psi, 0.66);
      blocking(lighthouse, 0.33, 800);
    },
    simulated: { cpu: { 'total-blocking-time': 1 }, server: { 'largest-contentful-paint': 0.66 } },
    first: 'cpu',
    says: /12 points lower.*CPU throttling.{0,60} costs 20/i,
    never: /no known cause|did not load/,
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
      setChrome(psi, '120.0.6099.0');
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
      setChrome(psi, '128.0.6613.0');
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
    name: 'nothing throttled here',
    planted: 'local: method provided, remote simulated; 18 points higher here',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, {});
      setThrottling(lighthouse, { rttMs: 0, throughputKbps: 0, cpuSlowdownMultiplier: 1 }, 'provided');
      score(psi, { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.4 });
    },
    first: ['throttling', 'cpu'],
    says: /18 points higher.*(network throttling|throttl)/i,
    never: /did not load|no known cause|explains?|costs?|machines/i,
  },
  {
    name: 'a browser of a year ago, in three runs',
    planted: 'remote: Chrome 141; local 97 to 99, remote 91 by blocking time',
    plant: ({ psi }) => {
      setChrome(psi, '141.0.7390.0');
      blocking(psi, 0.72, 250);
      setScripts(psi, { '2.js': 58 });
    },
    others: [0.97, 0.94].map(value => draft => blocking(draft, value, 60)),
    first: ['chrome_version', 'unexplained', 'disturbed_run'],
    says: /8 points higher.*Possible cause.*browser/,
    never: /did not load|explains?|costs?|CPU throttling|simulation of|no known cause/i,
  },
  {
    name: 'a phone for a desktop computer, with what its settings cost',
    planted: 'remote: mobile with its network, local: desktop; 20 of 23 points by the network',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      lighthouse.configSettings.formFactor = 'desktop';
      setThrottling(psi, {});
      setThrottling(lighthouse, { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 });
      score(psi, { 'first-contentful-paint': 0.5, 'largest-contentful-paint': 0.22 });
    },
    simulated: { throttling: { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.34 } },
    first: ['throttling', 'form_factor'],
    says: /23 points higher.*(network throttling.{0,60} explains?|device)/i,
    never: /did not load|no known cause|machines|simulation of a/i,
  },
  {
    name: 'half the speed, and a multiplier of 4',
    planted: 'local: 4 against 1.2 times, 20 points; index 950 against 1,900 and scripts twice as long, 5 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1900;
      lighthouse.environment.benchmarkIndex = 950;
      setThrottling(psi, {});
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      runScripts(psi, [50, 52, 48, 51]);
      runScripts(lighthouse, [100, 104, 97, 102], {}, 4);
    },
    environment: { psi: { boot_id: far }, lighthouse: { boot_id: near } },
    simulated: { cpu: scoresOf({ tbt: blockingOf([100, 104, 97, 102]) }) },
    first: 'cpu',
    says: /2[3456] points lower.*CPU throttling.{0,60} explains?/i,
    never: /did not load|may have loaded|simulation of/i,
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
    name: 'four times here, the preset there',
    planted: 'Google, which tells no settings; local 4 times in each of three runs; 19 points lower',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      runScripts(psi, usualTimes);
      runScripts(lighthouse, usualTimes, {}, 4);
    },
    others: [0.97, 1.04].map(share => draft => {
      runScripts(
        draft,
        usualTimes.map(ms => share * ms),
        {},
        4,
      );
    }),
    analyser: googleApi,
    simulated: { cpu: scoresOf({ tbt: blockingOf(usualTimes) }) },
    first: 'cpu',
    says: /points lower.*CPU throttling.{0,60} explains?/i,
    never: /did not load|no known cause|machines|simulation of/i,
  },
  {
    name: 'a network as visitors of this page have it',
    planted: 'local: 70 ms and 9 Mbit/s, so paints come in half the time; remote: 150 ms and 1.6 Mbit/s',
    plant: ({ psi, lighthouse }) => {
      const heavy = { ...landing, paints: [2300, 4600, 4100] } as const;
      setThrottling(psi, {});
      setThrottling(lighthouse, { rttMs: 70, throughputKbps: 9000 });
      show(psi, heavy);
      show(lighthouse, { ...heavy, paints: [1100, 1900, 1700] });
    },
    simulated: { throttling: scoresOf({ fcp: 2300, lcp: 4620, si: 4120 }) },
    first: 'throttling',
    says: /(?=.*points higher).*network throttling/i,
    never: /did not load|may have loaded|no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'an older Lighthouse that simulates later paints',
    planted: 'remote: 12.3; the browsers saw the same paints, the simulated ones are 0.9 and 1.7 s later there',
    plant: ({ psi, lighthouse }) => {
      psi.lighthouseVersion = '12.3.0';
      show(psi, { ...manual, paints: [2150, 3500, 2600] });
      for (const id of ['dom-size-insight', 'lcp-breakdown-insight']) delete psi.audits[id];
      show(lighthouse, manual, 1.01);
    },
    first: ['simulation', 'lighthouse_version'],
    says: /points higher.*(of Lighthouse|simulation)/i,
    never: /did not load|may have loaded|explains?|costs?|processor|machines|no known cause|disturbed/i,
  },
  {
    name: 'the same page and another multiplier',
    planted: 'both: the chat script; local 4 times slower: the setting costs all of it',
    plant: ({ psi, lighthouse }) => {
      throttledChat(psi, 1.2, 250);
      throttledChat(lighthouse, 4, 250);
    },
    simulated: { cpu: scoresOf({ tbt: blockingOf([...Object.values(usualScripts), 250], 1.2) }) },
    first: 'cpu',
    says: /CPU throttling.{0,60} explains?/i,
    never: noOther,
  },
  {
    name: 'a newer Lighthouse on the remote side',
    planted: 'remote: 13.6.0 simulates FCP and LCP otherwise; both loads painted at 258 ms; 14 points',
    plant: ({ psi, lighthouse }) => {
      psi.lighthouseVersion = '13.6.0';
      measure(psi, { fcp: 900, lcp: 1300 }, { paint: 250, largest: 258 });
      measure(lighthouse, { fcp: 1900, lcp: 3600 }, { paint: 255, largest: 262 });
    },
    first: 'lighthouse_version',
    says: /Possible causes?: different versions of Lighthouse \(13\.6\.0 on psi\.example, 13\.5\.0/i,
    never: /did not load|no known cause|simulation/i,
  },
  {
    name: 'shifts and another multiplier',
    planted: 'local: 4 times slower (12 points) and CLS 0.28 (13 points)',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      mainThread(psi, usualScripts);
      mainThread(lighthouse, { '1.js': 90, '2.js': 80, '3.js': 60, '4.js': 40 }, { multiplier: 4 });
      mainThread(psi, { '1.js': 90, '2.js': 80, '3.js': 60, '4.js': 40 });
      shift(lighthouse, [{ selector: 'main', label: 'Boats', score: 0.28 }]);
    },
    simulated: { cpu: scoresOf({ tbt: blockingOf([90, 80, 60, 40]) }) },
    first: ['cpu', 'layout_shift'],
    says: /(?=.*CPU throttling.{0,60} explains?)(?=.*layout shifts.* accounts? for)/i,
    never: /did not load|no known cause|simulation of|disturbed|noise/i,
  },
  {
    name: 'a wait and another multiplier',
    planted: 'local: 4 times slower; 300 ms of blocking time are a measured wait (8 points)',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      mainThread(psi, usualScripts);
      mainThread(lighthouse, { '1.js': 50, '2.js': 55, '3.js': 45, '4.js': 40 }, { multiplier: 4, blockingMs: 860 });
    },
    environment: { lighthouse: waitFor(150, 84, 560) },
    simulated: { cpu: scoresOf({ tbt: 60 }) },
    first: 'cpu',
    says: /CPU throttling.{0,60} explains?/i,
    never: /did not load|no known cause|simulation of/i,
  },
  {
    name: 'a newer version that weighs the speed index only',
    planted: 'remote: 14.0.1; both loads alike; speed index 5.8 in place of 1.3 s',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '14.0.1';
      measure(psi, { si: 9000, fcp: 1300 }, { paint: 250, largest: 258 });
    },
    analyser: googleHost,
    first: 'lighthouse_version',
    says: /Possible causes?: different versions of Lighthouse \(14\.0\.1 on Google/i,
    never: /did not load|no known cause|the simulation of/i,
  },
  {
    name: 'a setting that one quick run hides',
    planted: 'local: 4 times slower, 74 to 93 in three runs, and 95 under the remote multiplier in each; remote 95',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      mainThread(psi, { '1.js': 120, '2.js': 110, '3.js': 90, '4.js': 60 });
      mainThread(lighthouse, { '1.js': 120, '2.js': 110, '3.js': 90, '4.js': 60 }, { multiplier: 4 });
    },
    others: [300, 1100].map(blockingMs => draft => {
      mainThread(draft, { '1.js': 120, '2.js': 110, '3.js': 90, '4.js': 60 }, { multiplier: 4, blockingMs });
    }),
    simulated: { cpu: scoresOf({ tbt: blockingOf([120, 110, 90, 60]) }) },
    first: 'cpu',
    says: /CPU throttling.{0,60} explains?/i,
    never: /did not load|no known cause|inside|beyond|disturbed/i,
  },
];
