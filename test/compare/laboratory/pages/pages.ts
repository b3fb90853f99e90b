/** Ten kinds of pages before any difference is planted, with times and sizes that are typical for their kind. */
import type { Item } from '../drafts.ts';
import { at, call, film, font, frame, picture, script, several, style } from './files.ts';

export type Page = {
  document: readonly [size: number, sent: number];
  /** To the first byte, in ms. */
  response: number;
  files: readonly Item[];
  /** Of an address: ms before the multiplier. */
  scripts: Readonly<Record<string, number>>;
  layout: number;
  painting: number;
  elements: number;
  element: string;
  /** Simulated FCP, LCP and speed index. */
  paints: readonly [fcp: number, lcp: number, si: number];
  /** FCP and LCP that the browser saw. */
  seen: readonly [fcp: number, lcp: number];
  shift: number;
  /** A script whose task ends before the first paint. */
  early?: string;
};

export const first = { priority: 'High' };

export const product: Page = {
  document: [182_000, 36_100],
  response: 240,
  files: [
    style('assets/shop.css', 88_000),
    font('assets/brand.woff2', 32_000),
    script('assets/shop.js', 410_000),
    script('assets/gallery.js', 64_000),
    picture('media/lotte/side.jpg', 148_000, first),
    ...several(picture, 'media/lotte', { 'sail.jpg': 22_000, 'bow.jpg': 25_500, 'oars.jpg': 19_800 }),
    script('https://reviews.example/widget.js', 120_000),
    call('https://reviews.example/v2/products/lotte', 38_000),
    call('api/stock/lotte', 2400),
  ],
  scripts: { [at('assets/shop.js')]: 190, [at('assets/gallery.js')]: 70, 'https://reviews.example/widget.js': 110 },
  layout: 110,
  painting: 38,
  elements: 940,
  element: 'Dinghy “Lotte”, seen from the side',
  paints: [1900, 2900, 2700],
  seen: [420, 760],
  shift: 0.02,
};

export const stories =
  'ferry harbour budget storm regatta bridge school museum strike election fishing lighthouse'.split(' ');
export const storyPictures = (folder: string, names: readonly string[], bytes: number): Item[] =>
  names.map((name, index) => picture(`${folder}/${name}.jpg`, bytes + 1900 * index, index === 0 ? first : {}));

export const news: Page = {
  document: [430_000, 71_000],
  response: 130,
  files: [
    style('assets/front.css', 160_000),
    script('assets/front.js', 380_000),
    script('https://ads.press.example/tag.js', 120_000),
    script('https://ads.press.example/auction.js', 290_000),
    script('https://audience.example/measure.js', 90_000),
    ...storyPictures('img', stories, 26_000),
  ],
  scripts: {
    [at('assets/front.js')]: 240,
    'https://ads.press.example/tag.js': 90,
    'https://ads.press.example/auction.js': 180,
    'https://audience.example/measure.js': 60,
  },
  layout: 420,
  painting: 120,
  elements: 2400,
  element: 'Ferry to the islands stays in the harbour',
  paints: [2400, 3900, 4300],
  seen: [610, 1250],
  shift: 0.06,
};

export const application: Page = {
  document: [3400, 1500],
  response: 55,
  files: [
    script('assets/index-B7xq2LmZ.js', 720_000),
    script('assets/vendor-C01d9aRt.js', 380_000),
    style('assets/index-Dk20sWfe.css', 61_000),
    call('api/session', 600),
    call('api/catalogue', 64_000),
    ...several(picture, 'photos', { 'cutter.webp': 52_000, 'canoe.webp': 47_000, 'kayak.webp': 39_000 }),
  ],
  scripts: { [at('assets/index-B7xq2LmZ.js')]: 410, [at('assets/vendor-C01d9aRt.js')]: 110 },
  layout: 160,
  painting: 40,
  elements: 620,
  element: 'Boats that are free this weekend',
  paints: [2600, 3700, 3300],
  seen: [880, 1500],
  shift: 0.03,
};

const plugins = ['contact-form', 'gallery-light', 'share-buttons', 'table-of-contents', 'newsletter', 'related'];
const sidePictures = { 'workshop.jpg': 86_000, 'varnish.jpg': 71_000, 'keel.jpg': 64_000, 'tools.jpg': 58_000 };
export const blog: Page = {
  document: [98_000, 21_300],
  response: 180,
  files: [
    style('wp-content/themes/harbour/style.css', 74_000),
    ...plugins.map(name => style(`wp-content/plugins/${name}/style.css`, 14_000)),
    script('wp-includes/js/jquery/jquery.min.js', 88_000, first),
    ...plugins.map(name => script(`wp-content/plugins/${name}/front.js`, 31_000)),
    picture('wp-content/uploads/oak-hull.jpg', 176_000, first),
    ...several(picture, 'wp-content/uploads', sidePictures),
  ],
  scripts: {
    [at('wp-includes/js/jquery/jquery.min.js')]: 55,
    ...Object.fromEntries(plugins.map((name, index) => [at(`wp-content/plugins/${name}/front.js`), 28 + 9 * index])),
  },
  layout: 90,
  painting: 30,
  elements: 690,
  element: 'How we mended the hull of an oak boat',
  paints: [2300, 3100, 2900],
  seen: [520, 840],
  shift: 0.04,
};

