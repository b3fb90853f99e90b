/** Loads of typical pages (pages.ts) that vary as those pages do. */
import type { NothingRow, PurePlant } from '../compare-plant.ts';
import { type Draft, type Item, scoresOf } from '../drafts.ts';
import { at, call, film, frame, picture, script } from '../pages/files.ts';
import {
  application,
  blog,
  dashboard,
  form,
  landing,
  manual,
  mapped,
  news,
  type Page,
  product,
  watched,
  withMore,
  without,
} from '../pages/pages.ts';
import { show } from '../pages/show.ts';

/** Loads of one page, each with its lot: the remote one, the shown local one, and the other local ones. */
type Lot = readonly [page: Page, wobble: number];

const toLoads = ([remote, local, ...others]: readonly [Lot, Lot, ...Lot[]]): Pick<PurePlant, 'plant' | 'others'> => ({
  plant: ({ psi, lighthouse }) => {
    show(psi, ...remote);
    show(lighthouse, ...local);
  },
  ...(others.length > 0 ? { others: others.map(lot => (draft: Draft) => show(draft, ...lot)) } : {}),
});

const boats = 'anna berta clara dora emma frieda greta hedwig ida jutta klara lena minna nora olga paula'.split(' ');

const suggesting = (from: number): Page =>
  withMore(
    product,
    boats.slice(from, from + 4).map((name, index) => picture(`media/suggest/${name}.jpg`, 15_000 + 3100 * index)),
  );

const creatives = ['autohaus', 'telefon', 'reise', 'moebel', 'strom', 'brille'];

const advertised = (lot: number): Page =>
  withMore(
    news,
    [
      script(`https://bid.${creatives[lot]}.example/render.js`, 41_000 + 9000 * lot),
      picture(`https://cdn.${creatives[lot]}.example/billboard.jpg`, 60_000 + 14_000 * lot),
      frame(`https://${(0x5ea1 + 7919 * lot).toString(16)}.safeframe.example/container.html`, 6100),
    ],
    { [`https://bid.${creatives[lot]}.example/render.js`]: 20 + 6 * lot },
  );

const hydratedEarly: Page = { ...application, early: at('assets/index-B7xq2LmZ.js') };

const heldUp: Page = { ...blog, response: 5200, paints: [7300, 8100, 7900], seen: [5540, 5860] };

const filmOf = (bytes: number): Item => film('_assets/hero.mp4', bytes);

const withFilm = (page: Page, bytes: number) => withMore(without(page, 'hero.mp4'), [filmOf(bytes)]);

const byHeadline = (bytes: number): Page => ({
  ...withFilm(landing, bytes),
  paints: [1500, 1650, 2300],
  seen: [260, 270],
});

const byPoster = (bytes: number): Page => ({
  ...withFilm(landing, bytes),
  element: 'A motor boat leaves the wharf',
  paints: [1500, 3300, 2400],
  seen: [260, 640],
});

const counted = (revenue: string, series: number, polls: number): Page => ({
  ...withMore(
    without(dashboard, 'series/revenue'),
    [
      call('api/series/revenue', series),
      ...Array.from({ length: polls }, (_, index) => call(`api/poll?since=${4100 + 11 * index}`, 240)),
    ],
    {},
  ),
  element: `Revenue of today: € ${revenue}`,
});

const greeted = (words: string, bookings: number): Page => ({
  ...withMore(without(dashboard, 'tables/bookings'), [call('api/tables/bookings', bookings)]),
  element: `${words}, Mara`,
});

const inSession = (id: string, more: number): Page => {
  const own = (url: string) => (url.includes('/amt/') ? `${url};jsessionid=${id}` : url);
  return {
    ...form,
    document: [92_000 + more, 18_400 + more],
    files: form.files.map(item => ({ ...item, url: own(String(item.url)) })),
    scripts: Object.fromEntries(Object.entries(form.scripts).map(([url, ms]) => [own(url), ms])),
  };
};

/** Each tile comes from one of four hosts, as it happens, and one or two at the edge come or do not. */
const tiled = (seed: number, count: number): Page =>
  withMore(
    mapped,
    Array.from({ length: count }, (_, index) =>
      picture(`https://${'abcd'[(seed * index + seed) % 4]}.tiles.example/12/2160/${1300 + index}.png`, 18_000 + index),
    ),
  );

const streamed = (host: string, bytes: number): Page =>
  withMore(watched, [
    film(`https://${host}.filmvideo.example/videoplayback?expire=1732270800`, bytes),
    call(`https://player.film.example/api/stats/watchtime?cpn=${host.slice(0, 6)}`, 0, { statusCode: 204 }),
  ]);

