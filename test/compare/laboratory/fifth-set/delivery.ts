/** Differences in delivery: builds, data, caches, edges, servers. */
import {
  addFile,
  addScriptTime,
  auditOf,
  base,
  type Draft,
  lcp,
  origin,
  type PurePlant,
  requestsOf,
  score,
  setDocument,
  setElement,
  setElements,
  setResponse,
  setThrottling,
  withFile,
} from '../pure-plants.ts';
import { addPicture, addScript, blocking, eachRequest, setObserved, setScripts, took } from '../second-set/drafts.ts';
import { elsewhere, pageBy } from './expected.ts';

const files = [1, 2, 3, 4].map(at => `${at}.js`);
const pictures = [1, 2, 3, 4, 5, 6].map(at => `${at}.png`);
const asDevelopment = (draft: Draft) => {
  for (const name of files) withFile(draft, name, { resourceSize: 420_000, transferSize: 420_200 });
  addScript(draft, `${origin}/@vite/client`, 180_000);
  addFile(draft, `ws://www.boats.example/?token=Zq81`, { resourceType: 'WebSocket', statusCode: 101, resourceSize: 0 });
  setScripts(draft, { '1.js': 120, '2.js': 190, '3.js': 140, '4.js': 130 });
};

export const delivery: readonly PurePlant[] = [
  {
    name: 'a server for developers',
    planted: 'local: 420 KB in place of 30 for each bundle, its own client; 15 points lower',
    plant: ({ lighthouse }) => {
      asDevelopment(lighthouse);
      score(lighthouse, {
        'first-contentful-paint': 0.6,
        'largest-contentful-paint': 0.7,
        'total-blocking-time': 0.86,
      });
    },
    first: 'different_page',
    says: pageBy('\\d\\.js|@vite'),
    never: elsewhere,
  },
  {
    name: 'a server for developers, and another multiplier',
    planted: 'local: the same bundles, 12 points of paints; 4 against 1.2 times, 13.5 of blocking time; 5 runs',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      asDevelopment(lighthouse);
      score(lighthouse, { 'largest-contentful-paint': 0.5, 'total-blocking-time': 0.55 });
    },
    others: [0.54, 0.56, 0.53, 0.57].map(value => draft => {
      asDevelopment(draft);
      score(draft, { 'largest-contentful-paint': 0.5, 'total-blocking-time': value });
    }),
    simulated: { cpu: { 'total-blocking-time': 1 } },
    againAsThere: { 'largest-contentful-paint': 0.98 },
    first: 'different_page',
    says: /^The two sides did not load the same page.*(\d\.js|@vite).*CPU throttling.{0,60} explains?/i,
    never: /no known cause|machines|simulation of/i,
  },
  {
    name: 'source maps inside the bundle',
    planted: 'local: 1.js of 260 KB in place of 30, the same work; 5 points, desktop',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) draft.configSettings.formFactor = 'desktop';
      withFile(lighthouse, '1.js', { resourceSize: 260_000, transferSize: 190_000 });
      score(lighthouse, { 'first-contentful-paint': 0.78, 'largest-contentful-paint': 0.86 });
    },
    againAsThere: { 'first-contentful-paint': 0.99, 'largest-contentful-paint': 0.98 },
    first: 'different_page',
    says: pageBy('1\\.js'),
    never: elsewhere,
  },
  {
    name: 'data of a staging server',
    planted: 'remote: 420 elements and 30 pictures of offers; local: 15 elements; 9 points higher here',
    plant: ({ psi }) => {
      setElements(psi, 420);
      setDocument(psi, { resourceSize: 61_000, transferSize: 11_000 });
      for (let at = 0; at < 30; at++) addPicture(psi, `${origin}/stock/boat-${'abcdefghij'[at % 10]}${at}.jpg`, 31_000);
      lcp(psi, 0.62);
    },
    first: 'different_page',
    says: pageBy('stock|document|elements'),
    never: elsewhere,
  },
  {
    name: 'a deploy in between',
    planted: 'remote: 20 hours old; a bundle with a hash in its name has 95 KB in place of 34; 5 points',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}main.4f2a91c0.js`, 34_000);
      addScript(lighthouse, `${base}main.9c1e77ab.js`, 95_000);
      score(lighthouse, { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.84 });
    },
    cached: { age: 20 * 3600 },
    first: 'different_page',
    says: pageBy('main\\.'),
    never: elsewhere,
  },
  {
    name: 'a debug build under the same name',
    planted: 'local: 2.js has 4 KB more and runs for 520 ms in place of 58; 13 points; 3 runs',
    plant: ({ lighthouse }) => {
      withFile(lighthouse, '2.js', { resourceSize: 34_100, transferSize: 34_250 });
      setScripts(lighthouse, { '2.js': 440 });
      blocking(lighthouse, 0.56, 390);
    },
    others: [0.58, 0.53].map((value, at) => draft => {
      withFile(draft, '2.js', { resourceSize: 34_100, transferSize: 34_250 });
      setScripts(draft, { '2.js': 430 + 30 * at });
      blocking(draft, value, 380 + 40 * at);
    }),
    first: 'different_page',
    says: pageBy('2\\.js'),
    never: elsewhere,
  },
  {
    name: 'an agent inside the document',
    planted: 'remote: 19 KB of document in place of 1.5, whose scripts run for 230 ms; 7 points higher here',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 19_400, transferSize: 7200 });
      addScriptTime(psi, base, 230);
      blocking(psi, 0.76, 210);
    },
    first: 'different_page',
    says: pageBy('document|same-many/ ran'),
    never: elsewhere,
  },
  {
    name: 'files from a cache here',
    planted: 'local: all but the document took nothing of the network; 15 points higher',
    plant: ({ psi, lighthouse }) => {
      eachRequest(lighthouse, item => (item.resourceType === 'Document' ? item : { ...item, transferSize: 0 }));
      score(psi, { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.5 });
    },
    first: ['different_page', 'unexplained'],
    says: /15 points higher/,
    never: /simulation of|CPU throttling|CPU|machines|disturbed|server response/i,
  },
  {
    name: 'the edge had none of it',
    planted: 'remote: each of six pictures took 900 ms in place of 30; 6 points higher here',
    plant: ({ psi, lighthouse }) => {
      for (const name of pictures) {
        withFile(psi, name, took(900));
        withFile(lighthouse, name, took(30));
      }
      setObserved(psi, 240, 1250);
      lcp(psi, 0.74);
    },
    simulated: {},
    first: 'server',
    says: /6 points higher.*server/i,
    never: /no known cause|did not load|CPU throttling|simulation of|machines/i,
  },
  {
    name: 'a tunnel to the office',
    planted: 'local: 180 ms of round trip in place of 0.2; 9 points lower; 3 runs',
    plant: ({ lighthouse }) => {
      auditOf(lighthouse, 'network-rtt').numericValue = 180;
      for (const item of auditOf(lighthouse, 'network-rtt').details.items) item.rtt = 180;
      setObserved(lighthouse, 980);
      score(lighthouse, { 'first-contentful-paint': 0.78, 'largest-contentful-paint': 0.7 });
    },
    others: [0.7, 0.71].map(value => draft => {
      auditOf(draft, 'network-rtt').numericValue = 175;
      for (const item of auditOf(draft, 'network-rtt').details.items) item.rtt = 175;
      setObserved(draft, 960);
      score(draft, { 'first-contentful-paint': 0.78, 'largest-contentful-paint': value });
    }),
    simulated: { server: { 'first-contentful-paint': 0.99, 'largest-contentful-paint': 0.98 } },
    first: 'server',
    says: /9 points lower.*(server|round trip)/i,
    never: /no known cause|did not load|CPU throttling|simulation of|machines/i,
  },
  {
    name: 'a function that slept',
    planted: 'remote: 3.1 s to the first byte once, 40 ms here; desktop; the re-audit is not possible; 22 points',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) draft.configSettings.formFactor = 'desktop';
      setThrottling(lighthouse, {}, 'provided');
      setThrottling(psi, {}, 'provided');
      setResponse(psi, 3100);
      setObserved(psi, 3400);
      score(psi, { 'first-contentful-paint': 0.35, 'largest-contentful-paint': 0.35 });
    },
    first: 'server',
    says: /22 points higher.*server/i,
    never: /no known cause|did not load|CPU throttling|simulation of|machines/i,
  },
  {
    name: 'to itself, with a cookie',
    planted: 'remote: a 302 from the address to itself, 700 ms; 9 points higher here',
    plant: ({ psi }) => {
      const hop = { url: base, statusCode: 302, resourceType: 'Document', resourceSize: 0, transferSize: 420 };
      auditOf(psi, 'network-requests').details.items = [{ ...hop, ...took(700) }, ...requestsOf(psi)];
      setObserved(psi, 960);
      score(psi, { 'first-contentful-paint': 0.75, 'largest-contentful-paint': 0.7 });
    },
    first: ['different_page', 'server'],
    says: /redirect|server/i,
    never: /status 302|no known cause|CPU throttling|simulation of|machines/i,
  },
  {
    name: 'a lazy first picture',
    planted: 'local: loading="lazy", so 15 bytes more of document and a low priority; 10 points; 3 runs',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '3.png', { priority: 'High' });
      withFile(lighthouse, '3.png', { priority: 'Low' });
      setDocument(lighthouse, { resourceSize: 1488, transferSize: 1648 });
      setObserved(lighthouse, 240, 1100);
      lcp(lighthouse, 0.58);
    },
    others: [0.57, 0.6].map(value => draft => {
      withFile(draft, '3.png', { priority: 'Low' });
      setDocument(draft, { resourceSize: 1488, transferSize: 1648 });
      setObserved(draft, 240, 1100);
      lcp(draft, value);
    }),
    first: 'different_page',
    says: pageBy('priorit|document|3\\.png'),
    never: /processor|CPU throttling|machines|simulation of|disturbed|network throttling/i,
  },
  {
    name: 'slides in place of one picture',
    planted: 'local: three slides and the script that turns them; layout shifts cost 8 points',
    plant: ({ lighthouse }) => {
      for (const at of 'abc') addPicture(lighthouse, `${base}slides/${at}.jpg`, 140_000);
      addScript(lighthouse, `${base}swiper.min.js`, 140_000);
      addScriptTime(lighthouse, `${base}swiper.min.js`, 30);
      score(lighthouse, { 'cumulative-layout-shift': 0.68 });
    },
    first: 'different_page',
    says: pageBy('slides|swiper'),
    never: elsewhere,
  },
  {
    name: 'the second page of a list',
    planted: 'remote: a taller screen, so the script asked for 12 more; the scores are the same',
    plant: ({ psi }) => {
      addFile(psi, `${base}api/list?page=2`, { resourceType: 'Fetch', resourceSize: 26_000 });
      for (const at of 'abcdefghijkl') addPicture(psi, `${origin}/list/${at}.jpg`, 18_000);
      setElements(psi, 87);
    },
    first: 'different_page',
    says: pageBy('list'),
    never: elsewhere,
  },
  {
    name: 'a notice above the page',
    planted: 'local: 420 bytes of document, two elements more, layout shifts cost 10 points',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 1893, transferSize: 2053 });
      setElements(lighthouse, 17);
      score(lighthouse, { 'cumulative-layout-shift': 0.6 });
    },
    first: 'different_page',
    says: pageBy('document|elements'),
    never: elsewhere,
  },
  {
    name: 'too many at once',
    planted: 'local: 429 for three of six pictures; 2 points higher',
    plant: ({ psi, lighthouse }) => {
      for (const name of ['2.png', '4.png', '6.png'])
        withFile(lighthouse, name, { statusCode: 429, resourceSize: 0, transferSize: 180 });
      lcp(psi, 0.88);
    },
    first: 'different_page',
    says: pageBy('429'),
    never: elsewhere,
  },
  {
    name: 'another picture, one bad run of five',
    planted: 'remote: 2 MB, 15 points; local 66, 97, 98, 99 and 99',
    plant: ({ psi }) => {
      withFile(psi, '2.png', { resourceSize: 2_000_000, transferSize: 2_000_200 });
      lcp(psi, 0.38);
    },
    others: [
      draft => blocking(draft, 0, 2600),
      draft => lcp(draft, 0.9),
      draft => lcp(draft, 0.94),
      draft => lcp(draft, 0.98),
    ],
    first: ['different_page', 'run_noise'],
    says: /2\.png has 2 MB/,
    never: /no known cause|CPU throttling|machines|simulation of/i,
  },
  {
    name: 'the other half of a test, on every load of a side',
    planted: 'remote: headline B, local: headline A in all of 3 runs, a style sheet of 14 KB for B; 5 points',
    plant: ({ psi }) => {
      setElement(psi, 'Find your next adventure');
      addFile(psi, `${base}variant-b.css`, { resourceType: 'Stylesheet', resourceSize: 14_000 });
      score(psi, { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.82 });
    },
    others: [0.97, 0.96].map(value => draft => lcp(draft, value)),
    first: 'different_page',
    says: pageBy('variant-b|Find your next'),
    never: elsewhere,
  },
  {
    name: 'a slow server with the same paint',
    planted: 'local: 900 ms in place of 37 to the first byte, 5 points of FCP and LCP',
    plant: ({ lighthouse }) => {
      setResponse(lighthouse, 900);
      setObserved(lighthouse, 1150);
      score(lighthouse, { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.85 });
    },
    simulated: { server: { 'first-contentful-paint': 0.98, 'largest-contentful-paint': 0.98 } },
    first: 'server',
    says: /server .*5 points lower|5 points lower.*server/i,
    never: /no known cause|CPU throttling|simulation of|machines|did not load/i,
  },
];
