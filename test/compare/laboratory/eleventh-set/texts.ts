/** A blog with plugins, a manual, and a form of a public authority: caches, plugins, versions, opening hours. */
import { elsewhere, pageBy } from '../fifth-set/expected.ts';
import { type Draft, type Item, moveTo, origin, otherPicture, type PurePlant, requestsOf } from '../pure-plants.ts';
import { fail, scoresOf, show } from './drafts.ts';
import { call, frame, picture, script, style } from './files.ts';
import { blog, form, manual, type Page, withMore, without } from './pages.ts';

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

const packed = (size: unknown) => Math.round(0.42 * Number(size));
const small = (item: Item): Item =>
  item.resourceType === 'Image'
    ? { ...item, resourceSize: packed(item.resourceSize), transferSize: packed(item.transferSize) }
    : item;
const accelerated: Page = {
  ...withMore({ ...blog, files: blog.files.map(small) }, [
    script('http://accelerate.mobile.example/inject/compress.js', 14_000),
  ]),
  document: [98_190, 21_400],
  paints: [2300, 2600, 2600],
  seen: [520, 700],
};
const fromTheShelf: Page = { ...blog, response: 90 };
const fromTheStable: Page = { ...blog, response: 2350, paints: [4300, 5100, 4900], seen: [2720, 3040] };

/** The manual leads to its newest version. */
const version = (draft: Draft, name: string, page: Page) => {
  show(draft, page);
  const hop = { ...requestsOf(draft)[0], statusCode: 302, resourceSize: 0, transferSize: 260 };
  const url = `${origin}/same-many/${name}/`;
  Object.assign(requestsOf(draft)[0] ?? {}, { url });
  requestsOf(draft).unshift(hop);
  moveTo(draft, url);
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

export const texts: readonly PurePlant[] = [
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
    never: elsewhere,
  },
  {
    name: 'a plugin that died in the middle of the page',
    planted:
      'local: 43 KB of document in place of 98, status 200; its end and the scripts of three plugins are missing',
    plant: ({ psi, lighthouse }) => {
      show(psi, blog);
      show(lighthouse, cutOff);
    },
    first: 'different_page',
    says: pageBy('document|plugins|elements'),
    never: elsewhere,
  },
  {
    name: 'the accelerator of a mobile network',
    planted: 'local: all five pictures have 0.42 times the bytes, and a script of the network; half a second sooner',
    plant: ({ psi, lighthouse }) => {
      show(psi, blog, 1.01);
      show(lighthouse, accelerated);
    },
    first: 'different_page',
    says: pageBy('accelerate\\.mobile|\\.jpg|pictures'),
    never: elsewhere,
  },
  {
    name: 'a blog that is cached for all but this side',
    planted: 'local: 2,350 ms to the first byte in place of 90, in each of three runs; the files are the same',
    plant: ({ psi, lighthouse }) => {
      show(psi, fromTheShelf);
      show(lighthouse, fromTheStable);
    },
    others: [0.97, 1.02].map(wobble => draft => show(draft, fromTheStable, wobble)),
    simulated: { server: scoresOf({ fcp: 2320, lcp: 3120, si: 2930 }) },
    first: 'server',
    says: /(?=.*points lower).*server/i,
    never: /did not load|may have loaded|no known cause|processor|CPU throttling|machines|simulation of|disturbed/i,
  },
  {
    name: 'the manual of the version before',
    planted: 'both: a redirect to the newest version, which is 3.2 there and 3.3 here; the scores are alike',
    plant: ({ psi, lighthouse }) => {
      version(psi, '3.2', { ...manual, element: 'The manual of the harbour software 3.2' });
      version(lighthouse, '3.3', {
        ...manual,
        document: [51_500, 12_700],
        elements: 911,
        element: 'New in this version: tides, locks and bridges',
      });
      otherPicture(lighthouse);
    },
    first: 'different_page',
    says: pageBy('3\\.[23]|New in this version|document|elements'),
    never: elsewhere,
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
    first: 'different_page',
    says: pageBy('search-index|lunr'),
    never: elsewhere,
  },
  {
    name: 'an older Lighthouse that simulates later paints',
    planted: 'remote: 12.3; the browsers saw the same paints, the simulated ones are 0.9 and 1.7 s later there',
    plant: ({ psi, lighthouse }) => {
      psi.lighthouseVersion = '12.3.0';
      show(psi, { ...manual, paints: [2150, 3500, 2600] });
      for (const id of ['dom-size-insight', 'lcp-breakdown-insight']) delete psi.audits[id];
      show(lighthouse, manual, 1.01);
    },
    first: ['simulation', 'lighthouse_version'],
    says: /points higher.*(of Lighthouse|simulation)/i,
    never: /did not load|may have loaded|explains?|costs?|processor|machines|no known cause|disturbed/i,
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
    first: 'different_page',
    says: /(?=.*10 hours old).*did not load the same page.*(document|elements|open from|amt\/js|final screenshots)/i,
    never: elsewhere,
  },
  {
    name: 'a riddle for visitors from abroad',
    planted: 'remote: three hosts of a captcha, 400 ms of script; local: none of it',
    plant: ({ psi, lighthouse }) => {
      show(psi, suspected);
      show(lighthouse, form);
    },
    first: 'different_page',
    says: pageBy('captcha\\.example'),
    never: elsewhere,
  },
  {
    name: 'a dialog that hides the form',
    planted:
      'remote: a notice of a session, 14 elements; it hides the body from readers, so an audit fails; 99 on both',
    plant: ({ psi, lighthouse }) => {
      show(psi, { ...form, elements: 424 });
      show(lighthouse, form, 1.01);
      fail(psi, ['aria-hidden-body']);
      otherPicture(psi);
    },
    first: ['different_page', 'audits'],
    says: /aria-hidden-body|did not load the same page|different pages?/i,
    never: elsewhere,
  },
];
