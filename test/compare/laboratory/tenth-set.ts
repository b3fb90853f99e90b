/** Ordinary plants, written after the ninth set's gaps were fixed. Their author knows the rules but targets no gap. */
import { elsewhere, pageBy } from './fifth-set/expected.ts';
import {
  addError,
  addFile,
  base,
  type Draft,
  flip,
  type PurePlant,
  setDocument,
  setElement,
  setElements,
  setThrottling,
  withFile,
} from './pure-plants.ts';
import { addPicture, addScript, alike, blames, eachRequest, refused, setScripts, took } from './second-set/drafts.ts';
import { blockingOf, measure, scoresOf } from './seventh-set/drafts.ts';

const names = ['1.js', '2.js', '3.js', '4.js'];
/** Scripts that ran so long, in ms before the multiplier, and the blocking time of their tasks. */
function work(draft: Draft, times: readonly number[], others: Record<string, number> = {}, multiplier = 1.2): void {
  const own = Object.fromEntries(times.map((ms, at) => [names[at], ms]));
  setScripts(draft, { ...own, ...others }, multiplier);
  measure(draft, { tbt: blockingOf([...times, ...Object.values(others)], multiplier) });
}
const usual = [60, 62, 95, 58] as const;
const ids = { psi: { boot_id: '000000000000010a' }, lighthouse: { boot_id: '000000000000010b' } };
const chat = 'https://chat.example/app.js';
const trackers = {
  'https://stats.example/a.js': 120,
  'https://heat.example/h.js': 150,
  'https://tests.example/t.js': 90,
};
const font = { resourceType: 'Font', resourceSize: 31_000, transferSize: 31_200 };
const google = { kind: 'google', host: 'pagespeedonline.googleapis.com' } as const;

const withHero = (draft: Draft, bytes: number, lcp: number) => {
  addPicture(draft, `${base}hero`, bytes);
  measure(draft, { lcp });
};

