/** Differences planted into real loads, with the expected statement for each. */
import { gzipSync } from 'node:zlib';
import { withGap } from './compare-plant.ts';
import { busyFor, css, denied, type Files, html, png, script, toPage, toPng, urlOf } from './site.ts';

export type RealPlant = {
  name: string;
  /** What is different, for the table. */
  planted: string;
  local: Files;
  remote: Files;
  /** Of the request; `psi` gives both sides the same settings. */
  profile?: 'psi' | 'lighthouse';
  categories?: string;
  /** Local ones, where only these can tell. */
  runs?: number;
  /** What the first statement of the verdict has to be like. */
  first: RegExp;
  /** What it must not say anywhere. */
  never?: RegExp;
};

/** What `/compare` is asked for it. */
export const toPlantQuery = ({ name, profile = 'psi', categories, runs = 1 }: RealPlant) => ({
  url: urlOf(name),
  profile,
  runs,
  ...(categories && { categories }),
});

const hero = '<img src="hero.png" alt="A boat" width="380" height="380">';
const withHero = html(toPage({ body: hero }));
const plain = html(toPage());
const scripted = (at: string, inline = '') => html(toPage({ body: `${at}<script>${inline}</script>` }));
/** A page as there are many: style sheets, scripts and pictures of some hundred KB. */
const many = {
  '/': html(
    toPage({
      head: [1, 2, 3].map(at => `<link rel="stylesheet" href="${at}.css">`).join(''),
      body: `${[1, 2, 3, 4, 5, 6].map(at => `<img src="${at}.png" alt="Boat ${at}" width="120" height="120">`).join('')}
${[1, 2, 3, 4].map(at => `<script src="${at}.js" defer></script>`).join('')}`,
    }),
  ),
  ...Object.fromEntries([1, 2, 3].map(at => [`/${at}.css`, css(`h1{color:#12${at}}/*${'x'.repeat(9000)}*/`)])),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map(at => [`/${at}.png`, png(45_000 + 9000 * at)])),
  ...Object.fromEntries([1, 2, 3, 4].map(at => [`/${at}.js`, script(`${busyFor(30)}/*${'x'.repeat(30_000)}*/`)])),
};
const rows = Array.from(
  { length: 2500 },
  (_, at) => `<tr><td>Boat ${at}</td><td>${at} m</td><td>${at} kg</td></tr>`,
).join('');
const table = html(toPage({ body: `<table>${rows}</table>` }));
let loads = 0;
/** Another picture, another session and other recommendations on every load. */
const lively = {
  '/': html(() => {
    loads += 1;
    const cards = Array.from({ length: 3 + (loads % 3) }, (_, at) => `<li>Offer ${loads * 31 + at}</li>`).join('');
    return toPage({
      body: `<img src="hero.png?session=${loads}" alt="A boat" width="300" height="300"><ul>${cards}</ul>
<script src="app.js?t=${loads * 7919}" defer></script>`,
    });
  }),
  '/hero.png': png(150_000),
  '/app.js': script(busyFor(60)),
};
/** Nothing is blamed; noise that was seen is called that. */
export const noStatement = /both sides score|within (normal|the spread)|(inside|beyond) the range|run-to-run noise/i;
export const noCausePage = /CPU throttling|server|did not load|no known cause|network|simulation|machines/i;
const longScript = `/*${'A comment that says little. '.repeat(6000)}*/`;
const thirdPartySheet = html(
  toPage({ head: '<link rel="stylesheet" href="http://fonts.example.net/late-third-party/f.css">' }),
);
/** Its largest text comes with an answer. */
const waiting = html(
  toPage({
    body: `<script>fetch('stock.json').then(() => {
  document.querySelector('main').innerHTML += '<h2 style="font-size:4em">' + 'All boats are here today. '.repeat(6) + '</h2>';
});</script>`,
  }),
);
const withFont = html(
  toPage({ head: '<style>@font-face{font-family:F;src:url(f.woff2)} body{font-family:F,serif}</style>' }),
);
const other = /did not load the same page/;
const noCause = /no known cause/;

