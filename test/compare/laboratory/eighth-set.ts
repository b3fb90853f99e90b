/** Plants that target gaps in the rules, written with the rules at hand, before any was tried. */
import { elsewhere, pageBy } from './fifth-set/expected.ts';
import {
  addFile,
  addScriptTime,
  base,
  type Draft,
  type PurePlant,
  setDocument,
  setElement,
  setThrottling,
} from './pure-plants.ts';
import { addPicture, addScript, alike, blames, eachRequest, refused, setScripts, took } from './second-set/drafts.ts';
import { blockingOf, measure } from './seventh-set/drafts.ts';

const names = ['1.js', '2.js', '3.js', '4.js'];
/** Scripts that ran so long, in ms before the multiplier, and the blocking time of their tasks. */
function work(draft: Draft, times: readonly number[], multiplier = 1.2): void {
  setScripts(draft, Object.fromEntries(times.map((ms, at) => [names[at], ms])), multiplier);
  measure(draft, { tbt: blockingOf(times, multiplier) });
}
const indices = ({ psi, lighthouse }: { psi: Draft; lighthouse: Draft }, theirs: number, ours: number) => {
  psi.environment.benchmarkIndex = theirs;
  lighthouse.environment.benchmarkIndex = ours;
};
const ids = { psi: { boot_id: '00000000000000e8' }, lighthouse: { boot_id: '00000000000000f8' } };
const noPage = /did not load|may have loaded|explains?|costs?|simulation of/i;
const slow = [240, 345, 385, 270] as const;
const unpacked = (draft: Draft) =>
  eachRequest(draft, item => (item.resourceType === 'Stylesheet' ? { ...item, transferSize: 9163 } : { ...item }));
const packed = (draft: Draft) =>
  eachRequest(draft, item => (item.resourceType === 'Stylesheet' ? { ...item, transferSize: 2300 } : { ...item }));