export const landing: Page = {
  document: [61_000, 14_200],
  response: 70,
  files: [
    style('_assets/landing.css', 46_000),
    script('_assets/motion.js', 94_000),
    picture('_assets/poster.jpg', 158_000, first),
    film('_assets/hero.mp4', 2_600_000),
    ...several(picture, '_assets/clients', { 'wharf.svg': 5200, 'marina.svg': 6100, 'shipyard.svg': 4800 }),
  ],
  scripts: { [at('_assets/motion.js')]: 130 },
  layout: 60,
  painting: 90,
  elements: 310,
  element: 'Charter a boat in two minutes',
  paints: [1500, 2500, 2300],
  seen: [260, 540],
  shift: 0.01,
};

export const manual: Page = {
  document: [48_000, 11_900],
  response: 25,
  files: [
    style('docs/static/manual.css', 34_000),
    script('docs/static/manual.js', 42_000),
    font('docs/static/text.woff2', 27_000),
    picture('docs/static/overview.svg', 18_000),
  ],
  scripts: { [at('docs/static/manual.js')]: 38 },
  layout: 30,
  painting: 9,
  elements: 870,
  element: 'The manual of the harbour software',
  paints: [1250, 1800, 1500],
  seen: [190, 260],
  shift: 0,
};

export const dashboard: Page = {
  document: [9200, 3400],
  response: 95,
  files: [
    script('static/app.js', 540_000),
    script('static/charts.js', 310_000),
    style('static/app.css', 72_000),
    call('api/me', 900),
    call('api/series/revenue', 640_000),
    call('api/series/berths', 410_000),
    call('api/tables/bookings', 220_000),
  ],
  scripts: { [at('static/app.js')]: 260, [at('static/charts.js')]: 190 },
  layout: 310,
  painting: 95,
  elements: 3100,
  element: 'Revenue by harbour',
  paints: [2300, 3400, 3200],
  seen: [640, 1400],
  shift: 0.05,
};

export const form: Page = {
  document: [92_000, 18_400],
  response: 310,
  files: [
    style('amt/css/form.css', 52_000),
    script('amt/js/form.js', 118_000),
    script('amt/js/check.js', 46_000),
    picture('amt/img/arms.png', 21_000),
  ],
  scripts: { [at('amt/js/form.js')]: 80, [at('amt/js/check.js')]: 30 },
  layout: 40,
  painting: 10,
  elements: 410,
  element: 'Application for a berth in a public harbour',
  paints: [1600, 2000, 1900],
  seen: [400, 460],
  shift: 0,
};

export const mapped: Page = {
  document: [38_000, 9600],
  response: 110,
  files: [
    style('find/find.css', 31_000),
    script('find/find.js', 58_000),
    script('https://maps.example/api/maps.js', 330_000),
    call('api/harbours', 47_000),
  ],
  scripts: { [at('find/find.js')]: 60, 'https://maps.example/api/maps.js': 250 },
  layout: 120,
  painting: 70,
  elements: 240,
  element: 'Find a harbour near you',
  paints: [1700, 2800, 2900],
  seen: [330, 900],
  shift: 0.03,
};

export const playerScript = 'https://player.film.example/s/build/base.js';
export const watched: Page = {
  document: [52_000, 12_800],
  response: 140,
  files: [
    style('films/films.css', 29_000),
    script('films/films.js', 36_000),
    picture('films/launch.jpg', 84_000, first),
    frame('https://player.film.example/embed/launch', 94_000),
    script(playerScript, 1_600_000),
    style('https://player.film.example/s/player.css', 380_000),
    picture('https://stills.film.example/launch/large.jpg', 61_000),
  ],
  scripts: { [at('films/films.js')]: 40, [playerScript]: 430 },
  layout: 140,
  painting: 60,
  elements: 280,
  element: 'The launch of the “Henriette”',
  paints: [1600, 2500, 2700],
  seen: [310, 620],
  shift: 0.02,
};

/** The same page with other files and scripts. */
export const without = (page: Page, part: string): Page => ({
  ...page,
  files: page.files.filter(({ url }) => !String(url).includes(part)),
  scripts: Object.fromEntries(Object.entries(page.scripts).filter(([url]) => !url.includes(part))),
});
export const withMore = (page: Page, files: readonly Item[], scripts: Record<string, number> = {}): Page => ({
  ...page,
  files: [...page.files, ...files],
  scripts: { ...page.scripts, ...Object.fromEntries(Object.entries(scripts).map(([url, ms]) => [at(url), ms])) },
});
