/** No difference, but variation that the newest rules might mistake for one. */
import {
  addFile,
  auditOf,
  base,
  type Draft,
  lcp,
  moveTo,
  type PurePlant,
  requestsOf,
  score,
  setElement,
  setResponse,
  tbt,
} from '../pure-plants.ts';
import { addPicture, alike, blames, blocking } from '../second-set/drafts.ts';

const both =
  (change: (draft: Draft, at: number) => void): PurePlant['plant'] =>
  ({ psi, lighthouse }) =>
    [psi, lighthouse].forEach(change);
const work = (draft: Draft, group: string, duration: number) =>
  auditOf(draft, 'mainthread-work-breakdown').details.items.push({ group, duration });
const layout = (draft: Draft, duration: number) => {
  auditOf(draft, 'mainthread-work-breakdown').details.items = [
    { group: 'styleLayout', duration },
    { group: 'scriptEvaluation', duration: 190 },
  ];
};
const withVariant = (draft: Draft) => {
  addPicture(draft, `${base}heroes/b.jpg`, 300_000);
  lcp(draft, 0.42);
};

const noDifference: readonly (Pick<PurePlant, 'name' | 'planted' | 'plant'> & Partial<PurePlant>)[] = [
  {
    name: 'a stream of events',
    planted: 'local: a stream of 900 bytes more was open when the load ended',
    plant: ({ lighthouse }) => addFile(lighthouse, `${base}events`, { resourceType: 'EventSource', resourceSize: 900 }),
  },
  {
    name: 'refused in two ways',
    planted: 'both: a third party refuses, with 403 and with 451',
    plant: both((draft, at) =>
      addFile(draft, 'https://widget.example/w.js', { statusCode: [403, 451][at], resourceSize: 300 }),
    ),
  },
  {
    name: 'another price',
    planted: 'both: the largest element has the price of the hour',
    plant: both((draft, at) => setElement(draft, `Dinghy “Lotte”, now € ${['1.299,00', '1.349,50'][at]}`)),
  },
  {
    name: 'the rubbish of a script',
    planted: 'local: 260 ms of garbageCollection; no point',
    plant: ({ lighthouse }) => work(lighthouse, 'garbageCollection', 260),
  },
  {
    name: 'a test of which a local run saw the other half',
    planted: 'local A, B, A with 99, 85 and 99, remote B with 85',
    plant: ({ psi }) => withVariant(psi),
    others: [withVariant, () => {}],
    first: [null, 'run_noise'],
    says: /is inside the range of the 3 local runs/i,
  },
  {
    name: 'layout beside another audit',
    planted: '100 and 260 ms of layout, 2 points of blocking time',
    plant: ({ psi, lighthouse }) => {
      layout(psi, 120);
      layout(lighthouse, 312);
      blocking(lighthouse, 0.93, 110);
    },
    environment: { lighthouse: { concurrent_audits: 1 } },
  },
  {
    name: 'layout of a table, held up',
    planted: '60 and 290 ms of layout, 4 points of blocking time',
    plant: ({ psi, lighthouse }) => {
      layout(psi, 72);
      layout(lighthouse, 348);
      blocking(lighthouse, 0.87, 180);
    },
    environment: { lighthouse: { concurrent_audits: 1 } },
  },
  {
    name: 'the next browser',
    planted: 'remote: Chrome 154; 4 points of the speed index',
    plant: ({ psi }) => {
      psi.environment.hostUserAgent = psi.environment.hostUserAgent.replace('Chrome/153', 'Chrome/154');
      score(psi, { 'speed-index': 0.6 });
    },
  },
  {
    name: 'a patch of Lighthouse',
    planted: 'remote: 13.5.3; 1 point',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '13.5.3';
      lcp(psi, 0.94);
    },
  },
  {
    name: 'an answer of 50 minutes ago',
    planted: 'remote: from the cache; 2 points',
    plant: ({ psi }) => lcp(psi, 0.9),
    cached: { age: 50 * 60 },
    first: [null, 'run_noise', 'cached_answer'],
  },
  {
    name: 'to itself on both sides',
    planted: 'both: a 302 to the same address sets a cookie',
    plant: both(draft => {
      const hop = { url: base, statusCode: 302, resourceType: 'Document', resourceSize: 0, transferSize: 400 };
      auditOf(draft, 'network-requests').details.items = [hop, ...requestsOf(draft)];
    }),
  },
  {
    name: 'a slow moment of a known machine',
    planted: 'local: index 640 of usually 1,450, remote 1,500; 3 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1500;
      lighthouse.environment.benchmarkIndex = 640;
      tbt(lighthouse, 0.9);
    },
    environment: { lighthouse: { benchmark_median: 1450 } },
  },
  {
    name: 'a quarter of a second',
    planted: 'remote: 250 ms later to the first byte, 1 point',
    plant: ({ psi }) => {
      setResponse(psi, 290);
      lcp(psi, 0.94);
    },
    simulated: { server: { 'largest-contentful-paint': 0.95 } },
  },
  {
    name: 'another place in the page',
    planted: 'local: the address ends in #reviews',
    plant: ({ lighthouse }) => moveTo(lighthouse, `${base}#reviews`),
  },
];

export const moreNothings: readonly PurePlant[] = noDifference.map(plant => ({
  first: [null, 'run_noise'],
  says: alike,
  never: new RegExp(`may have loaded|${blames.source}`, 'i'),
  ...plant,
  planted: `nothing: ${plant.planted}`,
}));
