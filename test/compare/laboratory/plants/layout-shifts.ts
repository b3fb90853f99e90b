/** Layout shifts. */
import type { PurePlant } from '../compare-plant.ts';
import {
  addFile,
  aside,
  base,
  elsewhere,
  measure,
  noOther,
  otherPicture,
  pageBy,
  setDocument,
  setElements,
  shift,
  took,
  unsized,
  withFile,
} from '../drafts.ts';
import { font, several } from '../pages/files.ts';
import { landing, news, type Page, withMore } from '../pages/pages.ts';
import { show } from '../pages/show.ts';

const withFonts: Page = {
  ...withMore(
    landing,
    several(font, '_assets/fonts', { 'sans-400.woff2': 28_400, 'sans-600.woff2': 29_900, 'sans-800.woff2': 31_000 }),
  ),
  shift: 0.15,
};

export const layoutShifts: readonly PurePlant[] = [
  {
    name: 'a font that pushes the text down',
    planted: 'remote: the font takes 1.5 s in place of 40 ms, and layout shifts are 0.18; 8 points higher here',
    plant: ({ psi, lighthouse }) => {
      const font = { resourceType: 'Font', resourceSize: 38_000, transferSize: 38_200 };
      addFile(psi, `${base}fonts/inter.woff2`, { ...font, ...took(1500) });
      addFile(lighthouse, `${base}fonts/inter.woff2`, { ...font, ...took(40) });
      measure(psi, { cls: 0.18 });
    },
    simulated: {},
    first: ['layout_shift', 'server', 'different_page', 'unexplained'],
    says: /8 points higher.*inter\.woff2|inter\.woff2.*8 points higher/,
    never: /did not load|CPU throttling|CPU|machines|simulation of|disturbed|explains?|costs?/i,
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
    name: 'fonts that this machine has already',
    planted: 'remote: three fonts of 89 KB, and the shift when they come; local: they are installed',
    plant: ({ psi, lighthouse }) => {
      show(psi, withFonts);
      show(lighthouse, landing, 1.01);
    },
    first: ['layout_shift', 'different_page'],
    says: pageBy('woff2'),
    never: elsewhere,
  },
  {
    name: 'news that broke 20 minutes ago',
    planted: 'remote: 25 minutes old; local: a strip above the page, 1.1 KB and nine elements, and its shift',
    plant: ({ psi, lighthouse }) => {
      show(psi, news);
      show(lighthouse, { ...news, document: [431_100, 71_400], elements: 2409, shift: 0.29 });
    },
    cached: { age: 25 * 60 },
    first: ['layout_shift', 'different_page', 'cached_answer'],
    says: /(?=.*points lower).*25 minutes old/,
    never: elsewhere,
  },
  {
    name: 'a picture without a size',
    planted: 'local: it pushes the text down, CLS 0.31; 15 points',
    plant: ({ psi, lighthouse }) => {
      shift(psi, []);
      shift(lighthouse, [unsized]);
    },
    first: 'layout_shift',
    says: /points lower.*layout shifts.*0\.31.*Rowing boats/i,
    never: noOther,
  },
  {
    name: 'a banner that comes late',
    planted:
      'remote: the page’s own script puts it on top, CLS 0.42; the last pictures differ, and the script by 90 bytes',
    plant: ({ psi, lighthouse }) => {
      shift(psi, [{ selector: 'body > main', label: 'Boats for every water', score: 0.42 }]);
      shift(lighthouse, []);
      otherPicture(psi);
      withFile(psi, '1.js', { resourceSize: 30_120, transferSize: 30_270 });
    },
    first: ['layout_shift', 'different_page'],
    says: /points higher.*layout shifts.*0\.42/i,
    never: /no known cause|simulation of|disturbed|run-to-run noise/i,
  },
  {
    name: 'a font that swaps late',
    planted: 'local: another font moves the text, CLS 0.26',
    plant: ({ psi, lighthouse }) => {
      shift(psi, [{ selector: 'main > p', label: 'Rowing boats', score: 0.01 }]);
      shift(lighthouse, [
        { ...unsized, score: 0.26, cause: 'Web font', extra: { type: 'url', value: `${base}fonts/text.woff2` } },
      ]);
    },
    first: 'layout_shift',
    says: /layout shifts.*text\.woff2/i,
    never: noOther,
  },
  {
    name: 'shifts in every run',
    planted: 'local: CLS 0.29 to 0.33 in each of three runs, remote 0',
    plant: ({ psi, lighthouse }) => {
      shift(psi, []);
      shift(lighthouse, [unsized]);
    },
    others: [0.29, 0.33].map(score => draft => shift(draft, [{ ...unsized, score }])),
    first: 'layout_shift',
    says: /layout shifts/i,
    never: noOther,
  },
  {
    name: 'a side that lists no shifts',
    planted: 'remote: CLS 0.3 and no list of what moved',
    plant: ({ psi }) => measure(psi, { cls: 0.3 }),
    first: 'layout_shift',
    says: /points higher.*layout shifts.*0\.3/i,
    never: noOther,
  },
  {
    name: 'an advertisement in a frame',
    planted: 'local: a frame of 40 KB that pushes the page down, CLS 0.27',
    plant: ({ psi, lighthouse }) => {
      addFile(lighthouse, 'https://ads.example/frame', {
        resourceType: 'Document',
        resourceSize: 40_000,
        transferSize: 12_000,
      });
      shift(psi, []);
      shift(lighthouse, [
        {
          selector: 'main',
          label: 'Boats for every water',
          score: 0.27,
          cause: 'Injected iframe',
          extra: { type: 'url', value: 'https://ads.example/frame' },
        },
      ]);
    },
    first: ['layout_shift', 'different_page'],
    says: /(?=.*layout shifts.*0\.27)(?=.*ads\.example\/frame|.*\/frame)/i,
    never: aside,
  },
  {
    name: 'an old remote side that lists other audits',
    planted: 'remote: Lighthouse 11 with CLS 0.25 and no insight',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '11.7.1';
      measure(psi, { cls: 0.25 });
    },
    first: 'layout_shift',
    says: /points higher.*layout shifts \(0\.25/i,
    never: /did not load|no known cause|simulation of|Possible causes?: different versions/i,
  },
];
