/** Answers that came late on one side. */
import type { PlantRow } from '../compare-plant.ts';
import {
  addFile,
  aside,
  auditOf,
  base,
  type Draft,
  eachRequest,
  lcp,
  measure,
  phone,
  score,
  scoresOf,
  setDocument,
  setObserved,
  setPaints,
  setResponse,
  setThrottling,
  took,
  withFile,
} from '../drafts.ts';
import { blog, type Page } from '../pages/pages.ts';
import { show } from '../pages/show.ts';

const pictureNames = [1, 2, 3, 4, 5, 6].map(at => `${at}.png`);

const withLateCall = (draft: Draft, ms: number) =>
  addFile(draft, `${base}api/prices`, { resourceType: 'Fetch', resourceSize: 5200, transferSize: 2100, ...took(ms) });

/** Each answer waits: the document for so long, the files for somewhat less. */
const withAnswers = (draft: Draft, document: number, file: number) => {
  setResponse(draft, document);
  eachRequest(draft, item => ({ ...item, ...took(item.resourceType === 'Document' ? document : file) }));
};

const fromOrigin = (draft: Draft, at: number) => {
  withAnswers(draft, 520 + 15 * at, 430 - 10 * at);
  measure(draft, { fcp: 2100 + 20 * at, lcp: 2900 + 30 * at, si: 2100 + 20 * at }, { paint: 1250 + 30 * at });
};

const fontRequest = { resourceType: 'Font', resourceSize: 31_000, transferSize: 31_200 };

const fromTheShelf: Page = { ...blog, response: 90 };

const fromTheStable: Page = { ...blog, response: 2350, paints: [4300, 5100, 4900], seen: [2720, 3040] };

