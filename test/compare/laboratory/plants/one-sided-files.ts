/** Files that only one side loaded. */
import type { PlantRow, PurePlant } from '../compare-plant.ts';
import {
  addError,
  addFile,
  addPicture,
  addScript,
  addScriptTime,
  aside,
  auditOf,
  base,
  blocking,
  blockingOf,
  type Draft,
  eachRequest,
  flip,
  type Item,
  keepOnlyTheDocument,
  lcp,
  mainThread,
  measure,
  origin,
  otherPicture,
  pageBy,
  requestsOf,
  runScripts,
  score,
  scoresOf,
  setDocument,
  setElement,
  setElements,
  setObserved,
  setResponse,
  setScripts,
  setThrottling,
  tbt,
  throttledChat,
  usualScripts,
  usualTimes,
  withFile,
} from '../drafts.ts';
import { call, film, frame, picture, script, several, style } from '../pages/files.ts';
import {
  blog,
  dashboard,
  first,
  form,
  landing,
  manual,
  mapped,
  news,
  type Page,
  product,
  stories,
  storyPictures,
  watched,
  withMore,
  without,
} from '../pages/pages.ts';
import { logError, show } from '../pages/show.ts';

function withChat(draft: Draft): void {
  auditOf(draft, 'network-requests').details.items.push({
    url: 'https://chat.example/w.js',
    statusCode: 200,
    resourceType: 'Script',
    resourceSize: 210_000,
    transferSize: 64_000,
  });
  auditOf(draft, 'bootup-time').details.items.push({ url: 'https://chat.example/w.js', scripting: 210, total: 240 });
}

const withAdvertisers = (draft: Draft) => {
  addScript(draft, 'https://ads.example/stack.js', 160_000);
  addScriptTime(draft, 'https://ads.example/stack.js', 180);
};

const withDoublePictures = (draft: Draft, lcp: number) => {
  eachRequest(draft, item => {
    if (item.resourceType !== 'Image') return item;
    const resourceSize = Math.round(2.6 * Number(item.resourceSize));
    return { ...item, url: String(item.url).replace('@1x', '@2x'), resourceSize, transferSize: resourceSize + 150 };
  });
  measure(draft, { lcp }, { paint: 224, largest: 460 });
};

const nameByDensity = (draft: Draft) =>
  eachRequest(draft, item => ({ ...item, url: String(item.url).replace(/(\d)\.png$/, '$1@1x.png') }));

const chatApp = 'https://chat.example/app.js';

const answers = (sizes: Readonly<Record<string, number>>) =>
  Object.entries(sizes).map(([name, size]) => call(`api/${name}`, size));

const noData: Page = {
  ...withMore(
    without(without(dashboard, 'charts.js'), '/api/'),
    answers({ me: 900, 'series/revenue': 40, 'series/berths': 40, 'tables/bookings': 62 }),
  ),
  elements: 210,
  element: 'There is no data for this period yet',
  layout: 40,
  painting: 12,
  paints: [2100, 2500, 2300],
  seen: [600, 860],
};

const withoutPatents: Page = {
  ...withMore(without(landing, 'hero.mp4'), [film('_assets/hero.webm', 5_400_000, { mimeType: 'video/webm' })]),
  paints: [1500, 2560, 2350],
};

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

const joined: Page = {
  ...withMore(
    without(blog, 'wp-content/plugins'),
    [
      style('wp-content/cache/autoptimize/css/all.css', 158_000),
      script('wp-content/cache/autoptimize/js/all.js', 186_000),
    ],
    { 'wp-content/cache/autoptimize/js/all.js': 290 },
  ),
  response: 70,
  paints: [1700, 2500, 2200],
  seen: [310, 600],
};

const onTheFly: Page = { ...blog, response: 1450, paints: [3600, 4400, 4100], seen: [1790, 2110] };

/** The end of the page is missing: a plugin died while it was made. */
const cutOff: Page = {
  ...without(without(without(blog, 'newsletter/front'), 'related/front'), 'share-buttons/front'),
  document: [43_000, 10_800],
  elements: 268,
  layout: 50,
};

const searched = (page: Page): Page => ({
  ...withMore(page, [script('docs/static/lunr.js', 30_000), call('docs/static/search-index.json', 2_400_000)], {
    'docs/static/lunr.js': 310,
  }),
});

const closed: Page = {
  ...without(form, 'amt/js'),
  document: [11_200, 3900],
  elements: 64,
  element: 'This service is open from 6 to 22 o’clock',
  paints: [1500, 1600, 1550],
};

const suspected: Page = {
  ...withMore(
    form,
    [
      script('https://js.captcha.example/1/api.js', 94_000),
      frame('https://assets.captcha.example/checkbox.html', 31_000),
      script('https://assets.captcha.example/checkbox.js', 480_000),
      picture('https://images.captcha.example/a/boat.jpg', 22_000),
    ],
    { 'https://js.captcha.example/1/api.js': 70, 'https://assets.captcha.example/checkbox.js': 330 },
  ),
  elements: 426,
};

