/** No difference, only variation as in practice. */
import {
  addError,
  addFile,
  auditOf,
  base,
  type Draft,
  lcp,
  origin,
  type PurePlant,
  score,
  setDocument,
  setElement,
  setResponse,
  setThrottling,
  tbt,
} from '../pure-plants.ts';
import { addPicture, addScript, alike, blames, blocking, eachRequest, setScripts } from '../second-set/drafts.ts';

const both =
  (change: (draft: Draft, at: number) => void): PurePlant['plant'] =>
  ({ psi, lighthouse }) =>
    [psi, lighthouse].forEach(change);

const noDifference: readonly (Pick<PurePlant, 'name' | 'planted' | 'plant'> & Partial<PurePlant>)[] = [
  {
    name: 'a socket with a token',
    planted: 'both: a WebSocket under an address of its own',
    plant: both((draft, at) => {
      const socket = { resourceType: 'WebSocket', statusCode: 101, resourceSize: 0 };
      addFile(draft, `ws://www.boats.example/live?token=${['Zq81', 'mN02'][at]}`, socket);
    }),
  },
  {
    name: 'two kinds of compression',
    planted: 'remote: everything but pictures took an eighth less of the network',
    plant: ({ psi }) =>
      eachRequest(psi, item =>
        item.resourceType === 'Image' ? item : { ...item, transferSize: Math.round(Number(item.transferSize) * 0.88) },
      ),
  },
  {
    name: 'one run of five far below',
    planted: 'local 69, 97, 98, 99 and 99; remote 97',
    plant: ({ psi }) => lcp(psi, 0.88),
    others: [draft => blocking(draft, 0, 2600), draft => lcp(draft, 0.9), draft => lcp(draft, 0.94), () => {}],
  },
  {
    name: 'consent in an address',
    planted: 'both: one script with gdpr=0 or gdpr=1 and a string',
    plant: both((draft, at) =>
      addScript(draft, `https://tag.example/t.js?gdpr=${at}&gdpr_consent=${['', 'CPXxRfAPXxRfAAfKABENB'][at]}`, 30_000),
    ),
  },
  {
    name: 'folders that carry a build',
    planted: 'both: the same script in a folder with another number',
    plant: both((draft, at) => addScript(draft, `${origin}/v/${['1732290112', '1732290981'][at]}/app.js`, 66_000)),
  },
  {
    name: 'a word home',
    planted: 'remote: an empty 204 of a counter that sends by fetch',
    plant: ({ psi }) =>
      addFile(psi, `${origin}/rum/collect`, {
        resourceType: 'Fetch',
        statusCode: 204,
        resourceSize: 0,
        transferSize: 90,
      }),
  },
  {
    name: 'the icon of the page',
    planted: 'local: asked for its icon of 4 KB and its manifest, remote not',
    plant: ({ lighthouse }) => {
      addFile(lighthouse, `${origin}/favicon.ico`, { resourceType: 'Other', resourceSize: 4286 });
      addFile(lighthouse, `${origin}/site.webmanifest`, { resourceType: 'Manifest', resourceSize: 420 });
    },
  },
  {
    name: 'a page fetched ahead',
    planted: 'remote: in an idle moment, the next page of 24 KB',
    plant: ({ psi }) => addFile(psi, `${origin}/next/`, { resourceType: 'Prefetch', resourceSize: 24_000 }),
  },
  {
    name: 'the speed index of one load',
    planted: '4 points',
    plant: ({ lighthouse }) => score(lighthouse, { 'speed-index': 0.6 }),
  },
  {
    name: 'a machine one street away',
    planted: 'remote: 12 ms of round trip, 2 points of LCP',
    plant: ({ psi }) => {
      auditOf(psi, 'network-rtt').numericValue = 12;
      for (const item of auditOf(psi, 'network-rtt').details.items) item.rtt = 12;
      lcp(psi, 0.9);
    },
    simulated: { server: { 'largest-contentful-paint': 0.97 } },
  },
  {
    name: 'a server that was busier',
    planted: 'local: 180 ms in place of 37, 1 point',
    plant: ({ lighthouse }) => {
      setResponse(lighthouse, 180);
      lcp(lighthouse, 0.94);
    },
    simulated: { server: { 'largest-contentful-paint': 0.95 } },
  },
  {
    name: 'a shift that nearly shows',
    planted: 'local: 1 point',
    plant: ({ lighthouse }) => score(lighthouse, { 'cumulative-layout-shift': 0.97 }),
  },
  {
    name: 'two indices of one machine, five points',
    planted: 'embedded: 900 and 1,500; blocking time',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1500;
      lighthouse.environment.benchmarkIndex = 900;
      setScripts(psi, { '1.js': 60, '2.js': 71, '3.js': 58 });
      setScripts(lighthouse, { '1.js': 75, '2.js': 84, '3.js': 79 });
      blocking(lighthouse, 0.84, 170);
    },
    analyser: { kind: 'embedded', host: '127.0.0.1:8000' },
    first: [null, 'run_noise', 'disturbed_run'],
    says: /within (normal|the spread)|Possible cause|run-to-run noise/i,
    never: /did not load|no known cause|explains?|costs?|CPU throttling|machines|simulation of/i,
  },
  {
    name: 'a patch of the browser',
    planted: '153.0.8010 and 153.0.8033; 2 points',
    plant: ({ psi }) => {
      psi.environment.hostUserAgent = psi.environment.hostUserAgent.replace('8010.0', '8033.2');
      tbt(psi, 0.93);
    },
  },
  {
    name: 'a countdown',
    planted: 'both: the largest element counts down',
    plant: both((draft, at) => setElement(draft, `The sale ends in 02:1${3 + at}:${44 - 9 * at}`)),
  },
  {
    name: 'Google, a point',
    planted: 'remote: Google, 98; the multipliers are alike',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, {});
      lcp(psi, 0.94);
    },
    analyser: { kind: 'google', host: 'www.googleapis.com' },
  },
  {
    name: 'three points on a desktop',
    planted: 'both desktop, LCP',
    strategy: 'desktop',
    plant: both((draft, at) => {
      draft.configSettings.formFactor = 'desktop';
      setThrottling(draft, { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 });
      lcp(draft, 0.98 - 0.12 * at);
    }),
  },
  {
    name: 'among three runs',
    planted: 'local 89, 92 and 96, remote 90',
    plant: ({ psi, lighthouse }) => {
      tbt(psi, 0.7);
      tbt(lighthouse, 0.75);
    },
    others: [0.66, 0.89].map(value => draft => tbt(draft, value)),
  },
  {
    name: 'nonces',
    planted: 'the document has 8 bytes more',
    plant: ({ psi }) => setDocument(psi, { resourceSize: 1481, transferSize: 1641 }),
  },
  {
    name: 'pictures packed anew',
    planted: 'remote: six pictures 1 to 3 % larger',
    plant: ({ psi }) =>
      eachRequest(psi, item =>
        item.resourceType === 'Image' ? { ...item, resourceSize: Math.round(Number(item.resourceSize) * 1.02) } : item,
      ),
  },
  {
    name: 'a frame on a name for each load',
    planted: 'both: a safe frame on a random name',
    plant: both((draft, at) =>
      addFile(
        draft,
        `https://${['a1b2c3d4e5f60718', '90ef81c2ab3377d1'][at]}.safeframe.example/1-0-40/container.html`,
        { resourceType: 'Document', resourceSize: 6000 },
      ),
    ),
  },
  {
    name: 'an error with the number of a request',
    planted: 'both: the same failure',
    plant: both((draft, at) =>
      addError(draft, `Uncaught (in promise) Error: request ${['9f3c01aa', '11be7720'][at]} was not found`),
    ),
  },
  {
    name: 'beside another audit, without harm',
    planted: 'local: one more audit at once, benchmark a fifth lower; no point',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1000;
      lighthouse.environment.benchmarkIndex = 800;
    },
    environment: { lighthouse: { concurrent_audits: 1, benchmark_median: 1000 } },
    first: [null, 'run_noise', 'disturbed_run'],
  },
  {
    name: 'a thumbnail that was not asked for',
    planted: 'local: a picture of 3 KB more, below the screen',
    plant: ({ lighthouse }) => {
      addPicture(lighthouse, `${base}thumbs/last.webp`, 3000);
    },
  },
];

export const nothings: readonly PurePlant[] = noDifference.map(plant => ({
  first: [null, 'run_noise'],
  says: alike,
  never: new RegExp(`may have loaded|${blames.source}`, 'i'),
  ...plant,
  planted: `nothing: ${plant.planted}`,
}));
