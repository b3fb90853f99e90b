/** A landing page with a video, a page with a map, and one with a player: codecs, fonts, graphics, keys, rights. */
import { elsewhere, pageBy } from '../fifth-set/expected.ts';
import { type Item, otherPicture, type PurePlant, setThrottling } from '../pure-plants.ts';
import { logError, scoresOf, show } from './drafts.ts';
import { call, film, font, picture, script, several } from './files.ts';
import { landing, mapped, type Page, playerScript, watched, withMore, without } from './pages.ts';

const withoutPatents: Page = {
  ...withMore(without(landing, 'hero.mp4'), [film('_assets/hero.webm', 5_400_000, { mimeType: 'video/webm' })]),
  paints: [1500, 2560, 2350],
};
const withFonts: Page = {
  ...withMore(
    landing,
    several(font, '_assets/fonts', { 'sans-400.woff2': 28_400, 'sans-600.woff2': 29_900, 'sans-800.woff2': 31_000 }),
  ),
  shift: 0.15,
};
const globe = (ms: number, painting: number): Page => ({
  ...withMore(landing, [script('_assets/globe.js', 610_000), picture('_assets/earth.jpg', 190_000)], {
    '_assets/globe.js': ms,
  }),
  painting,
});

/** Tiles by row and column, all of about the same size. */
const tiles = (folder: string, suffix: string, count: number, bytes: number): Item[] =>
  Array.from({ length: count }, (_, index) =>
    picture(`https://tiles.maps.example/${folder}/${index % 6}/${index}${suffix}`, bytes + 170 * (index % 5)),
  );
const overland = withMore(mapped, tiles('12/1005', '.png', 24, 4200));
const bySea: Page = {
  ...withMore(mapped, tiles('12/2160', '.png', 24, 36_000)),
  paints: [1700, 3600, 3500],
  seen: [330, 1300],
};
const refusedKey: Page = { ...mapped, elements: 171, element: 'Sorry! Something went wrong.', painting: 15 };

const vectors: Page = {
  ...withMore(
    without(mapped, 'maps.js'),
    [
      script('https://maps.example/api/gl.js', 780_000),
      ...Array.from({ length: 9 }, (_, index) =>
        call(`https://tiles.maps.example/v4/12/2160/${index}.pbf`, 61_000, { mimeType: 'application/x-protobuf' }),
      ),
    ],
    { 'https://maps.example/api/gl.js': 480 },
  ),
  painting: 260,
};
const rasters: Page = {
  ...withMore(
    without(mapped, 'maps.js'),
    [script('https://maps.example/api/raster.js', 190_000), ...tiles('raster/12', '.png', 28, 21_000)],
    { 'https://maps.example/api/raster.js': 90 },
  ),
};

const placeholder: Page = {
  ...withMore(
    without(without(watched, 'player.film'), 'stills.film'),
    [picture('films/launch-placeholder.jpg', 58_000), script('films/two-clicks.js', 12_000)],
    { 'films/two-clicks.js': 8 },
  ),
  elements: 291,
};
const notHere: Page = {
  ...without(without(watched, 'base.js'), 'stills.film'),
  files: without(without(watched, 'base.js'), 'stills.film').files.map(item =>
    String(item.url).includes('/embed/') ? { ...item, resourceSize: 11_000, transferSize: 3900 } : item,
  ),
  painting: 20,
};
const player = (build: string, bytes: number, ms: number): Page =>
  withMore(without(watched, 'base.js'), [script(playerScript.replace('build', build), bytes)], {
    [playerScript.replace('build', build)]: ms,
  });