const consent = `<div style="position:fixed;inset:0;background:#124;color:#fff;z-index:9;padding:3em"><h2>We value your
privacy</h2><p>${'We and our 843 partners store and read information on your device. '.repeat(6)}</p><button>Accept all</button></div>`;

export const realPlants: readonly RealPlant[] = [
  {
    name: 'small-image',
    planted: 'the remote side gets an image of 180 KB in place of 3 MB',
    local: { '/': withHero, '/hero.png': png(3_000_000) },
    remote: { '/': withHero, '/hero.png': png(180_000) },
    first: /did not load the same page.*hero\.png/,
    never: noCause,
  },
  {
    name: 'denied-image',
    planted: 'the remote side gets a 403 for the image',
    local: { '/': withHero, '/hero.png': png(1_500_000) },
    remote: { '/': withHero, '/hero.png': denied(403) },
    first: /did not load the same page.*hero\.png returned a 403/,
    never: noCause,
  },
  {
    name: 'third-party',
    planted: 'a script of a third party on the remote side only',
    local: { '/': plain },
    remote: {
      '/': scripted('<script src="http://ads.example.net/third-party/ads.js"></script>'),
      'ads.example.net/ads.js': script(busyFor(250)),
    },
    first: /did not load the same page.*ads\.example\.net/,
  },
  {
    name: 'script-700',
    planted: '700 ms of script on the local side only',
    local: { '/': scripted('<script src="app.js" defer></script>'), '/app.js': script(busyFor(700)) },
    remote: { '/': scripted('<script src="app.js" defer></script>'), '/app.js': script('{}') },
    first: /did not load the same page.*app\.js/,
    never: /CPU throttling/i,
  },
  {
    name: 'consent',
    planted: 'a consent layer over the same page on the remote side',
    local: { '/': withHero, '/hero.png': png(200_000) },
    remote: { '/': html(toPage({ body: `${hero}${consent}` })), '/hero.png': png(200_000) },
    first: /did not load the same page/,
  },
  {
    name: 'language',
    planted: 'the page in another language on the remote side',
    local: { '/': plain },
    remote: {
      '/': html(
        toPage({
          lang: 'de',
          title: 'Ein Laden für Boote',
          heading: 'Boote für jedes Gewässer',
          text: 'Ruderboote, Segelboote und alles, was dazugehört, von Hand gemacht. ',
        }),
      ),
    },
    first: other,
  },
  {
    name: 'late-document',
    planted: '+900 ms on the document on the remote side',
    local: { '/': plain },
    remote: { '/': html(toPage(), { delayMs: 900 }) },
    first: /server/i,
    never: /CPU throttling/i,
  },
  {
    name: 'late-everything',
    planted: '+500 ms on every answer on the local side',
    local: {
      '/': html(toPage({ head: '<link rel="stylesheet" href="a.css">' }), { delayMs: 500 }),
      '/a.css': css('@import "b.css";', { delayMs: 500 }),
      '/b.css': css('h1{color:#123}', { delayMs: 500 }),
    },
    remote: {
      '/': html(toPage({ head: '<link rel="stylesheet" href="a.css">' })),
      '/a.css': css('@import "b.css";'),
      '/b.css': css('h1{color:#123}'),
    },
    first: /server/i,
    never: /CPU throttling/i,
  },
  {
    name: 'bot-wall',
    planted: 'a robot check with status 200 on the remote side',
    local: { '/': withHero, '/hero.png': png(400_000) },
    remote: { '/': html('<!doctype html><html lang="en"><title>One moment</title><h1>Are you a robot?</h1></html>') },
    first: other,
  },
  {
    name: 'login',
    planted: 'the remote side is sent to a login page',
    local: { '/': plain },
    remote: {
      '/': { type: 'text/plain', body: '', status: 302, headers: { location: 'login' } },
      '/login': html(toPage({ title: 'Sign in', heading: 'Sign in', text: 'Sign in to go on. ' })),
    },
    first: /did not load the same page.*login/,
  },
  {
    name: 'lazy',
    planted: 'four of five pictures come on the local side only',
    local: {
      '/': html(
        toPage({ body: [1, 2, 3, 4, 5].map(at => `<img src="${at}.png" alt="" width="99" height="99">`).join('') }),
      ),
      ...Object.fromEntries([1, 2, 3, 4, 5].map(at => [`/${at}.png`, png(60_000)])),
    },
    remote: {
      '/': html(toPage({ body: '<img src="1.png" alt="" width="99" height="99">' })),
      '/1.png': png(60_000),
    },
    first: other,
  },
  {
    name: 'lost-style',
    planted: 'a 404 for the style sheet on the remote side',
    local: {
      '/': html(toPage({ head: '<link rel="stylesheet" href="a.css">' })),
      '/a.css': css('body{font:20px serif;background:#eef} h1{font-size:60px}'),
    },
    remote: { '/': html(toPage({ head: '<link rel="stylesheet" href="a.css">' })) },
    first: /did not load the same page.*a\.css returned a 404/,
  },
  {
    name: 'failed-call',
    planted: 'a call of a script is answered 500 on the local side',
    local: { '/': scripted('', "fetch('stock.json')"), '/stock.json': denied(500) },
    remote: { '/': scripted('', "fetch('stock.json')"), '/stock.json': { type: 'application/json', body: '{}' } },
    first: /did not load the same page.*stock\.json returned a 500/,
  },
  {
    name: 'headline',
    planted: 'another headline of the same length (A/B test)',
    local: { '/': html(toPage({ heading: 'Boats for every water', body: hero })), '/hero.png': png(90_000) },
    remote: { '/': html(toPage({ heading: 'Yacht for rough water', body: hero })), '/hero.png': png(90_000) },
    first: /may have loaded different pages/i,
  },
  {
    name: 'unpacked',
    planted: 'a script is packed on the remote side only',
    local: { '/': scripted('<script src="app.js"></script>'), '/app.js': script(longScript) },
    remote: {
      '/': scripted('<script src="app.js"></script>'),
      '/app.js': { ...script(''), body: gzipSync(longScript), headers: { 'content-encoding': 'gzip' } },
    },
    first: /the same files with different compression: \S*app\.js transferred/,
    never: noCause,
  },
  {
    name: 'held-up',
    planted: 'a script without `defer` on the local side, 300 ms late on both',
    local: { '/': html(toPage({ head: '<script src="app.js"></script>' })), '/app.js': script('{}', { delayMs: 300 }) },
    remote: {
      '/': html(toPage({ head: '<script src="app.js" defer></script>' })),
      '/app.js': script('{}', { delayMs: 300 }),
    },
    first: /(may have loaded different pages|did not load the same page).*app\.js/i,
    never: /simulation of|no known cause/i,
  },
  {
    name: 'banner',
    planted: 'a late banner that moves the page on the remote side',
    local: { '/': plain },
    remote: {
      '/': scripted(
        '',
        "setTimeout(() => document.body.prepend(Object.assign(document.createElement('div'), { style: 'height:300px;background:#fd0', textContent: 'Sale!' })), 600)",
      ),
    },
    first: /layout shifts \(0\.\d+ (on|with) [^,]+, 0(\.0\d*)? in local Lighthouse/i,
    never: noCause,
  },
  {
    name: 'late-third-party',
    planted: 'a style sheet of a third party comes 1.5 s late on the remote side',
    local: { '/': thirdPartySheet, 'fonts.example.net/f.css': css('h1{color:#123}') },
    remote: { '/': thirdPartySheet, 'fonts.example.net/f.css': css('h1{color:#123}', { delayMs: 1500 }) },
    first: /server/i,
    never: /CPU throttling|no known cause|did not load/i,
  },
  {
    name: 'frame',
    planted: 'a chat window of a third party on the remote side',
    local: { '/': plain },
    remote: {
      '/': scripted('<iframe title="Chat" src="http://chat.example.net/frame/chat" width="300" height="200"></iframe>'),
      'chat.example.net/chat': html(`<p>${'Hello! '.repeat(4000)}</p>`),
    },
    first: /did not load the same page.*chat\.example\.net/,
  },
  {
    name: 'late-call',
    planted: 'a call that the page waits for takes 1.2 s more on the local side',
    local: { '/': waiting, '/stock.json': { type: 'application/json', body: '{}', delayMs: 1200 } },
    remote: { '/': waiting, '/stock.json': { type: 'application/json', body: '{}' } },
    first: /server took .*stock\.json/i,
    never: /CPU throttling|no known cause|did not load/i,
  },
  {
    name: 'lost-font',
    planted: 'a font is answered 404 on the local side',
    local: { '/': withFont },
    remote: { '/': withFont, '/f.woff2': { type: 'font/woff2', body: toPng(30_000) } },
    first: /did not load the same page.*f\.woff2 returned a 404/,
  },
  {
    name: 'story',
    planted: 'another story and picture, as at another time of day',
    local: {
      '/': html(toPage({ heading: 'The storm of the morning', text: 'It rained on the boats. ', body: hero })),
      '/hero.png': png(120_000),
    },
    remote: { '/': withHero, '/hero.png': png(260_000) },
    first: /did not load the same page.*hero\.png/,
  },
  {
    name: 'variant',
    planted: 'a variant with 30 more elements on the remote side (A/B test)',
    local: { '/': plain },
    remote: { '/': html(toPage({ body: `<ul>${'<li>An offer for you</li>'.repeat(30)}</ul>` })) },
    first: other,
  },
  {
    name: 'processor',
    planted: 'the local side slows its processor down 4 times, the remote one 1.2 times',
    local: { '/': scripted('<script src="app.js" defer></script>'), '/app.js': script(busyFor(300)) },
    remote: { '/': scripted('<script src="app.js" defer></script>'), '/app.js': script(busyFor(300)) },
    profile: 'lighthouse',
    first: /CPU throttling/i,
    never: other,
  },
  {
    name: 'same-light',
    planted: 'nothing: a light page',
    local: { '/': plain },
    remote: { '/': plain },
    first: noStatement,
    never: noCausePage,
  },
  {
    name: 'same-heavy',
    planted: 'nothing: a picture of 3 MB',
    local: { '/': withHero, '/hero.png': png(3_000_000) },
    remote: { '/': withHero, '/hero.png': png(3_000_000) },
    first: noStatement,
    never: noCausePage,
  },
  {
    name: 'same-busy',
    planted: 'nothing: 500 ms of script',
    local: { '/': scripted('<script src="app.js" defer></script>'), '/app.js': script(busyFor(500)) },
    remote: { '/': scripted('<script src="app.js" defer></script>'), '/app.js': script(busyFor(500)) },
    first: noStatement,
    never: noCausePage,
  },
  {
    name: 'same-many',
    planted: 'nothing: 13 files of 500 KB, and 120 ms of script',
    local: many,
    remote: many,
    first: noStatement,
    never: noCausePage,
  },
  {
    name: 'same-table',
    planted: 'nothing: a table of 2500 rows',
    local: { '/': table },
    remote: { '/': table },
    first: noStatement,
    never: noCausePage,
  },
  {
    name: 'same-lively',
    planted: 'nothing: a page with another session and other offers on every load',
    local: lively,
    remote: lively,
    first: noStatement,
    never: noCausePage,
  },
];

/** Whether the verdict is about what was planted, and blames nothing else. */
export const isRightlyTold = ({ first, never }: RealPlant, told: string): boolean =>
  first.test(withGap(told)) && !never?.test(told);