const differences: readonly PurePlant[] = [
  {
    name: 'a chat that opens by itself',
    planted: 'both: its loader; remote: it opens, with a frame and 300 KB of script that run 220 ms; 6 points',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) addScript(draft, 'https://chat.example/loader.js', 20_000);
      addFile(psi, 'https://chat.example/window', { resourceType: 'Document', resourceSize: 18_000 });
      addScript(psi, chat, 300_000);
      work(psi, usual, { [chat]: 220 });
      work(lighthouse, usual);
    },
    first: 'different_page',
    says: pageBy('chat\\.example'),
    never: elsewhere,
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
    first: 'server',
    says: /points higher.*api\/cart/,
    never: /did not load|no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'the old format of one picture, in five runs',
    planted: 'local: 290 KB in place of 110 under one address, LCP 2.9 to 3.2 s in place of 2.1',
    plant: ({ psi, lighthouse }) => {
      withHero(psi, 110_000, 2100);
      withHero(lighthouse, 290_000, 3050);
    },
    others: [2900, 3100, 3200, 2980].map(lcp => draft => withHero(draft, 290_000, lcp)),
    againAsThere: scoresOf({ lcp: 2100 }),
    first: 'different_page',
    says: pageBy('hero'),
    never: elsewhere,
  },
  {
    name: 'a widget that fails, on a slower machine',
    planted: 'local: 500 for reviews; every script twice as long, index 1,000 against 2,100',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 2100;
      lighthouse.environment.benchmarkIndex = 1000;
      addFile(psi, `${base}api/reviews`, { resourceType: 'XHR', resourceSize: 7000 });
      addFile(lighthouse, `${base}api/reviews`, { resourceType: 'XHR', resourceSize: 60, statusCode: 500 });
      addError(lighthouse, 'Failed to load resource: the server responded with a status of 500 ()');
      flip(lighthouse, 'errors-in-console', 'best-practices', 0.7);
      work(psi, usual);
      work(lighthouse, [120, 126, 188, 115]);
    },
    environment: ids,
    first: 'different_page',
    says: /^The two sides did not load the same page: .*reviews returned a 500 in local Lighthouse/i,
    never: /no known cause|simulation of|explains?|costs?/i,
  },
  {
    name: 'the language that was asked for',
    planted: 'remote: English, local: German with 8 % more of the document; the same files and scores',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 24_000, transferSize: 7100 });
      setDocument(lighthouse, { resourceSize: 25_900, transferSize: 7700 });
      setElement(psi, 'Boats made by hand since 1921');
      setElement(lighthouse, 'Boote, von Hand gebaut seit 1921');
    },
    first: 'different_page',
    says: pageBy('document|Boote'),
    never: elsewhere,
  },
  {
    name: 'a font that the text waits for',
    planted: 'local: 1.2 s in place of 30 ms; the first paint waits, 6 points',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}fonts/text.woff2`, { ...font, ...took(30) });
      addFile(lighthouse, `${base}fonts/text.woff2`, { ...font, ...took(1200) });
      measure(lighthouse, { fcp: 2200, lcp: 2800, si: 2300 }, { paint: 1350 });
    },
    first: 'server',
    says: /points lower.*text\.woff2/,
    never: /did not load|no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'four times here, the preset there',
    planted: 'Google, which tells no settings; local 4 times in each of three runs; 19 points lower',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      work(psi, usual);
      work(lighthouse, usual, {}, 4);
    },
    others: [0.97, 1.04].map(share => draft => {
      work(
        draft,
        usual.map(ms => share * ms),
        {},
        4,
      );
    }),
    analyser: google,
    simulated: { cpu: scoresOf({ tbt: blockingOf(usual) }) },
    first: 'cpu',
    says: /points lower.*CPU throttling.{0,60} explains?/i,
    never: /did not load|no known cause|machines|simulation of/i,
  },
  {
    name: 'yesterday’s picture',
    planted: 'remote: 30 hours old, a hero of 90 KB; local: one of 350 KB, 4 points',
    plant: ({ psi, lighthouse }) => {
      withHero(psi, 90_000, 2000);
      withHero(lighthouse, 350_000, 2900);
    },
    cached: { age: 30 * 3600 },
    first: 'different_page',
    says: /(did not load the same page|different pages?).*hero.*1 day old/i,
    never: elsewhere,
  },
  {
    name: 'not for robots, on a staging server',
    planted: 'local: a robots tag of 44 bytes, so is-crawlable fails',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 1517, transferSize: 1677 });
      flip(lighthouse, 'is-crawlable', 'seo', 0.66);
    },
    first: ['audits', 'different_page'],
    says: /SEO is 34 points lower.*\(is-crawlable failed in local Lighthouse\)/i,
    never: elsewhere,
  },
  {
    name: 'trackers that this service refuses',
    planted: 'local: three scripts are no public hosts from here; 8 points higher here',
    plant: ({ psi, lighthouse }) => {
      for (const url of Object.keys(trackers)) {
        addScript(psi, url, 60_000);
        addScript(lighthouse, url, 0, refused);
      }
      work(psi, usual, trackers);
      work(lighthouse, usual);
    },
    environment: { lighthouse: { blocked_requests: 3 } },
    first: 'different_page',
    says: pageBy('stats\\.example|heat\\.example|tests\\.example'),
    never: elsewhere,
  },
  {
    name: 'a place for advertisements that fills late',
    planted: 'both: the same frame; remote it takes 1.9 s in place of 0.2, and layout shifts are 0.24; 12 points',
    plant: ({ psi, lighthouse }) => {
      const frame = { resourceType: 'Document', resourceSize: 9000, transferSize: 3600 };
      addFile(psi, 'https://ads.example/frame', { ...frame, ...took(1900) });
      addFile(lighthouse, 'https://ads.example/frame', { ...frame, ...took(200) });
      measure(psi, { cls: 0.24 });
    },
    first: ['layout_shift', 'server', 'different_page'],
    says: /points higher.*ads\.example\/frame/,
    never: /did not load|no known cause|CPU throttling|machines|simulation of|disturbed/i,
  },
  {
    name: 'two tests at once',
    planted: 'local: another headline, 38 elements of 24, and a bundle of 70 KB; the same scores',
    plant: ({ psi, lighthouse }) => {
      setElements(psi, 24);
      setElements(lighthouse, 38);
      setElement(lighthouse, 'Your boat, in three weeks');
      addScript(lighthouse, `${base}tests/fast-delivery.js`, 70_000);
      withFile(lighthouse, '4.png', { resourceSize: 81_200, transferSize: 81_350 });
    },
    first: 'different_page',
    says: pageBy('fast-delivery|Your boat|elements'),
    never: elsewhere,
  },
];

const both =
  (change: (draft: Draft, at: number) => void): PurePlant['plant'] =>
  ({ psi, lighthouse }) =>
    [psi, lighthouse].forEach(change);

const noDifference: readonly (Pick<PurePlant, 'name' | 'planted' | 'plant'> & Partial<PurePlant>)[] = [
  {
    name: 'Google, whose index is lower',
    planted: 'remote: index 560 against 1,600; 3 points of blocking time',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 560;
      lighthouse.environment.benchmarkIndex = 1600;
      work(psi, [78, 80, 130, 76]);
      work(lighthouse, usual);
    },
    analyser: google,
  },
  {
    name: 'a cookie in every answer',
    planted: 'local: 1.2 KB of headers more with each file; nothing else',
    plant: ({ lighthouse }) =>
      eachRequest(lighthouse, item => ({ ...item, transferSize: Number(item.transferSize) + 1200 })),
  },
  {
    name: 'between two modes',
    planted: 'local: 99, 91, 99, 92 and 98; remote 95',
    plant: ({ psi }) => measure(psi, { lcp: 2950 }),
    others: [3300, 1860, 3200, 2050].map(lcp => draft => measure(draft, { lcp })),
  },
  {
    name: 'a busy moment of one half',
    planted: 'embedded, each beside the other: every script 1.3 times as long here; 2 points',
    plant: both((draft, at) => work(draft, at === 0 ? usual : [77, 80, 122, 74])),
    analyser: { kind: 'embedded', host: '127.0.0.1:8000' },
    environment: { psi: { concurrent_audits: 1 }, lighthouse: { concurrent_audits: 1 } },
  },
];

export const tenthSet: readonly PurePlant[] = [
  ...differences,
  ...noDifference.map(plant => ({
    first: [null, 'run_noise'] as const,
    says: alike,
    never: blames,
    ...plant,
    planted: `nothing: ${plant.planted}`,
  })),
];
