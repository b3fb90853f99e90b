/** Variation between any two loads, which is not a difference. */
import {
  addFile,
  auditOf,
  base,
  custom,
  type Draft,
  origin,
  type PurePlant,
  requestsOf,
  setElement,
  setResponse,
} from '../pure-plants.ts';
import { addPicture, addScript, alike, blames, setScripts } from '../second-set/drafts.ts';
import { blockingOf, measure } from './drafts.ts';

type Nothing = Pick<PurePlant, 'name' | 'planted' | 'plant'> & Partial<PurePlant>;
const both =
  (change: (draft: Draft, at: number) => void): PurePlant['plant'] =>
  ({ psi, lighthouse }) =>
    [psi, lighthouse].forEach(change);
const names = ['1.js', '2.js', '3.js', '4.js'];
const work = (draft: Draft, times: readonly number[]) => {
  setScripts(draft, Object.fromEntries(times.map((ms, at) => [names[at], ms])));
  measure(draft, { tbt: blockingOf(times) });
};
const claims = /did not load|no known cause|explains?|costs?|CPU throttling|machines|simulation of/i;

const noDifference: readonly Nothing[] = [
  {
    name: 'an advertisement that takes turns',
    planted: 'both: a place for advertisements, with a boot of 41 KB on one side and a sofa of 36 KB on the other',
    plant: both((draft, at) => {
      const frame = { resourceType: 'Document', resourceSize: [4100, 4420][at], transferSize: [1700, 1790][at] };
      addFile(draft, `https://ads.example/frame?slot=1&r=${['81x', '7qf'][at]}`, frame);
      const picture = `https://ads.example/creatives/${['2231/boot', '8841/sofa'][at]}.jpg`;
      addPicture(draft, picture, [41_000, 36_000][at] ?? 0);
    }),
    never: claims,
  },
  {
    name: 'a build that changes nothing',
    planted: 'both: the same bundle and styles under names with other hashes, 0.2 % apart',
    plant: both((draft, at) => {
      addScript(draft, `${base}assets/main-${['Bq3x9LkA', 'D0pZ71yu'][at]}.js`, [84_120, 84_310][at] ?? 0);
      const styles = { resourceType: 'Stylesheet', resourceSize: [12_040, 12_062][at] };
      addFile(draft, `${base}assets/index-${['CwT2h_8s', 'Ax7-Lm0P'][at]}.css`, styles);
    }),
  },
  {
    name: 'requests in another order',
    planted: 'remote: the same requests, the other way round behind the document',
    plant: ({ psi }) => {
      const [document, ...files] = requestsOf(psi);
      auditOf(psi, 'network-requests').details.items = [...(document ? [document] : []), ...files.reverse()];
    },
  },
  {
    name: 'this machine under another port',
    planted: 'remote: another service of this machine, index 620 against 1,510; 2 points of blocking time',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 620;
      lighthouse.environment.benchmarkIndex = 1510;
      work(psi, [62, 66, 118, 60]);
      work(lighthouse, [47, 50, 92, 46]);
    },
    analyser: { ...custom, host: '192.168.4.20:9411' },
    environment: { psi: { boot_id: '77aa77aa77aa77aa' }, lighthouse: { boot_id: '77aa77aa77aa77aa' } },
  },
  {
    name: 'a little of every metric',
    planted: 'paints, blocking time, shifts and speed each a little apart; 2 points',
    plant: ({ psi, lighthouse }) => {
      measure(psi, { fcp: 1180, lcp: 2010, tbt: 70, cls: 0.02, si: 1500 });
      measure(lighthouse, { fcp: 1060, lcp: 2230, tbt: 132, cls: 0.035, si: 1400 });
    },
  },
  {
    name: 'some minutes ago',
    planted: 'both: the largest element says how old the page is',
    plant: both((draft, at) => setElement(draft, `Water levels, last updated ${['3', '4'][at]} minutes ago`)),
  },
  {
    name: 'a busy machine for both',
    planted: 'both: index 260 and 275 of usually 1,400, an audit beside them; 300 and 350 ms of blocking time',
    plant: both((draft, at) => {
      draft.environment.benchmarkIndex = [260, 275][at] ?? 0;
      work(
        draft,
        [
          [118, 121, 136, 36],
          [128, 137, 144, 38],
        ][at] ?? [],
      );
    }),
    analyser: { kind: 'embedded', host: '127.0.0.1:8000' },
    environment: {
      psi: { benchmark_median: 1400, concurrent_audits: 1 },
      lighthouse: { benchmark_median: 1400, concurrent_audits: 1 },
    },
    first: [null, 'run_noise', 'disturbed_run'],
    never: claims,
  },
  {
    name: 'a report to the edge',
    planted: 'local: what an edge and a counter are told of the load came before its end; no answer has a byte',
    plant: ({ lighthouse }) => {
      const empty = { statusCode: 204, resourceSize: 0, transferSize: 190 };
      addFile(lighthouse, `${origin}/cdn-cgi/rum?`, { ...empty, resourceType: 'XHR' });
      addFile(lighthouse, 'https://collect.example/g/collect?v=2&tid=G-77', { ...empty, resourceType: 'Fetch' });
      addFile(lighthouse, 'https://nel.example/report/v4?s=Zk2', { ...empty, resourceType: 'Ping' });
    },
  },
  {
    name: 'the manifest of an app',
    planted: 'remote: its browser asked for site.webmanifest and the icon in it',
    plant: ({ psi }) => {
      addFile(psi, `${origin}/site.webmanifest`, { resourceType: 'Manifest', resourceSize: 480, transferSize: 620 });
      addFile(psi, `${origin}/icons/icon-192.png`, { resourceType: 'Other', resourceSize: 9100, transferSize: 9250 });
    },
    never: claims,
  },
  {
    name: 'modes in five runs',
    planted: 'local: LCP of 1.85, 3.1, 1.87, 3.05 and 1.9 s; remote 3.08',
    plant: ({ psi }) => measure(psi, { lcp: 3080 }),
    others: [3100, 1870, 3050, 1900].map(lcp => draft => measure(draft, { lcp })),
    says: /inside the range of the 5 local runs/i,
  },
  {
    name: 'a cold server for the first run',
    planted: 'local: 2.4 s to the first byte in one of three runs, 40 ms in the others, as on the remote side',
    plant: ({ psi, lighthouse }) => [psi, lighthouse].forEach(draft => void setResponse(draft, 40)),
    others: [
      draft => {
        setResponse(draft, 2400);
        measure(draft, { fcp: 3500, lcp: 4300, si: 3600 }, { paint: 2650 });
      },
      draft => measure(draft, { lcp: 1900 }),
    ],
  },
  {
    name: 'a heavy page, twice',
    planted: 'both: a second of script; LCP 4.3 and 4.55 s, 1,016 and 1,075 ms of blocking time; 3 points',
    plant: both((draft, at) => {
      work(
        draft,
        [
          [520, 410],
          [548, 431],
        ][at] ?? [],
      );
      measure(draft, { fcp: 2100 + 60 * at, lcp: 4300 + 250 * at, si: 2900 + 100 * at }, { paint: 700 + 40 * at });
    }),
  },
  {
    name: 'a machine of the same make',
    planted: 'remote: another machine, index 1,480 against 1,210; every script a fifth faster; 1 point',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1480;
      lighthouse.environment.benchmarkIndex = 1210;
      work(psi, [66, 71, 90, 64]);
      work(lighthouse, [79, 85, 108, 77]);
    },
    environment: { psi: { boot_id: '00000000000000c7' }, lighthouse: { boot_id: '00000000000000d7' } },
  },
];

export const nothingAtAll: readonly PurePlant[] = noDifference.map(plant => ({
  first: [null, 'run_noise'],
  says: alike,
  never: new RegExp(`may have loaded|${blames.source}`, 'i'),
  ...plant,
  planted: `nothing: ${plant.planted}`,
}));
