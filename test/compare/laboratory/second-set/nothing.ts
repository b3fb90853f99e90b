/** No difference of the page, the settings or the machines (A/A). The author had not read the rules. */
import {
  addError,
  addFile,
  base,
  lcp,
  origin,
  otherPicture,
  type PurePlant,
  score,
  setDocument,
  setElement,
  setElements,
  setResponse,
  setThrottling,
  tbt,
} from '../pure-plants.ts';
import { addPicture, addScript, alike, blames, blocking, refused, setPaints, setScripts } from './drafts.ts';

type Nothing = Omit<PurePlant, 'first' | 'says' | 'never'> & Partial<Pick<PurePlant, 'first' | 'says' | 'never'>>;

const slides = ['Rowing boats', 'Sailing boats', 'Paddles', 'Ropes and sails'];
const advertiser = (at: number, bytes: number) => (draft: Parameters<typeof addScript>[0]) => {
  addScript(draft, `https://bidder${'abcdefg'[at]}.example/bid.js`, bytes);
  addPicture(draft, `https://pictures.example/${['car', 'shoe', 'phone', 'sofa', 'watch'][at]}.jpg`, bytes / 2);
};

const noDifference: readonly Nothing[] = [
  {
    name: 'tokens and times in addresses',
    planted: 'a build id, a UUID, a time in seconds, a nonce in a query',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}_next/static/Xk3f_9aQpLm2tRw/_buildManifest.js`, 9000);
      addScript(lighthouse, `${base}_next/static/bT7Yq-04ZsEw1Lo/_buildManifest.js`, 9000);
      addScript(psi, 'https://cdn.example/s/550e8400-e29b-41d4-a716-446655440000/app.js', 21_000);
      addScript(lighthouse, 'https://cdn.example/s/0d9c2f7a-11d2-4c5b-9f0e-8a1b2c3d4e5f/app.js', 21_000);
      addPicture(psi, `${base}t/1732273000/spacer.gif?nonce=k3jA`, 43);
      addPicture(lighthouse, `${base}t/1732273012/spacer.gif?nonce=Zp0x`, 43);
    },
  },
  {
    name: 'data and blob addresses',
    planted: 'pictures in the page itself, a worker of a blob',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg', 900, { transferSize: 0 });
      addPicture(lighthouse, 'data:image/png;base64,R0lGODlhAQABAIAAAAUEBA', 14_000, { transferSize: 0 });
      addScript(psi, `blob:${origin}/550e8400-e29b-41d4-a716-446655440000`, 12_000, { transferSize: 0 });
      addScript(lighthouse, `blob:${origin}/0d9c2f7a-11d2-4c5b-9f0e-8a1b2c3d4e5f`, 12_000, { transferSize: 0 });
    },
  },
  {
    name: 'advertisements that differ on every load',
    planted: 'three local runs and the remote one each have another bidder and another picture',
    plant: ({ psi, lighthouse }) => {
      advertiser(0, 90_000)(psi);
      advertiser(1, 60_000)(lighthouse);
    },
    others: [advertiser(2, 130_000), advertiser(3, 45_000)],
  },
  {
    name: 'slides that take turns',
    planted: 'the largest element is another one in each of three local runs, and on the remote side',
    plant: ({ psi, lighthouse }) => {
      setElement(psi, slides[0] ?? '');
      otherPicture(psi);
      setElement(lighthouse, slides[1] ?? '');
    },
    others: [2, 3].map(at => draft => {
      setElement(draft, slides[at] ?? '');
      if (at === 3) otherPicture(draft);
    }),
  },
  {
    name: 'a page with a greeting',
    planted: 'the document is 6 % larger, and has one element more',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1561 });
      setElements(psi, 16);
    },
  },
  {
    name: 'the worker of a page without network',
    planted: 'local: its service worker asks for four files of the page once more, and for sw.js',
    plant: ({ lighthouse }) => {
      addScript(lighthouse, `${origin}/sw.js`, 3000, { sessionTargetType: 'worker' });
      for (const name of ['1.js', '2.js', '3.js', '4.js'])
        addFile(lighthouse, `${base}${name}`, {
          resourceType: 'Fetch',
          resourceSize: 30_074,
          transferSize: 0,
          sessionTargetType: 'worker',
        });
      addScript(lighthouse, `${base}1.js`, 30_074, { sessionTargetType: 'worker', transferSize: 0 });
    },
    never: /did not load|no known cause|explains?|costs?|CPU throttling/i,
  },
  {
    name: 'questions before calls',
    planted: 'remote: a preflight for an API; local it was remembered',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse])
        addFile(draft, 'https://api.example/v1/stock', { resourceType: 'Fetch', resourceSize: 2000 });
      addFile(psi, 'https://api.example/v1/stock', { resourceType: 'Preflight', resourceSize: 0, statusCode: 204 });
    },
  },
  {
    name: 'a third party that fails for both',
    planted: '502 on one side, 503 on the other, and both errors in the console',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://chat.example/loader.js', 120, { statusCode: 503 });
      addScript(lighthouse, 'https://chat.example/loader.js', 150, { statusCode: 502 });
      addError(psi, 'Failed to load resource: the server responded with a status of 503 ()');
      addError(lighthouse, 'Failed to load resource: the server responded with a status of 502 ()');
    },
  },
  {
    name: 'an error with a time in it',
    planted: 'both: the same error, at another time, from a script with another token',
    plant: ({ psi, lighthouse }) => {
      addError(psi, 'Error: cart is empty at 2026-11-22T09:34:55.102Z (app.js?t=1732267:12:9)');
      addError(lighthouse, 'Error: cart is empty at 2026-11-22T09:34:57.880Z (app.js?t=1732269:12:9)');
    },
  },
  {
    name: 'a beacon that was cut off',
    planted: 'local: a ping and a call to count visits that the end of the load cut off',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'https://count.example/collect?v=2', { resourceType: 'Ping', statusCode: 204, resourceSize: 0 });
      addFile(lighthouse, 'https://count.example/collect?v=2', { resourceType: 'Ping', ...refused, finished: false });
    },
  },
  {
    name: 'a film of which more was buffered',
    planted: 'both: 206 for the same film, 1.3 MB of it on one side and 2.4 MB on the other',
    plant: ({ psi, lighthouse }) => {
      const film = { resourceType: 'Media', statusCode: 206 };
      addFile(psi, `${base}film.mp4`, { ...film, resourceSize: 1_300_000, transferSize: 1_300_400 });
      addFile(lighthouse, `${base}film.mp4`, { ...film, resourceSize: 2_400_000, transferSize: 2_400_400 });
    },
    never: /did not load|no known cause|explains?|costs?|CPU throttling/i,
  },
  {
    name: 'a pixel of another size',
    planted: 'both: a GIF of 43 bytes on one side and 118 on the other',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, 'https://pixel.example/p.gif', 43);
      addPicture(lighthouse, 'https://pixel.example/p.gif', 118);
    },
  },
  {
    name: 'a slow server for both',
    planted: 'both: 1500 and 1380 ms',
    plant: ({ psi, lighthouse }) => {
      setResponse(psi, 1500);
      setResponse(lighthouse, 1380);
      lcp(psi, 0.7);
      lcp(lighthouse, 0.74);
    },
    simulated: { server: { 'largest-contentful-paint': 0.7 } },
  },
  {
    name: 'an index of 1.9 times',
    planted: 'remote 2100, local 1100; another host, 3 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 2100;
      lighthouse.environment.benchmarkIndex = 1100;
      blocking(lighthouse, 0.9, 190);
    },
    simulated: { machine: { 'total-blocking-time': 1 } },
  },
  {
    name: 'an index of 2.85 times',
    planted: 'remote 700, local 1995; another host, 4 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 700;
      lighthouse.environment.benchmarkIndex = 1995;
      blocking(psi, 0.87, 200);
    },
    simulated: { machine: { 'total-blocking-time': 0.87 } },
  },
  {
    name: 'two containers of one machine',
    planted: 'the same id and the same limit; benchmark 600 against 760',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 600;
      lighthouse.environment.benchmarkIndex = 760;
      blocking(psi, 0.93, 160);
    },
    environment: {
      psi: { boot_id: 'fedcba9876543210', processors: 0.5 },
      lighthouse: { boot_id: 'fedcba9876543210', processors: 0.5 },
    },
    simulated: { machine: { 'total-blocking-time': 0.93 } },
  },
  {
    name: 'a desktop page, twice',
    planted: 'both desktop, 2 points of blocking time apart',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) {
        draft.configSettings.formFactor = 'desktop';
        setThrottling(draft, { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 });
      }
      blocking(psi, 0.93, 160);
    },
  },
  {
    name: 'both throttled while they loaded',
    planted: 'method devtools on both sides, 3 points of LCP apart',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) setThrottling(draft, { cpuSlowdownMultiplier: 4 }, 'devtools');
      lcp(lighthouse, 0.86);
    },
  },
  {
    name: 'a network that is a little faster',
    planted: 'remote: 1700 in place of 1638 kbit/s, which costs nothing',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { throughputKbps: 1700 });
      setThrottling(lighthouse, {});
    },
    simulated: {},
    first: [null, 'throttling'],
  },
  {
    name: 'one run of five is bad',
    planted: 'local 60, 97, 98, 98, 99; remote 99',
    plant: ({ lighthouse }) => lcp(lighthouse, 0.94),
    others: [
      draft => lcp(draft, 0.9),
      draft => lcp(draft, 0.94),
      draft => lcp(draft, 0.98),
      draft => score(draft, { 'total-blocking-time': 0.1, 'largest-contentful-paint': 0.5 }),
    ],
  },
  {
    name: 'just outside the local runs',
    planted: 'local 90 to 94, remote 96',
    plant: ({ psi, lighthouse }) => {
      tbt(psi, 0.9);
      tbt(lighthouse, 0.76);
    },
    others: [0.7, 0.83].map(value => draft => tbt(draft, value)),
  },
  {
    name: 'settings that cost less than the runs lie apart',
    planted: 'local 70, 76, 93, remote 93; 4 against 1.2 times would be 12 points',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      tbt(psi, 0.77);
      tbt(lighthouse, 0.23);
    },
    others: [0.03, 0.8].map(value => draft => tbt(draft, value)),
    simulated: { cpu: { 'total-blocking-time': 0.63 } },
    first: ['run_noise', 'cpu'],
    says: /17 points lower.*is inside the range of the 3 local runs \(70 to 93\)/i,
    never: /CPU throttling|no known cause|did not load/i,
  },
  {
    name: 'modes of the simulation within the local runs',
    planted: 'local 99, 84, 98, remote 85: LCP of 1.8 or 3.8 s',
    plant: ({ psi, lighthouse }) => {
      for (const [draft, value, ms] of [
        [psi, 0.4, 3800],
        [lighthouse, 0.94, 1900],
      ] as const) {
        setPaints(draft, 1100, ms);
        lcp(draft, value);
      }
    },
    others: [0.36, 0.98].map(value => draft => lcp(draft, value)),
    first: ['run_noise', null],
    says: /inside the range of the 3 local runs/i,
    never: /no known cause|did not load|simulation of/i,
  },
  {
    name: 'a file that only the shown run has',
    planted: 'local: a survey of 90 KB came in one of three runs; the remote side has none',
    plant: ({ lighthouse }) => addScript(lighthouse, 'https://survey.example/ask.js', 90_000),
    others: [() => {}, () => {}],
  },
  {
    name: 'an answer of seven hours ago',
    planted: 'remote: from the cache, and the same',
    plant: () => {},
    cached: { age: 7 * 3600 },
    first: [null, 'cached_answer'],
    says: /^Both sides score 99.*result on psi\.example is 7 hours old/,
  },
  {
    name: 'the address with and without a slash',
    planted: 'remote: ends at /same-many, where this side ends at /same-many/',
    plant: ({ psi }) => {
      for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const) psi[key] = base.slice(0, -1);
      setDocument(psi, { url: base.slice(0, -1) });
    },
    never: /did not load|no known cause|explains?|costs?|CPU throttling/i,
  },
  {
    name: 'a session in the address',
    planted: 'both sides end at an address with an id of their own',
    plant: ({ psi, lighthouse }) => {
      for (const [draft, id] of [
        [psi, '9fA2'],
        [lighthouse, 'Kq71'],
      ] as const)
        for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const) {
          draft[key] = `${base}?sid=${id}`;
          setDocument(draft, { url: `${base}?sid=${id}` });
        }
    },
  },
  {
    name: 'two elements of the same size',
    planted: 'the headline is largest on one side, the text on the other; every byte is the same',
    plant: ({ psi }) => setElement(psi, 'Boats for every water'),
    first: [null, 'different_page'],
    says: /^Both sides score 99/,
    never: /did not load|no known cause|explains?|costs?|CPU throttling/i,
  },
  {
    name: 'a slow moment that costs nothing',
    planted: 'local: benchmark 60 % of what is usual',
    plant: ({ lighthouse }) => {
      lighthouse.environment.benchmarkIndex = 900;
    },
    environment: { lighthouse: { benchmark_median: 1500, concurrent_audits: 0 } },
    first: [null, 'disturbed_run'],
    never: /no known cause|did not load|explains?|costs?|machines|CPU throttling/i,
  },
  {
    name: 'scripts that are slower by chance',
    planted: 'local: one of three scripts 48 ms in place of 30, another 61 in place of 45; 2 points',
    plant: ({ psi, lighthouse }) => {
      setScripts(psi, { '1.js': 30, '2.js': 45, '3.js': 60 });
      setScripts(lighthouse, { '1.js': 48, '2.js': 61, '3.js': 58 });
      blocking(lighthouse, 0.93, 160);
    },
  },
];

export const nothings: readonly PurePlant[] = noDifference.map(plant => ({
  first: [null, 'run_noise'],
  says: alike,
  never: blames,
  ...plant,
  planted: `nothing: ${plant.planted}`,
}));
