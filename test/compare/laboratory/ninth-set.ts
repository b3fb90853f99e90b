/** Plants by the author of the eighth set, after its gaps were fixed: smaller differences, and more of them at once. */
import { elsewhere, pageBy } from './fifth-set/expected.ts';
import {
  addFile,
  addScriptTime,
  base,
  type Draft,
  origin,
  type PurePlant,
  setDocument,
  setElements,
  setResponse,
  setThrottling,
  withFile,
} from './pure-plants.ts';
import { addPicture, addScript, alike, blames, setScripts } from './second-set/drafts.ts';
import { blockingOf, measure, scoresOf } from './seventh-set/drafts.ts';

const names = ['1.js', '2.js', '3.js', '4.js'];
/** Scripts that ran so long, in ms before the multiplier, and the blocking time of their tasks. */
function work(draft: Draft, times: readonly number[], others: Record<string, number> = {}, multiplier = 1.2): void {
  const own = Object.fromEntries(times.map((ms, at) => [names[at], ms]));
  setScripts(draft, { ...own, ...others }, multiplier);
  measure(draft, { tbt: blockingOf([...times, ...Object.values(others)], multiplier) });
}
const tag = 'https://tags.example/manager.js';
const ids = { psi: { boot_id: '00000000000000e9' }, lighthouse: { boot_id: '00000000000000f9' } };
const noPage = /did not load|may have loaded|explains?|costs?|simulation of/i;

const differences: readonly PurePlant[] = [
  {
    name: 'a tag that works twice as long',
    planted: 'both: the same tag; local it runs 700 ms in place of 300, and all else is alike; 10 points lower',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) addScript(draft, tag, 140_000);
      work(psi, [60, 62, 95, 58], { [tag]: 300 });
      work(lighthouse, [62, 61, 97, 60], { [tag]: 700 });
    },
    first: 'different_page',
    says: pageBy('tags\\.example'),
    never: elsewhere,
  },
  {
    name: 'a tag that works twice as long, in three runs',
    planted: 'the same in each of three local runs',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) addScript(draft, tag, 140_000);
      work(psi, [60, 62, 95, 58], { [tag]: 300 });
      work(lighthouse, [62, 61, 97, 60], { [tag]: 700 });
    },
    others: [690, 720].map(ms => draft => {
      addScript(draft, tag, 140_000);
      work(draft, [61, 63, 96, 59], { [tag]: ms });
    }),
    first: 'different_page',
    says: pageBy('tags\\.example'),
    never: elsewhere,
  },
  {
    name: 'a busy machine that paints late',
    planted: 'local: index 480 of usually 1,500; the browser paints after 1.1 s in place of 0.2; 8 points, no script',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1480;
      lighthouse.environment.benchmarkIndex = 480;
      measure(lighthouse, { fcp: 2100, lcp: 3150, si: 2500 }, { paint: 1100 });
    },
    environment: { ...ids, lighthouse: { ...ids.lighthouse, benchmark_median: 1500, concurrent_audits: 0 } },
    first: 'disturbed_run',
    says: /[789] points lower.*Possible causes?: a disturbed run/i,
    never: new RegExp(`${noPage.source}|no known cause`, 'i'),
  },
  {
    name: 'three causes, the page the smallest',
    planted: 'local: 150 KB more of a picture, 3 points; 1.1 s of server, 8; 4 against 1.2 times, 20',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, {});
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      work(psi, [60, 62, 95, 58]);
      work(lighthouse, [62, 61, 97, 60], {}, 4);
      setResponse(psi, 40);
      setResponse(lighthouse, 1150);
      withFile(lighthouse, '6.png', { resourceSize: 250_000, transferSize: 250_150 });
      measure(lighthouse, { fcp: 2250, lcp: 3500, si: 2250 }, { paint: 1350 });
    },
    simulated: {
      cpu: scoresOf({ tbt: blockingOf([62, 61, 97, 60]) }),
      server: scoresOf({ fcp: 1100, lcp: 2700, si: 1100 }),
    },
    againAsThere: scoresOf({ lcp: 1850 }),
    againAsThereHere: scoresOf({ lcp: 3100 }),
    first: 'different_page',
    says: /^The two sides did not load the same page.*6\.png.*CPU throttling.{0,60} explains?.*server response times explain/i,
    never: /no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'a picture of a third more',
    planted: 'local: 430 KB in place of 320, LCP 3.3 s in place of 2.6; 5 points, 3 runs of which none lies apart',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, `${base}hero.jpg`, 320_000);
      addPicture(lighthouse, `${base}hero.jpg`, 430_000);
      measure(psi, { lcp: 2600 });
      measure(lighthouse, { lcp: 3300 });
    },
    others: [3270, 3320].map(lcp => draft => {
      addPicture(draft, `${base}hero.jpg`, 430_000);
      measure(draft, { lcp });
    }),
    first: 'different_page',
    says: pageBy('hero\\.jpg'),
    never: elsewhere,
  },
  {
    name: 'an inline banner of a few words',
    planted: 'remote: 900 bytes of document in 62 KB more, 12 elements in 430; layout shifts 0.2, 9 points',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 62_900, transferSize: 14_100 });
      setDocument(lighthouse, { resourceSize: 62_000, transferSize: 13_900 });
      setElements(psi, 442);
      setElements(lighthouse, 430);
      measure(psi, { cls: 0.2 });
    },
    first: ['layout_shift', 'different_page'],
    says: pageBy('document|elements'),
    never: elsewhere,
  },
  {
    name: 'half the machine, for a desktop page',
    planted: 'local: every script twice as long, index 1,300 against 2,400; 11 points lower',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) {
        draft.configSettings.formFactor = 'desktop';
        setThrottling(draft, { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 });
      }
      psi.environment.benchmarkIndex = 2400;
      lighthouse.environment.benchmarkIndex = 1300;
      work(psi, [90, 85, 120, 70], {}, 1);
      work(lighthouse, [180, 172, 238, 144], {}, 1);
    },
    environment: ids,
    first: ['machine', 'disturbed_run'],
    says: /points lower.*Possible cause/,
    never: noPage,
  },
];

