/** The product page of a shop and the front page of a newspaper: stock, sales, editions, lines. */
import { elsewhere, pageBy } from '../fifth-set/expected.ts';
import { otherPicture, type PurePlant } from '../pure-plants.ts';
import { scoresOf, show } from './drafts.ts';
import { frame, picture, script, several } from './files.ts';
import { first, news, type Page, product, stories, storyPictures, withMore, without } from './pages.ts';

/** The shop's pictures as a service makes them for the pixels of a screen. */
const made = (width: number, large: number, small: number, lcp: number): Page => {
  const folder = `https://pictures.example/boats/image/upload/w_${width},q_auto/v1718/lotte`;
  const views = several(picture, folder, { 'sail.jpg': small, 'bow.jpg': small + 900, 'oars.jpg': small - 600 });
  const page = withMore(without(product, 'media/lotte'), [picture(`${folder}/side.jpg`, large, first), ...views]);
  return { ...page, paints: [1900, lcp, 2700], seen: [420, 420 + Math.round(lcp / 9)] };
};
const perPixel = made(412, 31_000, 9000, 2250);
const perThirdOfPixel = made(1236, 214_000, 58_000, 3500);

const withInstalments: Page = {
  ...withMore(
    product,
    [
      script('https://js.instalments.example/messages.js', 186_000),
      frame('https://widget.instalments.example/badge', 42_000),
      picture('https://widget.instalments.example/logo.svg', 7400),
    ],
    { 'https://js.instalments.example/messages.js': 190 },
  ),
  elements: 951,
  shift: 0.17,
};

const onSale: Page = {
  ...withMore(
    product,
    [picture('media/sale/autumn-banner.jpg', 265_000, first), script('assets/countdown.js', 19_000)],
    { 'assets/countdown.js': 35 },
  ),
  document: [184_500, 36_700],
  elements: 956,
  element: 'Autumn sale: a third off all dinghies',
  paints: [1900, 3700, 2900],
  seen: [420, 930],
};

const abroad = 'senate rodeo tornado highway baseball desert canyon stockmarket lobby pipeline hurricane coast'.split(
  ' ',
);
const edition: Page = {
  ...withMore(without(news, '/img/'), storyPictures('img', abroad, 25_000)),
  document: [396_000, 66_800],
  elements: 2290,
  element: 'Senate votes on the coast guard at midnight',
  paints: [2400, 3850, 4250],
};
const packedPictures = (quality: number, bytes: number, lcp: number): Page => ({
  ...withMore(without(news, '/img/'), storyPictures(`img/q${quality}`, stories, bytes)),
  paints: [2400, lcp, lcp + 400],
});

export const shopAndNews: readonly PurePlant[] = [
  {
    name: 'product pictures for three pixels in place of one',
    planted: 'remote: w_412 in the folder, 31 KB; local: w_1236, 214 KB; the largest paint 1.2 s later, three runs',
    plant: ({ psi, lighthouse }) => {
      show(psi, perPixel);
      show(lighthouse, perThirdOfPixel, 1.01);
    },
    others: [0.99, 1.02].map(wobble => draft => show(draft, perThirdOfPixel, wobble)),
    againAsThere: scoresOf({ lcp: 2280 }),
    first: 'different_page',
    says: pageBy('\\.jpg'),
    never: elsewhere,
  },
  {
    name: 'instalments where the law allows them',
    planted: 'remote: a widget of 186 KB and 190 ms, its frame, and the shift that its badge makes',
    plant: ({ psi, lighthouse }) => {
      show(psi, withInstalments, 1.02);
      show(lighthouse, product);
    },
    first: 'different_page',
    says: pageBy('instalments\\.example'),
    never: elsewhere,
  },
  {
    name: 'a sale that began this morning',
    planted: 'remote: nine hours old; local: a banner of 265 KB is the largest element, a countdown beside it',
    plant: ({ psi, lighthouse }) => {
      show(psi, product);
      show(lighthouse, onSale, 1.01);
      otherPicture(lighthouse);
    },
    cached: { age: 9 * 3600 },
    againAsThere: scoresOf({ lcp: 2950, si: 2730 }),
    first: 'different_page',
    says: /(?=.*9 hours old).*(did not load the same page|different pages?).*(autumn-banner|Autumn sale|countdown)/i,
    never: elsewhere,
  },
  {
    name: 'an edition for America at the same address',
    planted: 'remote: other stories and their pictures, as heavy and as many; both scores are alike',
    plant: ({ psi, lighthouse }) => {
      show(psi, edition);
      show(lighthouse, news, 1.01);
      otherPicture(psi);
    },
    first: 'different_page',
    says: pageBy('/img/|Senate|document|last pictures|elements'),
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
    name: 'small pictures for a line that looked slow',
    planted: 'remote: the edge chose q30, a third of the bytes of each of twelve pictures; local: q75',
    plant: ({ psi, lighthouse }) => {
      show(psi, packedPictures(30, 9000, 3100));
      show(lighthouse, packedPictures(75, 27_000, 3900), 1.01);
    },
    againAsThere: scoresOf({ lcp: 3150, si: 3550 }),
    first: 'different_page',
    says: pageBy('\\.jpg|pictures'),
    never: elsewhere,
  },
];