const lazily = (count: number): Page =>
  withMore(
    blog,
    boats.slice(0, count).map((name, index) => picture(`wp-content/uploads/regatta/${name}.jpg`, 19_000 + 800 * index)),
  );

export const nothingOnPages: readonly NothingRow[] = [
  {
    name: 'suggestions that are drawn by lot',
    planted: 'other pictures of four boats on each of four loads, blocking time and paints 9 % apart',
    ...toLoads([
      [suggesting(0), 1.03],
      [suggesting(4), 1],
      [suggesting(8), 0.97],
      [suggesting(12), 1.06],
    ]),
  },
  {
    name: 'a front page in five loads',
    planted: 'another advertiser on each, everything 20 % apart; the remote side between them',
    ...toLoads([
      [advertised(0), 1.04],
      [advertised(1), 1],
      [advertised(2), 0.92],
      [advertised(3), 0.96],
      [advertised(4), 1.07],
      [advertised(5), 1.12],
    ]),
  },
  {
    name: 'hydration on either side of the first paint',
    planted: 'the same task of 490 ms blocks or is over by then; local both in five runs, remote the latter',
    ...toLoads([
      [hydratedEarly, 1.01],
      [application, 1],
      [hydratedEarly, 0.99],
      [application, 1.02],
      [hydratedEarly, 1],
      [application, 1.01],
    ]),
  },
  {
    name: 'a cron job in one request of three',
    planted: 'local: one of three runs waits for 5.2 s, the one that is shown does not',
    ...toLoads([
      [blog, 1.01],
      [blog, 1],
      [heldUp, 1],
      [blog, 0.97],
    ]),
  },
  {
    name: 'the headline or the poster of the film',
    planted: 'local: poster, headline, poster as the largest element; remote: headline; other shares of the film',
    ...toLoads([
      [byHeadline(1_300_000), 1.01],
      [byPoster(2_600_000), 0.99],
      [byHeadline(2_100_000), 1],
      [byPoster(900_000), 1],
    ]),
  },
  {
    name: 'a manual that the edge had to ask for',
    planted: 'local: 215 ms in place of 25 to the first byte; a point',
    ...toLoads([
      [manual, 1],
      [{ ...manual, response: 215, paints: [1440, 1990, 1690], seen: [380, 450] }, 1],
    ]),
    simulated: { server: scoresOf({ fcp: 1250, lcp: 1800, si: 1500 }) },
  },
  {
    name: 'numbers that move while one looks',
    planted: 'both: polls, three and seven, another sum in the largest element, data of 640 and 648 KB; 4 %',
    ...toLoads([
      [counted('1,284,002', 640_000, 3), 1],
      [counted('1,284,377', 648_000, 7), 1.04],
    ]),
  },
  {
    name: 'a session in the address of each file',
    planted: 'both: ;jsessionid= behind all files, a token in the form; 2 %',
    ...toLoads([
      [inSession('4F0B7C2E91AA', 0), 1],
      [inSession('D81E3306B5C7', 14), 1.02],
    ]),
  },
  {
    name: 'tiles from whichever host is next',
    planted: '23 to 25 tiles of the same coast, each from one of four hosts; three local runs',
    ...toLoads([
      [tiled(3, 24), 1.02],
      [tiled(1, 25), 1],
      [tiled(5, 23), 0.97],
      [tiled(7, 25), 1.05],
    ]),
  },
  {
    name: 'a film from the nearest cache of many',
    planted: 'the film comes from a host of another name on each of four loads, in other parts',
    ...toLoads([
      [streamed('rr3---sn-4g5lznez', 420_000), 1.02],
      [streamed('rr1---sn-h0jeenek', 610_000), 1],
      [streamed('rr5---sn-1gi7znes', 380_000), 0.95],
      [streamed('rr2---sn-8vq54voxu', 570_000), 1.06],
    ]),
  },
  {
    name: 'good evening and good morning',
    planted: 'remote: eleven hours old, so another greeting is the largest element; 2 % more of bookings',
    ...toLoads([
      [greeted('Good evening', 220_000), 1],
      [greeted('Good morning', 224_600), 1.01],
    ]),
    cached: { age: 11 * 3600 },
    first: [null, 'run_noise', 'cached_answer', 'different_page'],
    says: /^(Both sides score|Local Lighthouse .* within (normal|the spread)).*11 hours old/,
  },
  {
    name: 'lazy pictures at the edge of the screen',
    planted: 'five to seven pictures of a regatta on four loads, six of them on the remote one',
    ...toLoads([
      [lazily(6), 1.01],
      [lazily(5), 1],
      [lazily(7), 1.03],
      [lazily(6), 0.98],
    ]),
  },
];