const both =
  (change: (draft: Draft, at: number) => void): PurePlant['plant'] =>
  ({ psi, lighthouse }) =>
    [psi, lighthouse].forEach(change);

const noDifference: readonly (Pick<PurePlant, 'name' | 'planted' | 'plant'> & Partial<PurePlant>)[] = [
  {
    name: 'an id for each load in a path',
    planted: 'both: a script of 140 KB and 80 ms under a UUID',
    plant: both((draft, at) => {
      const id = ['550e8400-e29b-41d4-a716-446655440000', '0d9c2f7a-11d2-4c5b-9f0e-8a1b2c3d4e5f'][at];
      addScript(draft, `${origin}/embed/${id}/player.js`, 140_000);
      addScriptTime(draft, `${origin}/embed/${id}/player.js`, 80);
    }),
  },
  {
    name: 'hashes of six signs',
    planted: 'both: a bundle of 95 KB and styles under six hexadecimal signs',
    plant: both((draft, at) => {
      addScript(draft, `${base}js/main.${['a1b2c3', '9f04de'][at]}.js`, 95_000);
      const styles = { resourceType: 'Stylesheet', resourceSize: 22_000, transferSize: 5000 };
      addFile(draft, `${base}css/main.${['77e0aa', 'c4d5f1'][at]}.css`, styles);
    }),
  },
  {
    name: 'a tag that works a little longer',
    planted: 'both: the same tag, 240 and 300 ms; 3 points',
    plant: both((draft, at) => {
      addScript(draft, tag, 140_000);
      work(
        draft,
        [
          [60, 62, 95, 58],
          [64, 60, 99, 61],
        ][at] ?? [],
        { [tag]: [240, 300][at] ?? 0 },
      );
    }),
  },
  {
    name: 'a page of news',
    planted: 'both: 9 of 40 pictures are others, of the same size, as is a tenth of the elements',
    plant: both((draft, at) => {
      for (let story = 0; story < 40; story++) {
        const name = `${story > 30 ? ['old', 'new'][at] : 'both'}-${'abcdefghijklmnopqrstuvwxyzabcdefghijklmn'[story]}${story > 25 ? 'x' : ''}`;
        addPicture(draft, `${origin}/stories/${name}.jpg`, 2200);
      }
      setElements(draft, [900, 930][at] ?? 0);
      setDocument(draft, { resourceSize: [88_000, 89_900][at] });
    }),
  },
];

export const ninthSet: readonly PurePlant[] = [
  ...differences,
  ...noDifference.map(plant => ({
    first: [null, 'run_noise'] as const,
    says: alike,
    never: blames,
    ...plant,
    planted: `nothing: ${plant.planted}`,
  })),
];