export const servers: readonly PlantRow[] = [
  {
    name: 'late server',
    planted: 'local: +900 ms on every answer; 8 points',
    plant: ({ lighthouse }) => {
      setResponse(lighthouse, 950);
      Object.assign(auditOf(lighthouse, 'metrics').details.items[0] ?? {}, {
        observedFirstContentfulPaint: 1400,
        observedLargestContentfulPaint: 1400,
      });
      lcp(lighthouse, 0.66);
    },
    again: [1, 1],
    says: /950 ms in local Lighthouse/i,
    never: /CPU throttling/i,
  },
  {
    name: 'late document that costs nothing',
    planted: 'remote: +900 ms on the document',
    plant: ({ psi }) => setResponse(psi, 940),
    again: [1, 1],
    says: /^The server took 940 ms to respond on/i,
    never: /CPU throttling/i,
  },
  {
    name: 'one late answer',
    planted: 'local: a style sheet takes 1500 ms, 9 points',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '2.css', { networkRequestTime: 100, networkEndTime: 130 });
      withFile(lighthouse, '2.css', { networkRequestTime: 100, networkEndTime: 1600 });
      Object.assign(auditOf(lighthouse, 'metrics').details.items[0] ?? {}, {
        observedFirstContentfulPaint: 1800,
        observedLargestContentfulPaint: 1800,
      });
      lcp(lighthouse, 0.6);
    },
    says: /Possible causes?: server response times\. The server took 30 ms for .*2\.css.* and 1500 ms/i,
    never: /no known cause|CPU throttling/i,
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
    says: /20 points lower.*server response times.{0,60} (explains?|accounts? for) (14|the whole).* and CPU throttling.{0,60} (explains?|accounts? for) (6|the whole)/i,
    never: /no known cause|did not load/,
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
    says: /server.*\/same-many\/api\/\w+/i,
    never: /no known cause|did not load|CPU throttling/i,
  },
  {
    name: 'a font that comes late',
    planted: 'remote: 1.9 s in place of 60 ms; 7 points',
    plant: ({ psi, lighthouse }) => {
      const font = { resourceType: 'Font', resourceSize: 30_000, transferSize: 30_100 };
      addFile(psi, 'https://fonts.example/a.woff2', { ...font, ...took(1900) });
      addFile(lighthouse, 'https://fonts.example/a.woff2', { ...font, ...took(60) });
      setObserved(psi, 240, 2100);
      lcp(psi, 0.7);
    },
    says: /7 points higher.*Possible cause.*server.*fonts\.example\/a\.woff2/i,
    never: /no known cause|did not load|CPU throttling|simulation of/i,
  },
  {
    name: 'a late server over three runs',
    planted: 'remote: 2.4 s; local 98 to 99, remote 85',
    plant: ({ psi }) => {
      setResponse(psi, 2400);
      setObserved(psi, 2650);
      score(psi, { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.55 });
    },
    others: [0.94, 0.98].map(value => draft => lcp(draft, value)),
    simulated: { server: { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.56 } },
    says: /14 points higher.*server response times.{0,60} explains?.*2400 ms to respond on/i,
    never: /no known cause|did not load|CPU throttling/i,
  },
  {
    name: 'an answer of three hours ago, from a slow server',
    planted: 'remote: 1.6 s, 9 points, three hours old',
    plant: ({ psi }) => {
      setResponse(psi, 1600);
      setObserved(psi, 1850);
      lcp(psi, 0.62);
    },
    cached: { age: 3 * 3600 },
    simulated: { server: { 'largest-contentful-paint': 0.62 } },
    says: /server response times.{0,60} (explains?|accounts? for) (9|the whole).*\. The result on psi\.example is 3 hours old/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'a document that comes in drops',
    planted: 'remote: its first byte at once, its last one after 2.6 s; 12 points of paints',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, took(2600));
      setDocument(lighthouse, took(60));
      setObserved(psi, 2700);
      score(psi, { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.65 });
    },
    says: /12 points higher.*server.*2600 ms/i,
    never: /simulation of|no known cause|did not load/i,
  },
  {
    name: 'the edge had none of it',
    planted: 'remote: each of six pictures took 900 ms in place of 30; 6 points higher here',
    plant: ({ psi, lighthouse }) => {
      for (const name of pictureNames) {
        withFile(psi, name, took(900));
        withFile(lighthouse, name, took(30));
      }
      setObserved(psi, 240, 1250);
      lcp(psi, 0.74);
    },
    simulated: {},
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
    says: /22 points higher.*server/i,
    never: /no known cause|did not load|CPU throttling|simulation of|machines/i,
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
    says: /server .*5 points lower|5 points lower.*server/i,
    never: /no known cause|CPU throttling|simulation of|machines|did not load/i,
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
    says: /18 points higher.*server response times.{0,60} explains?/i,
    never: /did not load|no known cause|simulation of|disturbed/i,
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
    says: /7 points higher.*(server|distance|round trip)/i,
    never: /did not load|no known cause|machines|simulation of|disturbed/i,
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
    says: /server.*api\/prices/i,
    never: /did not load|no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'all from the origin, none from the edge',
    planted: 'local: 520 ms for the document and 430 for each file in place of 40 and 25; 6 points lower; 3 runs',
    plant: ({ psi, lighthouse }) => {
      withAnswers(psi, 40, 25);
      fromOrigin(lighthouse, 0);
    },
    others: [1, 2].map(at => draft => fromOrigin(draft, at)),
    simulated: { server: scoresOf({ fcp: 1100, lcp: 1850, si: 1100 }) },
    says: /[567] points lower.*server/i,
    never: /did not load|no known cause|CPU throttling|machines|simulation of|disturbed/i,
  },
  {
    name: 'a function that was cold',
    planted: 'remote: the cart takes 2.2 s in place of 90 ms, and the largest paint waits for it; 9 points',
    plant: ({ psi, lighthouse }) => {
      const call = { resourceType: 'Fetch', resourceSize: 5100, transferSize: 2300 };
      addFile(psi, `${base}api/cart`, { ...call, ...took(2200) });
      addFile(lighthouse, `${base}api/cart`, { ...call, ...took(90) });
      measure(psi, { lcp: 3600, si: 2600 }, { paint: 230, largest: 2450 });
    },
    says: /points higher.*api\/cart/,
    never: /did not load|no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'a font that the text waits for',
    planted: 'local: 1.2 s in place of 30 ms; the first paint waits, 6 points',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}fonts/text.woff2`, { ...fontRequest, ...took(30) });
      addFile(lighthouse, `${base}fonts/text.woff2`, { ...fontRequest, ...took(1200) });
      measure(lighthouse, { fcp: 2200, lcp: 2800, si: 2300 }, { paint: 1350 });
    },
    says: /points lower.*text\.woff2/,
    never: /did not load|no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'a blog that is cached for all but this side',
    planted: 'local: 2,350 ms to the first byte in place of 90, in each of three runs; the files are the same',
    plant: ({ psi, lighthouse }) => {
      show(psi, fromTheShelf);
      show(lighthouse, fromTheStable);
    },
    others: [0.97, 1.02].map(wobble => draft => show(draft, fromTheStable, wobble)),
    simulated: { server: scoresOf({ fcp: 2320, lcp: 3120, si: 2930 }) },
    says: /(?=.*points lower).*server/i,
    never: /did not load|may have loaded|no known cause|processor|CPU throttling|machines|simulation of|disturbed/i,
  },
  {
    name: 'a document that dribbles',
    planted: 'local: its first byte is as early, its last 1.4 s later',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, took(90));
      setDocument(lighthouse, took(1490));
      measure(lighthouse, { fcp: 2600, lcp: 3400, si: 2700 }, { paint: 1650 });
    },
    says: /took (90|1490) ms for/i,
    never: aside,
  },
];