const differences: readonly PurePlant[] = [
  {
    name: 'a quota that the index did not meet',
    planted: 'local: all of four scripts take four times as long, the index says 1,400 as there; 22 points lower',
    plant: drafts => {
      indices(drafts, 1420, 1400);
      work(drafts.psi, [60, 85, 95, 68]);
      work(drafts.lighthouse, slow);
    },
    environment: ids,
    first: ['machine', 'disturbed_run', 'unexplained'],
    says: /2[0123] points lower/,
    never: noPage,
  },
  {
    name: 'a quota in every run',
    planted: 'local: the same in each of three runs',
    plant: drafts => {
      indices(drafts, 1420, 1400);
      work(drafts.psi, [60, 85, 95, 68]);
      work(drafts.lighthouse, slow);
    },
    others: [0.96, 1.05].map(share => draft => {
      draft.environment.benchmarkIndex = 1410;
      work(
        draft,
        slow.map(ms => share * ms),
      );
    }),
    environment: ids,
    first: ['machine', 'disturbed_run', 'unexplained'],
    says: /2[0123] points lower/,
    never: noPage,
  },
  {
    name: 'a machine of 2.5 times the speed, by its index and by its scripts',
    planted: 'remote: index 2,500 against 1,000, every script takes 0.4 times as long; 9 points lower',
    plant: drafts => {
      indices(drafts, 2500, 1000);
      work(drafts.psi, [45, 48, 52, 44]);
      work(drafts.lighthouse, [113, 120, 131, 110]);
    },
    environment: ids,
    first: ['machine', 'disturbed_run', 'unexplained'],
    says: /points lower.*Possible causes?: the speed of the machines/i,
    never: noPage,
  },
  {
    name: 'a slower machine, and one script that is another one',
    planted: 'local: three scripts 2.2 times as long, 4.js 14 times; 4.js is named',
    plant: drafts => {
      indices(drafts, 1900, 900);
      work(drafts.psi, [45, 48, 52, 44]);
      work(drafts.lighthouse, [99, 106, 115, 620]);
    },
    environment: ids,
    first: 'different_page',
    says: pageBy('4\\.js'),
    never: /[123]\.js ran|explains?|costs?|simulation of/i,
  },
  {
    name: 'styles that are not packed',
    planted: 'local: 27 KB of the network for three style sheets in place of 7; 6 points, on a slow line',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) setThrottling(draft, { rttMs: 300, throughputKbps: 400 });
      packed(psi);
      unpacked(lighthouse);
      measure(psi, { fcp: 2300, lcp: 3600, si: 2600 });
      measure(lighthouse, { fcp: 2900, lcp: 4200, si: 3200 });
    },
    first: 'different_page',
    says: /^The two sides got the same files with different compression: .*css/,
    never: elsewhere,
  },
  {
    name: 'a canary build',
    planted: 'local: main of 140 KB and 240 ms in place of 84 KB and 40, under a name with another hash',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}assets/main-Bq3x9LkA.js`, 84_000);
      addScriptTime(psi, `${base}assets/main-Bq3x9LkA.js`, 40);
      addScript(lighthouse, `${base}assets/main-Wd81_tRz.js`, 140_000);
      addScriptTime(lighthouse, `${base}assets/main-Wd81_tRz.js`, 240);
      measure(lighthouse, { tbt: 240 });
    },
    first: 'different_page',
    says: pageBy('main-'),
    never: elsewhere,
  },
  {
    name: 'a film for an advertisement',
    planted: 'remote: a picture of 1.9 MB in the place for advertisements, local one of 40 KB; 5 points',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, 'https://ads.example/creatives/1204/cruise.gif', 1_900_000);
      addPicture(lighthouse, 'https://ads.example/creatives/2231/boot.jpg', 40_000);
      measure(psi, { lcp: 3100 });
    },
    first: 'different_page',
    says: pageBy('ads\\.example'),
    never: elsewhere,
  },
  {
    name: 'a library that nobody answers for',
    planted: 'local: a script of a third party holds the page up until it times out after 5 s; 26 points lower',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://lib.example/polyfill.js', 30_000, took(40));
      addScript(lighthouse, 'https://lib.example/polyfill.js', 0, { ...refused, ...took(5000), finished: true });
      measure(lighthouse, { fcp: 4200, lcp: 4600, si: 4700 }, { paint: 5300 });
    },
    first: 'different_page',
    says: pageBy('lib\\.example'),
    never: elsewhere,
  },
];

const both =
  (change: (draft: Draft, at: number) => void): PurePlant['plant'] =>
  ({ psi, lighthouse }) =>
    [psi, lighthouse].forEach(change);
const claims = /did not load|no known cause|explains?|costs?|CPU throttling|machines|simulation of/i;

const noDifference: readonly (Pick<PurePlant, 'name' | 'planted' | 'plant'> & Partial<PurePlant>)[] = [
  {
    name: 'a release in an address',
    planted: 'both: a captcha of 512 KB, 120 ms, under a folder with the token of its release',
    plant: both((draft, at) => {
      const release = ['pPK749sccDmVW_9DSeTMVvh2', 'hbAq-YhJxOnlU-7cpgBoAJHb'][at];
      const url = `https://captcha.example/recaptcha/releases/${release}/recaptcha__en.js`;
      addScript(draft, url, 512_000);
      addScriptTime(draft, url, 120);
      measure(draft, { tbt: [98, 104][at] ?? 0 });
    }),
  },
  {
    name: 'names of a build in all forms',
    planted: 'both: a chunk of esbuild, one of Angular and a style sheet of Vite, each with another hash',
    plant: both((draft, at) => {
      addScript(draft, `${base}chunk-${['3PQK4TZE', 'YB7XKDPM'][at]}.js`, 45_000);
      addScript(draft, `${base}main.${['XJ5KQ2WL', 'QMZPTWAB'][at]}.js`, 91_000);
      const styles = { resourceType: 'Stylesheet', resourceSize: 30_000, transferSize: 8000 };
      addFile(draft, `${base}assets/app-${['x_9fKq2d', 'Tz04mmvU'][at]}.css`, styles);
    }),
  },
  {
    name: 'class names of a build',
    planted: 'both: the largest element is the same text under another class name',
    plant: both((draft, at) => {
      setElement(draft, 'Boats for every water');
      const element = draft.audits['lcp-breakdown-insight']?.details.items.at(-1) ?? {};
      Object.assign(element, { selector: `main.css-${['1q2w3e', '9z8y7x'][at]} > h1.sc-${['bdVaJa', 'htpNat'][at]}` });
    }),
    never: new RegExp(`may have loaded|${blames.source}`, 'i'),
  },
  {
    name: 'ten beacons',
    planted: 'local: ten pings and pixels more, of a page with 14 requests',
    plant: ({ lighthouse }) => {
      for (let at = 0; at < 6; at++)
        addFile(lighthouse, `https://rum.example/v1/${'abcdef'[at]}`, {
          resourceType: 'Ping',
          statusCode: 204,
          resourceSize: 0,
        });
      for (let at = 0; at < 4; at++) addPicture(lighthouse, `https://px.example/${'abcd'[at]}.gif`, 43);
    },
    never: new RegExp(`may have loaded|${blames.source}`, 'i'),
  },
  {
    name: 'priorities of another browser',
    planted: 'remote: Chrome 141 asks for each script with Medium and not Low priority; 3 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.hostUserAgent = psi.environment.hostUserAgent.replace(/Chrome\/[\d.]+/, 'Chrome/141.0.7390.0');
      for (const [draft, priority] of [
        [psi, 'Medium'],
        [lighthouse, 'Low'],
      ] as const)
        eachRequest(draft, item => (item.resourceType === 'Script' ? { ...item, priority } : item));
      measure(psi, { lcp: 2600 });
    },
    // That the browsers differ is true.
    first: [null, 'run_noise', 'chrome_version'],
    never: claims,
  },
  {
    name: 'not modified',
    planted: 'remote: the document was validated again, so 304 and 180 bytes of the network',
    plant: ({ psi }) => setDocument(psi, { statusCode: 304, transferSize: 180 }),
    never: new RegExp(`may have loaded|${blames.source}`, 'i'),
  },
  {
    name: 'an advertisement of another house',
    planted: 'both: a creative and a script that watches it, of other hosts and of about the same size',
    plant: both((draft, at) => {
      const [pictures, watch] = [
        ['https://s0.house-a.example/c/882/red.jpg', 'https://seen-a.example/v.js'],
        ['https://media.house-b.example/x/blue.jpg', 'https://watch-b.example/m.js'],
      ][at] ?? ['', ''];
      addPicture(draft, pictures ?? '', [44_000, 38_000][at] ?? 0);
      addScript(draft, watch ?? '', [15_000, 19_000][at] ?? 0);
      addScriptTime(draft, watch ?? '', [12, 20][at] ?? 0);
    }),
    never: claims,
  },
  {
    name: 'a slow moment of all scripts',
    planted: 'local: every script takes 1.5 times as long, the index is the same; 4 points',
    plant: drafts => {
      indices(drafts, 1400, 1380);
      work(drafts.psi, [50, 64, 88, 58]);
      work(drafts.lighthouse, [74, 96, 128, 85]);
    },
    environment: ids,
  },
];

export const eighthSet: readonly PurePlant[] = [
  ...differences,
  ...noDifference.map(plant => ({
    first: [null, 'run_noise'] as const,
    says: alike,
    never: blames,
    ...plant,
    planted: `nothing: ${plant.planted}`,
  })),
];