export const media: readonly PurePlant[] = [
  {
    name: 'a browser that has no licence for the film',
    planted: 'remote: hero.mp4 of 2.6 MB; local: hero.webm of 5.4 MB; the scores are alike',
    plant: ({ psi, lighthouse }) => {
      show(psi, landing);
      show(lighthouse, withoutPatents);
    },
    first: 'different_page',
    says: pageBy('hero\\.(mp4|webm)'),
    never: elsewhere,
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
    name: 'a globe that is drawn without a graphics card',
    planted: 'local: the same file works 1,500 in place of 160 ms, and painting takes 520 in place of 90',
    plant: ({ psi, lighthouse }) => {
      show(psi, globe(160, 90));
      show(lighthouse, globe(1500, 520));
    },
    first: ['different_page', 'unexplained', 'disturbed_run'],
    says: /globe\.js/,
    never: /machines|simulation of|network throttling|CPU throttling|explains?|costs?/i,
  },
  {
    name: 'a network as visitors of this page have it',
    planted: 'local: 70 ms and 9 Mbit/s, so paints come in half the time; remote: 150 ms and 1.6 Mbit/s',
    plant: ({ psi, lighthouse }) => {
      const heavy = { ...landing, paints: [2300, 4600, 4100] } as const;
      setThrottling(psi, {});
      setThrottling(lighthouse, { rttMs: 70, throughputKbps: 9000 });
      show(psi, heavy);
      show(lighthouse, { ...heavy, paints: [1100, 1900, 1700] });
    },
    simulated: { throttling: scoresOf({ fcp: 2300, lcp: 4620, si: 4120 }) },
    first: 'throttling',
    says: /(?=.*points higher).*network throttling/i,
    never: /did not load|may have loaded|no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'a map of where the visitor seems to be',
    planted: 'remote: 24 tiles of fields, 4 KB each; local: 24 of a coast, 36 KB each, in each of three runs',
    plant: ({ psi, lighthouse }) => {
      show(psi, overland);
      show(lighthouse, bySea);
      otherPicture(psi);
    },
    others: [0.98, 1.02].map(wobble => draft => show(draft, bySea, wobble)),
    first: 'different_page',
    says: pageBy('tiles\\.maps|\\.png|last pictures'),
    never: elsewhere,
  },
  {
    name: 'a key of a map that holds for one address',
    planted: 'local: an error in the console, no tiles, a grey box; it is lighter, so its paint comes sooner',
    plant: ({ psi, lighthouse }) => {
      show(psi, bySea);
      show(lighthouse, refusedKey);
      logError(lighthouse, 'Google Maps JavaScript API error: RefererNotAllowedMapError');
      otherPicture(lighthouse);
    },
    first: 'different_page',
    says: pageBy('RefererNotAllowed|tiles\\.maps|Sorry|elements|last pictures'),
    never: elsewhere,
  },
  {
    name: 'a map of vectors or of pictures',
    planted: 'remote: 780 KB of script that draws vectors, 480 ms; local, without WebGL: 28 pictures, 90 ms',
    plant: ({ psi, lighthouse }) => {
      show(psi, vectors);
      show(lighthouse, rasters, 1.01);
    },
    first: 'different_page',
    says: pageBy('gl\\.js|raster|\\.pbf|tiles\\.maps'),
    never: elsewhere,
  },
  {
    name: 'a film that asks for two clicks',
    planted: 'local: a picture in place of the player, no byte from its hosts; remote: 1.6 MB and 430 ms of it',
    plant: ({ psi, lighthouse }) => {
      show(psi, watched);
      show(lighthouse, placeholder);
    },
    first: 'different_page',
    says: pageBy('film\\.example|two-clicks|launch-placeholder'),
    never: elsewhere,
  },
  {
    name: 'a film that may not be shown in that country',
    planted: 'remote: the frame has 11 KB in place of 94, no player and no still; local: the film',
    plant: ({ psi, lighthouse }) => {
      show(psi, notHere);
      show(lighthouse, watched);
      otherPicture(psi);
    },
    againAsThere: scoresOf({ tbt: 0 }),
    first: 'different_page',
    says: pageBy('film\\.example'),
    never: elsewhere,
  },
  {
    name: 'a player that is being tried out',
    planted: 'local, in each of five runs: a build of 2.6 MB and 760 ms; remote: one of 1.6 MB and 390 ms',
    plant: ({ psi, lighthouse }) => {
      show(psi, player('7a1f20bb', 1_600_000, 390));
      show(lighthouse, player('9d15588c', 2_600_000, 760));
    },
    others: [0.96, 0.98, 1.02, 1.04].map(wobble => draft => show(draft, player('9d15588c', 2_600_000, 760), wobble)),
    first: 'different_page',
    says: pageBy('base\\.js'),
    never: elsewhere,
  },
];
