/** Differences that are smaller, less common, or masked by others. */
import { elsewhere, pageBy } from '../fifth-set/expected.ts';
import {
  addError,
  addFile,
  addScriptTime,
  auditOf,
  base,
  type Draft,
  flip,
  lcp,
  moveTo,
  type PurePlant,
  score,
  setDocument,
  setElement,
  setElements,
  setResponse,
  setThrottling,
  withFile,
} from '../pure-plants.ts';
import {
  addPicture,
  addScript,
  blocking,
  eachRequest,
  setObserved,
  setPaints,
  setScripts,
  took,
} from '../second-set/drafts.ts';

const chrome = (draft: Draft, version: string) => {
  const { hostUserAgent } = draft.environment;
  draft.environment.hostUserAgent = hostUserAgent.replace(/Chrome\/[\d.]+/, `Chrome/${version}`);
};
const withLateCall = (draft: Draft, ms: number) =>
  addFile(draft, `${base}api/prices`, { resourceType: 'Fetch', resourceSize: 5200, transferSize: 2100, ...took(ms) });
const withAdvertisers = (draft: Draft) => {
  addScript(draft, 'https://ads.example/stack.js', 160_000);
  addScriptTime(draft, 'https://ads.example/stack.js', 180);
};

export const otherDifferences: readonly PurePlant[] = [
  {
    name: 'a width in the query of a picture',
    planted: 'remote: ?w=828 with 58 KB; local: ?w=1656 with 240; 6 points lower here',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, 'https://img.example/boats/hero.jpg?w=828', 58_000);
      addPicture(lighthouse, 'https://img.example/boats/hero.jpg?w=1656', 240_000);
      lcp(lighthouse, 0.74);
    },
    againAsThere: { 'largest-contentful-paint': 0.98 },
    first: 'different_page',
    says: pageBy('hero\\.jpg'),
    never: elsewhere,
  },
  {
    name: 'all pictures a little larger',
    planted: 'local: each of six has 1.42 times the bytes, 193 KB in all; 6 points lower',
    plant: ({ lighthouse }) => {
      eachRequest(lighthouse, item => {
        if (item.resourceType !== 'Image') return item;
        const resourceSize = Math.round(1.42 * Number(item.resourceSize));
        return { ...item, resourceSize, transferSize: resourceSize + 150 };
      });
      setObserved(lighthouse, 240, 420);
      setPaints(lighthouse, 1105, 2700);
      lcp(lighthouse, 0.74);
    },
    first: 'different_page',
    says: /(did not load the same page|different pages?)/i,
    never: elsewhere,
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
    name: 'the first to knock',
    planted: 'embedded: the server was cold for the remote half, 2.8 s in place of 60 ms; 18 points higher here',
    plant: ({ psi, lighthouse }) => {
      setResponse(psi, 2800);
      setResponse(lighthouse, 60);
      setObserved(psi, 3050);
      score(psi, { 'first-contentful-paint': 0.5, 'largest-contentful-paint': 0.44 });
    },
    analyser: { kind: 'embedded', host: '127.0.0.1:8000' },
    simulated: { server: { 'first-contentful-paint': 0.5, 'largest-contentful-paint': 0.45 } },
    first: 'server',
    says: /18 points higher.*server response times.{0,60} explains?/i,
    never: /did not load|no known cause|simulation of|disturbed/i,
  },
  {
    name: 'an app that wants you to sign in',
    planted: 'local: #/login, another largest element, 9 elements of 15, one call less; the scores are the same',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}api/overview`, { resourceType: 'Fetch', resourceSize: 31_000 });
      moveTo(lighthouse, `${base}#/login`);
      setElement(lighthouse, 'Sign in to your account');
      setElements(lighthouse, 9);
    },
    first: 'different_page',
    says: pageBy('login|Sign in|overview|elements'),
    never: elsewhere,
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
    name: 'a heavier page on a faster network',
    planted: 'local: a picture of 2.4 MB, and 40 ms and 10 Mbit/s: both score 85',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, {});
      setThrottling(lighthouse, { rttMs: 40, throughputKbps: 10_240 });
      withFile(lighthouse, '5.png', { resourceSize: 2_400_000, transferSize: 2_400_200 });
      lcp(psi, 0.42);
      lcp(lighthouse, 0.42);
    },
    simulated: { throttling: { 'largest-contentful-paint': 0 } },
    againAsThere: { 'largest-contentful-paint': 0.42 },
    first: 'different_page',
    says: /^The two sides did not load the same page.*5\.png.*both sides score 85/i,
    never: /explains?|accounts? for|costs?|no known cause|CPU throttling|machines|simulation of/i,
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
    name: 'a style sheet that came empty',
    planted: 'local: 0 bytes with status 200 in place of 9 KB; the scores are the same',
    plant: ({ lighthouse }) => withFile(lighthouse, '1.css', { resourceSize: 0, transferSize: 160 }),
    first: 'different_page',
    says: pageBy('1\\.css'),
    never: elsewhere,
  },
  {
    name: 'a script that came empty',
    planted: 'local: a proxy answers 6 KB of script with a 204; 3 points of blocking time',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}vendor/menu.js`, 6000);
      addScript(lighthouse, `${base}vendor/menu.js`, 0, { statusCode: 204, transferSize: 110 });
      addScriptTime(psi, `${base}vendor/menu.js`, 60);
      blocking(psi, 0.9, 170);
    },
    first: 'different_page',
    says: pageBy('menu\\.js'),
    never: elsewhere,
  },
  {
    name: 'a third party across an ocean',
    planted: 'remote: 210 ms to the host of the fonts in place of 12, the page itself is as near; 7 points',
    plant: ({ psi, lighthouse }) => {
      for (const [draft, rtt] of [
        [psi, 210],
        [lighthouse, 12],
      ] as const) {
        addFile(draft, 'https://fonts.example/a.woff2', { resourceType: 'Font', resourceSize: 22_000 });
        auditOf(draft, 'network-rtt').details.items.push({ origin: 'https://fonts.example', rtt });
      }
      setObserved(psi, 240, 980);
      lcp(psi, 0.7);
    },
    simulated: { server: { 'largest-contentful-paint': 0.71 } },
    first: 'server',
    says: /7 points higher.*(server|distance|round trip)/i,
    never: /did not load|no known cause|machines|simulation of|disturbed/i,
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
    name: 'a browser of a year ago, in three runs',
    planted: 'remote: Chrome 141; local 97 to 99, remote 91 by blocking time',
    plant: ({ psi }) => {
      chrome(psi, '141.0.7390.0');
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
    name: 'a call that is late in every run',
    planted: 'local: prices take 1.5 s in place of 60 ms in all of three runs; the largest paint waits, 9 points',
    plant: ({ psi, lighthouse }) => {
      withLateCall(psi, 60);
      withLateCall(lighthouse, 1500);
      setObserved(lighthouse, 240, 1760);
      setPaints(lighthouse, 1105, 3300);
      lcp(lighthouse, 0.62);
    },
    others: [0.6, 0.65].map((value, at) => draft => {
      withLateCall(draft, 1480 + 60 * at);
      setObserved(draft, 240, 1740);
      setPaints(draft, 1105, 3280);
      lcp(draft, value);
    }),
    simulated: {},
    first: 'server',
    says: /server.*api\/prices/i,
    never: /did not load|no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'one bundle or twelve',
    planted: 'remote: one script of 400 KB, 300 ms; local: twelve of 33 KB, 310 ms in all; 3 points lower',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}bundle.js`, 400_000);
      addScriptTime(psi, `${base}bundle.js`, 300);
      for (const name of 'abcdefghijkl') {
        addScript(lighthouse, `${base}chunks/${name}.js`, 33_000);
        addScriptTime(lighthouse, `${base}chunks/${name}.js`, 26);
      }
      score(lighthouse, { 'first-contentful-paint': 0.85, 'largest-contentful-paint': 0.88 });
    },
    first: 'different_page',
    says: pageBy('bundle|chunks'),
    never: elsewhere,
  },
  {
    name: 'built for old browsers',
    planted: 'local: 4.js has 58 KB in place of 30 and runs 120 ms more; 5 points, 3 runs',
    plant: ({ lighthouse }) => {
      withFile(lighthouse, '4.js', { resourceSize: 58_000, transferSize: 58_200 });
      addScriptTime(lighthouse, `${base}4.js`, 170);
      blocking(lighthouse, 0.82, 200);
    },
    others: [0.84, 0.8].map(value => draft => {
      withFile(draft, '4.js', { resourceSize: 58_000, transferSize: 58_200 });
      addScriptTime(draft, `${base}4.js`, 165);
      blocking(draft, value, 200);
    }),
    first: 'different_page',
    says: pageBy('4\\.js'),
    never: elsewhere,
  },
  {
    name: 'pictures inside the document',
    planted: 'remote: 610 KB of document, none of six pictures; 5 points higher here',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 610_000, transferSize: 470_000 });
      for (const at of [1, 2, 3, 4, 5, 6]) withFile(psi, `${at}.png`, null);
      score(psi, { 'first-contentful-paint': 0.62, 'largest-contentful-paint': 0.9 });
    },
    first: 'different_page',
    says: pageBy('document|png'),
    never: elsewhere,
  },
  {
    name: 'consent that was given, in five runs',
    planted: 'local: a stack of advertisements, 180 ms, in each run; 9 points lower',
    plant: ({ lighthouse }) => {
      withAdvertisers(lighthouse);
      blocking(lighthouse, 0.69, 260);
    },
    others: [0.7, 0.68, 0.71, 0.67].map(value => draft => {
      withAdvertisers(draft);
      blocking(draft, value, 260);
    }),
    againAsThere: { 'total-blocking-time': 1 },
    first: 'different_page',
    says: pageBy('ads\\.example'),
    never: elsewhere,
  },
  {
    name: 'places for advertisements',
    planted: 'remote: 6 elements more and 12 points of layout shifts; local 98 to 99 in three runs',
    plant: ({ psi }) => {
      setElements(psi, 21);
      score(psi, { 'cumulative-layout-shift': 0.5 });
    },
    others: [0.93, 0.96].map(value => draft => lcp(draft, value)),
    first: 'different_page',
    says: pageBy('elements'),
    never: /CPU throttling|machines|simulation of|disturbed|no known cause/i,
  },
  {
    name: 'an icon that is not there',
    planted: 'local: 404 for the icon, which the console tells; errors-in-console fails',
    plant: ({ lighthouse }) => {
      addFile(lighthouse, `${base.replace('same-many/', '')}favicon.ico`, {
        resourceType: 'Other',
        statusCode: 404,
        resourceSize: 200,
      });
      addError(lighthouse, 'Failed to load resource: the server responded with a status of 404 (Not Found)');
      flip(lighthouse, 'errors-in-console', 'best-practices', 0.7);
    },
    first: ['different_page', 'audits'],
    says: /errors-in-console|error in the console/i,
    never: elsewhere,
  },
  {
    name: 'a server and a picture',
    planted: 'remote: 700 ms in place of 37 to the first byte, 4 points; a picture of 380 KB, 6 points; 10 in all',
    plant: ({ psi }) => {
      setResponse(psi, 700);
      setObserved(psi, 950);
      withFile(psi, '1.png', { resourceSize: 380_000, transferSize: 380_200 });
      score(psi, { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.64 });
    },
    simulated: { server: { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.88 } },
    againAsThere: { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.64 },
    first: 'different_page',
    says: /^The two sides did not load the same page.*.*1\.png has 380 KB.*server/i,
    never: /no known cause|CPU throttling|machines|simulation of/i,
  },
];