export const oneSidedFiles: readonly PlantRow[] = [
  ...(['psi', 'lighthouse'] as const).map(
    (side): PurePlant => ({
      name: `third party on the ${side === 'psi' ? 'remote' : 'local'} side only`,
      planted: 'a script of another host, 300 ms',
      plant: drafts => {
        addFile(drafts[side], 'https://ads.example/tag.js?r=1', {});
        addScriptTime(drafts[side], 'https://ads.example/tag.js?r=1', 300);
        tbt(drafts[side], 0.6);
      },
      ...(side === 'lighthouse' ? { againAsThere: { 'total-blocking-time': 1 } } : {}),
      first: 'different_page',
      says: new RegExp(
        `^The two .*ads\\.example/tag\\.js loaded only ${side === 'psi' ? 'on psi\\.example' : 'in local Lighthouse'} .*300 ms`,
      ),
      never: /no known cause/,
    }),
  ),
  {
    name: 'video on one side',
    planted: 'local: a file of 2 MB more',
    plant: ({ lighthouse }) =>
      addFile(lighthouse, `${base}film.mp4`, { resourceType: 'Media', resourceSize: 2_000_000 }),
    says: /\/same-many\/film\.mp4 loaded only in local Lighthouse \(2 MB\)/i,
  },
  {
    name: 'lazy content',
    planted: 'remote: four of six pictures never came',
    plant: ({ psi }) => {
      for (const name of ['3.png', '4.png', '5.png', '6.png']) withFile(psi, name, null);
    },
    says: /\/same-many\/6\.png, \/same-many\/5\.png and others loaded only in local Lighthouse/i,
  },
  {
    name: 'another content host',
    planted: 'remote: pictures come from a host of another country',
    plant: ({ psi }) => {
      for (const item of requestsOf(psi))
        if (String(item.url).endsWith('.png')) item.url = String(item.url).replace(origin, 'http://us.cdn.example');
    },
    says: /us\.cdn\.example/,
  },
  {
    name: 'frame of a third party',
    planted: 'remote: a chat window of 60 KB',
    plant: ({ psi }) => addFile(psi, 'https://chat.example/frame', { resourceType: 'Document', resourceSize: 60_000 }),
    says: /chat\.example\/frame loaded only on psi\.example/i,
  },
  {
    name: 'consent layer of a third party',
    planted: 'remote: its script, another largest element, another picture',
    plant: ({ psi }) => {
      addFile(psi, 'https://consent.example/cmp.js', { resourceSize: 90_000 });
      setElement(psi, 'We value your privacy');
      otherPicture(psi);
    },
    says: /consent\.example\/cmp\.js loaded only on psi\.example/i,
  },
  {
    name: 'robot check',
    planted: 'remote: a document of 300 bytes, and nothing else',
    plant: ({ psi }) => {
      auditOf(psi, 'network-requests').details.items = requestsOf(psi).slice(0, 1);
      setDocument(psi, { resourceSize: 300 });
      setElement(psi, 'Are you a robot?');
    },
    says: /loaded only in local Lighthouse/i,
  },
  {
    name: 'a picture in another width (srcset)',
    planted: 'remote: hero-800.jpg of 60 KB in place of hero-1600.jpg of 240 KB; 10 points of LCP',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, 'https://img.example/hero-800.jpg', 60_000);
      addPicture(lighthouse, 'https://img.example/hero-1600.jpg', 240_000);
      lcp(lighthouse, 0.58);
    },
    againAsThere: { 'largest-contentful-paint': 0.97 },
    says: /^The two sides did not load the same page: .*img\.example\/hero-/,
  },
  {
    name: 'a video that plays by itself',
    planted: 'remote: 5 MB in parts (206); 19 points of LCP',
    plant: ({ psi }) => {
      addFile(psi, `${base}intro.webm`, {
        resourceType: 'Media',
        statusCode: 206,
        resourceSize: 5_000_000,
        transferSize: 5_000_300,
      });
      lcp(psi, 0.22);
    },
    says: /^The two sides did not load the same page: \/same-many\/intro\.webm loaded only on psi\.example \(5 MB\)/i,
    never: /206/,
  },
  {
    name: 'a taller window',
    planted: 'remote: three pictures more, from below the first screen',
    plant: ({ psi }) => {
      for (const name of ['sails', 'oars', 'ropes']) addPicture(psi, `${base}shop/${name}.jpg`, 38_000);
    },
    says: /\/same-many\/shop\/\w+\.jpg, \/same-many\/shop\/\w+\.jpg and others loaded only on psi\.example/i,
  },
  {
    name: 'advertisements on one side',
    planted: 'local: a frame and two scripts of other hosts, 260 ms; layout shifts and blocking cost 16 points',
    plant: ({ lighthouse }) => {
      addFile(lighthouse, 'https://ads.example/frame.html', { resourceType: 'Document', resourceSize: 40_000 });
      addScript(lighthouse, 'https://ads.example/show.js', 120_000);
      addScript(lighthouse, 'https://bids.example/prebid.js', 200_000);
      addScriptTime(lighthouse, 'https://bids.example/prebid.js', 260);
      blocking(lighthouse, 0.75, 210);
      score(lighthouse, { 'cumulative-layout-shift': 0.66 });
    },
    says: /^The two sides did not load the same page: .*(ads|bids)\.example.* loaded only in local Lighthouse/i,
  },
  {
    name: 'a file from elsewhere in the same words',
    planted: 'remote: a mirror of the same 4 scripts under static.boats.example',
    plant: ({ psi }) =>
      eachRequest(psi, item => ({
        ...item,
        url: String(item.url).replace(/^http:.*\/(\d\.js)$/, 'http://static.boats.example/$1'),
      })),
    says: /static\.boats\.example/,
  },
  {
    name: 'the robot check of a content host',
    planted: 'remote: status 200, 8 KB, a script of the check, nothing of the page; 3 requests in place of 14',
    plant: ({ psi }) => {
      auditOf(psi, 'network-requests').details.items = requestsOf(psi).slice(0, 1);
      setDocument(psi, { resourceSize: 8000, transferSize: 3400 });
      addScript(psi, 'https://challenges.example/turnstile/v0/api.js', 46_000);
      addScriptTime(psi, 'https://challenges.example/turnstile/v0/api.js', 400);
      setElement(psi, 'Checking your browser before accessing boats.example');
      setElements(psi, 22);
      otherPicture(psi);
      tbt(psi, 0.6);
    },
    says: /^The two sides did not load the same page/,
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'an answer of this morning, and another story',
    planted: 'remote: 10 hours old, another largest element and picture, the document has a fifth more',
    plant: ({ psi }) => {
      setElement(psi, 'Storm over the harbour');
      setDocument(psi, { resourceSize: 1790 });
      addPicture(psi, `${base}stories/storm.jpg`, 88_000);
    },
    cached: { age: 10 * 3600 },
    says: /^The two sides did not load the same page: .*\. The result on psi\.example is 10 hours old/,
  },
  {
    name: 'eight fonts more',
    planted: 'local: 400 KB of fonts of the page itself, 6 points of paints',
    plant: ({ lighthouse }) => {
      for (const at of 'abcdefgh')
        addFile(lighthouse, `${base}fonts/${at}.woff2`, { resourceType: 'Font', resourceSize: 50_000 });
      score(lighthouse, { 'first-contentful-paint': 0.7, 'largest-contentful-paint': 0.85 });
    },
    againAsThere: { 'first-contentful-paint': 0.99, 'largest-contentful-paint': 0.98 },
    says: /^The two sides did not load the same page: .*woff2.* and others loaded only in local Lighthouse \(400 KB\).*a different page.{0,60} (explains?|accounts? for) (6|the whole)/i,
  },
  {
    name: 'a manager of tags',
    planted: 'remote: 14 scripts of 14 hosts, 1.1 s of work; 27 points',
    plant: ({ psi }) => {
      for (const name of 'abcdefghijklmn') {
        addScript(psi, `https://tag-${name}.example/t.js`, 30_000);
        addScriptTime(psi, `https://tag-${name}.example/t.js`, 80);
      }
      blocking(psi, 0.1, 1000);
    },
    says: /^The two sides did not load the same page: tag-\w\.example\/t\.js, .* and others loaded only on psi\.example \(420 KB, 1120 ms of script\)/i,
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'a test that hides the page',
    planted: 'local: a script of another host hides everything for 1.2 s; 17 points of paints',
    plant: ({ lighthouse }) => {
      addScript(lighthouse, 'https://cdn.abtest.example/snippet.js', 14_000);
      setObserved(lighthouse, 1450);
      score(lighthouse, { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.45 });
    },
    says: /^The two sides did not load the same page: cdn\.abtest\.example\/snippet\.js loaded only in local Lighthouse/i,
    never: /no known cause|simulation of|CPU throttling/i,
  },
  {
    name: 'no cookies, so no list of offers',
    planted: 'local: 48 of 120 elements less, three calls not made, the document is the same',
    plant: ({ psi, lighthouse }) => {
      auditOf(psi, 'dom-size-insight').details.debugData = { totalElements: 120 };
      auditOf(lighthouse, 'dom-size-insight').details.debugData = { totalElements: 72 };
      for (const name of ['offers', 'stock', 'reviews'])
        addFile(psi, `${origin}/api/${name}`, { resourceType: 'Fetch', resourceSize: 14_000, transferSize: 4000 });
      addPicture(psi, `${origin}/offers/boat.jpg`, 64_000);
    },
    says: /^The two sides did not load the same page: .*(offers|api).* loaded only on psi\.example/i,
  },
  {
    name: 'a film in place of a picture',
    planted: 'remote: a film of 3 MB where this side has a picture of 200 KB; 15 points',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}hero.mp4`, { resourceType: 'Media', resourceSize: 3_000_000, statusCode: 206 });
      addPicture(lighthouse, `${base}hero.jpg`, 200_000);
      lcp(psi, 0.38);
    },
    says: /^The two sides did not load the same page: .*hero\.(mp4|jpg).*hero\.(mp4|jpg)/,
  },
  {
    name: 'the wall strikes here',
    planted: 'local: a challenge of 5 KB with a script of its own, 100 points; remote: the page, 79',
    plant: ({ psi, lighthouse }) => {
      keepOnlyTheDocument(lighthouse);
      setDocument(lighthouse, { resourceSize: 5200, transferSize: 2100 });
      addScript(lighthouse, `${origin}/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1`, 92_000);
      setElement(lighthouse, 'Checking your browser before you continue');
      setElements(lighthouse, 31);
      score(lighthouse, { 'largest-contentful-paint': 1, 'first-contentful-paint': 1 });
      lcp(psi, 0.18);
    },
    says: /^The two sides did not load the same page/,
  },
  {
    name: 'back in a moment',
    planted: 'remote: a page for maintenance with status 200 and no files; 14 points lower here',
    plant: ({ psi, lighthouse }) => {
      keepOnlyTheDocument(psi);
      setDocument(psi, { resourceSize: 740, transferSize: 560 });
      setElement(psi, 'We will be back soon');
      setElements(psi, 8);
      score(psi, { 'first-contentful-paint': 1, 'largest-contentful-paint': 1 });
      blocking(lighthouse, 0.54, 380);
    },
    says: /^The two sides did not load the same page/,
  },
  {
    name: 'rendered for robots',
    planted: 'remote: 64 KB of ready HTML and no script; local: four scripts of 290 ms; 21 points lower here',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 64_000, transferSize: 13_000 });
      for (const at of [1, 2, 3, 4]) withFile(psi, `${at}.js`, null);
      setScripts(psi, {});
      setScripts(lighthouse, { '1.js': 290, '2.js': 310, '3.js': 280, '4.js': 300 });
      blocking(lighthouse, 0.3, 920);
    },
    says: /^The two sides did not load the same page.*(\d\.js|document)/i,
  },
  {
    name: 'asked in Europe, not in America',
    planted: 'remote: 9 requests of advertisements, 640 ms; local: a consent manager and none of them; 17 points',
    plant: ({ psi, lighthouse }) => {
      for (const name of ['gpt.js', 'pubads_impl.js', 'prebid8.js']) {
        addScript(psi, `https://securepubads.example/tag/${name}`, 110_000);
        addScriptTime(psi, `https://securepubads.example/tag/${name}`, 214);
      }
      for (const at of 'abcdef')
        addFile(psi, `https://bid-${at}.example/auction`, { resourceType: 'XHR', resourceSize: 2200 });
      blocking(psi, 0.42, 640);
      addScript(lighthouse, 'https://cmp.example/tcf/stub.js', 58_000);
      addScriptTime(lighthouse, 'https://cmp.example/tcf/stub.js', 40);
      setElements(lighthouse, 44);
    },
    says: pageBy('securepubads\\.example|bid-\\w\\.example'),
  },
  {
    name: 'a switch for the new checkout',
    planted: 'local: 180 KB and 260 ms in place of 60 KB and 50 ms under another name; 7 points',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}checkout-v1.js`, 60_000);
      addScriptTime(psi, `${base}checkout-v1.js`, 50);
      addScript(lighthouse, `${base}checkout-v2.js`, 180_000);
      addScriptTime(lighthouse, `${base}checkout-v2.js`, 260);
      blocking(lighthouse, 0.76, 230);
    },
    says: pageBy('checkout-v[12]'),
  },
  {
    name: 'a proxy that writes into pages',
    planted: 'local: 310 bytes and one script of the company more, 70 ms; 1 point',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 1783, transferSize: 1943 });
      addScript(lighthouse, 'https://safe.corp.example/inject.js', 48_000);
      addScriptTime(lighthouse, 'https://safe.corp.example/inject.js', 70);
      blocking(lighthouse, 0.97, 60);
    },
    says: pageBy('safe\\.corp\\.example|document'),
  },
  {
    name: 'a picture for each country',
    planted: 'remote: hero-us.jpg of 90 KB; local: hero-eu.jpg of 410; 5 points lower here, 3 runs',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, `${base}hero-us.jpg`, 90_000);
      addPicture(lighthouse, `${base}hero-eu.jpg`, 410_000);
      lcp(lighthouse, 0.78);
    },
    others: [0.76, 0.79].map(value => draft => {
      addPicture(draft, `${base}hero-eu.jpg`, 410_000);
      lcp(draft, value);
    }),
    says: pageBy('hero-(us|eu)\\.jpg'),
  },
  {
    name: 'data of a staging server',
    planted: 'remote: 420 elements and 30 pictures of offers; local: 15 elements; 9 points higher here',
    plant: ({ psi }) => {
      setElements(psi, 420);
      setDocument(psi, { resourceSize: 61_000, transferSize: 11_000 });
      for (let at = 0; at < 30; at++) addPicture(psi, `${origin}/stock/boat-${'abcdefghij'[at % 10]}${at}.jpg`, 31_000);
      lcp(psi, 0.62);
    },
    says: pageBy('stock|document|elements'),
  },
  {
    name: 'slides in place of one picture',
    planted: 'local: three slides and the script that turns them; layout shifts cost 8 points',
    plant: ({ lighthouse }) => {
      for (const at of 'abc') addPicture(lighthouse, `${base}slides/${at}.jpg`, 140_000);
      addScript(lighthouse, `${base}swiper.min.js`, 140_000);
      addScriptTime(lighthouse, `${base}swiper.min.js`, 30);
      score(lighthouse, { 'cumulative-layout-shift': 0.68 });
    },
    says: pageBy('slides|swiper'),
  },
  {
    name: 'the second page of a list',
    planted: 'remote: a taller screen, so the script asked for 12 more; the scores are the same',
    plant: ({ psi }) => {
      addFile(psi, `${base}api/list?page=2`, { resourceType: 'Fetch', resourceSize: 26_000 });
      for (const at of 'abcdefghijkl') addPicture(psi, `${origin}/list/${at}.jpg`, 18_000);
      setElements(psi, 87);
    },
    says: pageBy('list'),
  },
  {
    name: 'the other half of a test, on every load of a side',
    planted: 'remote: headline B, local: headline A in all of 3 runs, a style sheet of 14 KB for B; 5 points',
    plant: ({ psi }) => {
      setElement(psi, 'Find your next adventure');
      addFile(psi, `${base}variant-b.css`, { resourceType: 'Stylesheet', resourceSize: 14_000 });
      score(psi, { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.82 });
    },
    others: [0.97, 0.96].map(value => draft => lcp(draft, value)),
    says: pageBy('variant-b|Find your next'),
  },
  {
    name: 'a script more and a multiplier more',
    planted: 'local: a chat of 210 ms, 5 points; 4 against 1.2 times, 9 points; desktop; 3 runs',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) draft.configSettings.formFactor = 'desktop';
      setThrottling(psi, {});
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      withChat(lighthouse);
      tbt(lighthouse, 0.53);
    },
    others: [0.52, 0.55].map(value => draft => {
      withChat(draft);
      tbt(draft, value);
    }),
    simulated: { cpu: { 'total-blocking-time': 0.83 } },
    againAsThere: { 'total-blocking-time': 1 },
    says: pageBy('chat\\.example'),
    never: /no known cause|machines|simulation of/i,
  },
  {
    name: 'a chat window without names',
    planted: 'remote: a chat of 90 KB, 12 elements more, image-alt and link-text fail',
    plant: ({ psi }) => {
      addScript(psi, 'https://chat.example/widget.js', 90_000);
      addScriptTime(psi, 'https://chat.example/widget.js', 90);
      setElements(psi, 27);
      flip(psi, 'image-alt', 'accessibility', 0.87);
      flip(psi, 'link-text', 'seo', 0.92);
    },
    says: pageBy('chat\\.example'),
    never: /no known cause|CPU throttling|machines/i,
  },
  {
    name: 'a page that asks for the place of its visitor',
    planted: 'local: geolocation-on-start and inspector-issues fail; a map of 300 KB is only here',
    plant: ({ lighthouse }) => {
      addFile(lighthouse, 'https://maps.example/api/js?key=1', { resourceType: 'Script', resourceSize: 300_000 });
      flip(lighthouse, 'geolocation-on-start', 'best-practices', 0.7);
      flip(lighthouse, 'inspector-issues', 'best-practices', 0.67);
    },
    says: pageBy('maps\\.example'),
    never: /no known cause|CPU throttling|machines/i,
  },
  {
    name: 'one bundle or twelve',
    planted: 'remote: one script of 400 KB, 300 ms; local: twelve of 33 KB, 310 ms in all; 3 points lower',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}bundle.js`, 400_000);
      addScriptTime(psi, `${base}bundle.js`, 300);
      for (const name of 'abcdefghijkl') {
        addScript(lighthouse, `${base}chunks/${name}.js`, 33_000);
        addScriptTime(lighthouse, `${base}chunks/${name}.js`, 26);
      }
      score(lighthouse, { 'first-contentful-paint': 0.85, 'largest-contentful-paint': 0.88 });
    },
    says: pageBy('bundle|chunks'),
  },
  {
    name: 'pictures inside the document',
    planted: 'remote: 610 KB of document, none of six pictures; 5 points higher here',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 610_000, transferSize: 470_000 });
      for (const at of [1, 2, 3, 4, 5, 6]) withFile(psi, `${at}.png`, null);
      score(psi, { 'first-contentful-paint': 0.62, 'largest-contentful-paint': 0.9 });
    },
    says: pageBy('document|png'),
  },
  {
    name: 'consent that was given, in five runs',
    planted: 'local: a stack of advertisements, 180 ms, in each run; 9 points lower',
    plant: ({ lighthouse }) => {
      withAdvertisers(lighthouse);
      blocking(lighthouse, 0.69, 260);
    },
    others: [0.7, 0.68, 0.71, 0.67].map(value => draft => {
      withAdvertisers(draft);
      blocking(draft, value, 260);
    }),
    againAsThere: { 'total-blocking-time': 1 },
    says: pageBy('ads\\.example'),
  },
  {
    name: 'pictures of twice the density',
    planted: 'remote: @1x; local: @2x with 2.6 times the bytes in each of three runs, LCP 3.3 s in place of 1.9',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) nameByDensity(draft);
      withDoublePictures(lighthouse, 3300);
    },
    others: [3240, 3390].map(ms => draft => {
      nameByDensity(draft);
      withDoublePictures(draft, ms);
    }),
    says: pageBy('@[12]x'),
  },
  {
    name: 'a toolbar for editors',
    planted: 'local: somebody is signed in, 4.6 KB of document, a style sheet, two scripts, 46 elements',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 6100, transferSize: 2900 });
      setElements(lighthouse, 61);
      const bar = { resourceType: 'Stylesheet', resourceSize: 21_000, transferSize: 4100 };
      addFile(lighthouse, `${base}includes/css/admin-bar.min.css`, bar);
      addScript(lighthouse, `${base}includes/js/admin-bar.min.js`, 3600);
      addScript(lighthouse, `${base}includes/js/hoverintent.min.js`, 1500);
      measure(lighthouse, { fcp: 1290, si: 1290 });
    },
    says: pageBy('admin-bar|document|elements'),
  },
  {
    name: 'a sale that began at noon',
    planted: 'remote: 5 hours old; local: a banner of 340 KB, a countdown, other words; LCP 3.0 s in place of 1.9',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 2110, transferSize: 1020 });
      setElements(lighthouse, 22);
      setElement(lighthouse, 'Summer sale: up to 40 % off all sails');
      addPicture(lighthouse, `${base}sale/banner.jpg`, 340_000);
      addScript(lighthouse, `${base}sale/countdown.js`, 12_000);
      otherPicture(lighthouse);
      measure(lighthouse, { lcp: 3000 }, { paint: 230, largest: 390 });
    },
    cached: { age: 5 * 3600 },
    says: /(did not load the same page|different pages?).*(sale|document|elements|final screenshots).*5 hours old/i,
  },
  {
    name: 'cookies of a follower',
    planted: 'remote: a script of somebody who follows visitors; third-party-cookies and inspector-issues fail',
    plant: ({ psi }) => {
      addScript(psi, 'https://follow.example/f.js', 41_000);
      addScriptTime(psi, 'https://follow.example/f.js', 30);
      flip(psi, 'third-party-cookies', 'best-practices', 0.56);
      flip(psi, 'inspector-issues', 'best-practices', 0.52);
    },
    says: pageBy('follow\\.example'),
  },
  {
    name: 'a document that breaks off',
    planted: 'local: the first 700 bytes of 1,473: 7 elements, two pictures and no script',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 700, transferSize: 860 });
      setElements(lighthouse, 7);
      for (const name of ['3.png', '4.png', '5.png', '6.png', '1.js', '2.js', '3.js', '4.js'])
        withFile(lighthouse, name, null);
      addError(lighthouse, 'Failed to load resource: net::ERR_INCOMPLETE_CHUNKED_ENCODING');
      setScripts(lighthouse, {});
      measure(lighthouse, { lcp: 1500, tbt: 0 });
    },
    says: /^The two sides did not load the same page/,
  },
  {
    name: 'a slow server and a tag',
    planted: 'local: 1,150 ms in place of 40 to the first byte, 8 points; a tag of 210 ms, 5 points; 13 in all',
    plant: ({ psi, lighthouse }) => {
      const tag = 'https://tag.example/t.js';
      setResponse(psi, 40);
      setResponse(lighthouse, 1150);
      addScript(lighthouse, tag, 64_000);
      setScripts(psi, { '1.js': 48, '2.js': 49, '3.js': 94 });
      setScripts(lighthouse, { '1.js': 49, '2.js': 47, '3.js': 96, [tag]: 210 });
      measure(psi, { tbt: blockingOf([48, 49, 94]) });
      const tbt = blockingOf([49, 47, 96, 210]);
      measure(lighthouse, { fcp: 2250, lcp: 3050, si: 2250, tbt }, { paint: 1350 });
    },
    simulated: { server: scoresOf({ fcp: 1100, lcp: 1850, si: 1100 }) },
    againAsThere: scoresOf({ tbt: blockingOf([49, 47, 96]) }),
    first: ['different_page', 'server'],
    says: /server.*tag\.example|tag\.example.*server/i,
    never: /no known cause|CPU throttling|machines|simulation of|disturbed/i,
  },
  {
    name: 'a film for an advertisement',
    planted: 'remote: a picture of 1.9 MB in the place for advertisements, local one of 40 KB; 5 points',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, 'https://ads.example/creatives/1204/cruise.gif', 1_900_000);
      addPicture(lighthouse, 'https://ads.example/creatives/2231/boot.jpg', 40_000);
      measure(psi, { lcp: 3100 });
    },
    says: pageBy('ads\\.example'),
  },
  {
    name: 'a chat that opens by itself',
    planted: 'both: its loader; remote: it opens, with a frame and 300 KB of script that run 220 ms; 6 points',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) addScript(draft, 'https://chat.example/loader.js', 20_000);
      addFile(psi, 'https://chat.example/window', { resourceType: 'Document', resourceSize: 18_000 });
      addScript(psi, chatApp, 300_000);
      runScripts(psi, usualTimes, { [chatApp]: 220 });
      runScripts(lighthouse, usualTimes);
    },
    says: pageBy('chat\\.example'),
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
    says: pageBy('fast-delivery|Your boat|elements'),
  },
  {
    name: 'another tenant, whose tables are empty',
    planted: 'remote: 40 bytes from each call in place of 640 KB, no charts, 210 elements of 3,100',
    plant: ({ psi, lighthouse }) => {
      show(psi, noData);
      show(lighthouse, dashboard);
      otherPicture(psi);
    },
    says: pageBy('api/|charts\\.js|elements|There is no data'),
  },
  {
    name: 'a browser that has no licence for the film',
    planted: 'remote: hero.mp4 of 2.6 MB; local: hero.webm of 5.4 MB; the scores are alike',
    plant: ({ psi, lighthouse }) => {
      show(psi, landing);
      show(lighthouse, withoutPatents);
    },
    says: pageBy('hero\\.(mp4|webm)'),
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
    says: pageBy('tiles\\.maps|\\.png|last pictures'),
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
    says: pageBy('RefererNotAllowed|tiles\\.maps|Sorry|elements|last pictures'),
  },
  {
    name: 'a map of vectors or of pictures',
    planted: 'remote: 780 KB of script that draws vectors, 480 ms; local, without WebGL: 28 pictures, 90 ms',
    plant: ({ psi, lighthouse }) => {
      show(psi, vectors);
      show(lighthouse, rasters, 1.01);
    },
    says: pageBy('gl\\.js|raster|\\.pbf|tiles\\.maps'),
  },
  {
    name: 'a film that asks for two clicks',
    planted: 'local: a picture in place of the player, no byte from its hosts; remote: 1.6 MB and 430 ms of it',
    plant: ({ psi, lighthouse }) => {
      show(psi, watched);
      show(lighthouse, placeholder);
    },
    says: pageBy('film\\.example|two-clicks|launch-placeholder'),
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
    says: pageBy('film\\.example'),
  },
  {
    name: 'product pictures for three pixels in place of one',
    planted: 'remote: w_412 in the folder, 31 KB; local: w_1236, 214 KB; the largest paint 1.2 s later, three runs',
    plant: ({ psi, lighthouse }) => {
      show(psi, perPixel);
      show(lighthouse, perThirdOfPixel, 1.01);
    },
    others: [0.99, 1.02].map(wobble => draft => show(draft, perThirdOfPixel, wobble)),
    againAsThere: scoresOf({ lcp: 2280 }),
    says: pageBy('\\.jpg'),
  },
  {
    name: 'instalments where the law allows them',
    planted: 'remote: a widget of 186 KB and 190 ms, its frame, and the shift that its badge makes',
    plant: ({ psi, lighthouse }) => {
      show(psi, withInstalments, 1.02);
      show(lighthouse, product);
    },
    says: pageBy('instalments\\.example'),
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
    says: /(?=.*9 hours old).*(did not load the same page|different pages?).*(autumn-banner|Autumn sale|countdown)/i,
  },
  {
    name: 'an edition for America at the same address',
    planted: 'remote: other stories and their pictures, as heavy and as many; both scores are alike',
    plant: ({ psi, lighthouse }) => {
      show(psi, edition);
      show(lighthouse, news, 1.01);
      otherPicture(psi);
    },
    says: pageBy('/img/|Senate|document|last pictures|elements'),
  },
  {
    name: 'small pictures for a line that looked slow',
    planted: 'remote: the edge chose q30, a third of the bytes of each of twelve pictures; local: q75',
    plant: ({ psi, lighthouse }) => {
      show(psi, packedPictures(30, 9000, 3100));
      show(lighthouse, packedPictures(75, 27_000, 3900), 1.01);
    },
    againAsThere: scoresOf({ lcp: 3150, si: 3550 }),
    says: pageBy('\\.jpg|pictures'),
  },
  {
    name: 'plugins that the cache had joined',
    planted: 'remote: one style sheet and one script of a cache, 70 ms; local: twelve of plugins, 1,450 ms',
    plant: ({ psi, lighthouse }) => {
      show(psi, joined);
      show(lighthouse, onTheFly);
    },
    simulated: { server: scoresOf({ fcp: 2300, lcp: 3100, si: 2900 }) },
    first: ['different_page', 'server'],
    says: pageBy('autoptimize|plugins'),
  },
  {
    name: 'a plugin that died in the middle of the page',
    planted:
      'local: 43 KB of document in place of 98, status 200; its end and the scripts of three plugins are missing',
    plant: ({ psi, lighthouse }) => {
      show(psi, blog);
      show(lighthouse, cutOff);
    },
    says: pageBy('document|plugins|elements'),
  },
  {
    name: 'an index for the search of a manual',
    planted: 'local: 2.4 MB of index, which a script works on for 310 ms, in each of three runs',
    plant: ({ psi, lighthouse }) => {
      show(psi, manual);
      show(lighthouse, searched(manual));
    },
    others: [0.98, 1.03].map(wobble => draft => show(draft, searched(manual), wobble)),
    againAsThere: scoresOf({ tbt: 0 }),
    says: pageBy('search-index|lunr'),
  },
  {
    name: 'a form that is closed at night',
    planted: 'remote: ten hours old, a notice of 11 KB in place of a form of 92; both score well',
    plant: ({ psi, lighthouse }) => {
      show(psi, closed);
      show(lighthouse, form);
      otherPicture(psi);
    },
    cached: { age: 10 * 3600 },
    says: /(?=.*10 hours old).*did not load the same page.*(document|elements|open from|amt\/js|final screenshots)/i,
  },
  {
    name: 'a riddle for visitors from abroad',
    planted: 'remote: three hosts of a captcha, 400 ms of script; local: none of it',
    plant: ({ psi, lighthouse }) => {
      show(psi, suspected);
      show(lighthouse, form);
    },
    says: pageBy('captcha\\.example'),
  },
  {
    name: 'a chat script and another multiplier',
    planted:
      'local: 4 times slower, with a chat script of 250 ms: 2 points at 1.2 times and 23 at 4; without it the setting costs next to nothing',
    plant: ({ psi, lighthouse }) => {
      throttledChat(psi, 1.2, 0);
      throttledChat(lighthouse, 4, 250);
    },
    simulated: { cpu: scoresOf({ tbt: blockingOf([...Object.values(usualScripts), 250], 1.2) }) },
    againAsThere: scoresOf({ tbt: 0 }),
    againAsThereHere: scoresOf({ tbt: blockingOf(Object.values(usualScripts), 4) }),
    says: /chat\.example\/widget\.js loaded only in local Lighthouse.*a different page explains (1[5-9]|2\d)/i,
    never: /CPU.{0,40} (explains (1\d|2\d|the whole)|costs)|no known cause|disturbed|noise/i,
  },
  {
    name: 'a second copy from a worker',
    planted: 'local: a worker fetched 1.2 MB beside the page; 12 points',
    plant: ({ lighthouse }) => {
      for (const name of ['a', 'b'])
        addFile(lighthouse, `${base}offline/${name}.png`, {
          resourceType: 'Fetch',
          resourceSize: 600_000,
          transferSize: 600_200,
          sessionTargetType: 'worker',
        });
      measure(lighthouse, { lcp: 3800 }, { paint: 255, largest: 420 });
    },
    says: /a worker/,
    never: /no known cause|simulation of/i,
  },
  {
    name: 'styles that import styles',
    planted: 'remote: a second and a third style sheet, one after the other',
    plant: ({ psi }) => {
      for (const name of ['theme.css', 'fonts.css'])
        addFile(psi, `${base}${name}`, { resourceType: 'Stylesheet', resourceSize: 9000, transferSize: 3100 });
      measure(psi, { fcp: 2500, lcp: 3300, si: 2500 }, { paint: 420 });
    },
    says: /.*(theme|fonts)\.css loaded only on psi\.example/i,
    never: aside,
  },
  {
    name: 'a proxy of the company',
    planted: 'local: a proxy put a script of its own into the page',
    plant: ({ psi, lighthouse }) => {
      addScript(lighthouse, 'http://inject.corp.example/watch.js', 31_000);
      mainThread(psi, usualScripts);
      mainThread(lighthouse, { ...usualScripts, 'http://inject.corp.example/watch.js': 210 });
    },
    againAsThere: scoresOf({ tbt: 0 }),
    says: /inject\.corp\.example\/watch\.js loaded only in local Lighthouse.*a different page explains/i,
    never: aside,
  },
];
