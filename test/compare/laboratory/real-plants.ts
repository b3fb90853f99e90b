/** Differences that are planted into real loads, and what has to be said of each. */
import { busyFor, css, denied, type Files, html, png, script, toPage } from './site.ts';

export type RealPlant = {
  name: string;
  /** What is different, for the table. */
  planted: string;
  local: Files;
  remote: Files;
  /** Of the request; `psi` gives both sides the same settings. */
  profile?: 'psi' | 'lighthouse';
  categories?: string;
  /** What the first statement of the verdict has to be like. */
  first: RegExp;
  /** What it must not say anywhere. */
  never?: RegExp;
};

const hero = '<img src="hero.png" alt="A boat" width="380" height="380">';
const withHero = html(toPage({ body: hero }));
const plain = html(toPage());
const scripted = (at: string, inline = '') => html(toPage({ body: `${at}<script>${inline}</script>` }));
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
    first: /did not load the same page.*403.*hero\.png/,
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
    never: /processor/,
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
    first: /server/,
    never: /processor/,
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
    first: /server/,
    never: /processor/,
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
    first: /did not load the same page.*404.*a\.css/,
  },
  {
    name: 'failed-call',
    planted: 'a call of a script is answered 500 on the local side',
    local: { '/': scripted('', "fetch('stock.json')"), '/stock.json': denied(500) },
    remote: { '/': scripted('', "fetch('stock.json')"), '/stock.json': { type: 'application/json', body: '{}' } },
    first: /did not load the same page.*500.*stock\.json/,
  },
  {
    name: 'headline',
    planted: 'another headline of the same length (A/B test)',
    local: { '/': html(toPage({ heading: 'Boats for every water', body: hero })), '/hero.png': png(90_000) },
    remote: { '/': html(toPage({ heading: 'Yacht for rough water', body: hero })), '/hero.png': png(90_000) },
    first: /performance/,
  },
  {
    name: 'processor',
    planted: 'the local side slows its processor down 4 times, the remote one 1.2 times',
    local: { '/': scripted('<script src="app.js" defer></script>'), '/app.js': script(busyFor(300)) },
    remote: { '/': scripted('<script src="app.js" defer></script>'), '/app.js': script(busyFor(300)) },
    profile: 'lighthouse',
    first: /processor/,
    never: other,
  },
  {
    name: 'same-light',
    planted: 'nothing: a light page',
    local: { '/': plain },
    remote: { '/': plain },
    first: /same|no more than|inside|among/,
    never: /processor|server|different page|did not load|no known cause/,
  },
  {
    name: 'same-heavy',
    planted: 'nothing: a picture of 3 MB',
    local: { '/': withHero, '/hero.png': png(3_000_000) },
    remote: { '/': withHero, '/hero.png': png(3_000_000) },
    first: /same|no more than|inside|among/,
    never: /processor|server|different page|did not load|no known cause/,
  },
  {
    name: 'same-busy',
    planted: 'nothing: 500 ms of script',
    local: { '/': scripted('<script src="app.js" defer></script>'), '/app.js': script(busyFor(500)) },
    remote: { '/': scripted('<script src="app.js" defer></script>'), '/app.js': script(busyFor(500)) },
    first: /same|no more than|inside|among/,
    never: /processor|server|different page|did not load|no known cause/,
  },
];
