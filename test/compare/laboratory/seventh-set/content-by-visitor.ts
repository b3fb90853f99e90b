/** Pages whose content depends on the visitor: by country, session, experiment, browser and day. */
import { elsewhere, pageBy } from '../fifth-set/expected.ts';
import {
  addError,
  addFile,
  addScriptTime,
  auditOf,
  base,
  type Draft,
  flip,
  moveTo,
  otherPicture,
  type PurePlant,
  requestsOf,
  setDocument,
  setElement,
  setElements,
} from '../pure-plants.ts';
import { addPicture, addScript, eachRequest, setScripts } from '../second-set/drafts.ts';
import { blockingOf, measure, scoresOf } from './drafts.ts';

const photos = { harbour: 171_000, regatta: 128_000, workshop: 96_000 };
const shareOfAvif = 0.38;

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

const drawnHere = (draft: Draft, lcp: number, ms: number) => {
  setDocument(draft, { resourceSize: 1900, transferSize: 1100 });
  addFile(draft, `${base}api/page`, { resourceType: 'Fetch', resourceSize: 31_000, transferSize: 7900 });
  setScripts(draft, { '1.js': 49, '2.js': ms, '3.js': 60 });
  const tbt = blockingOf([49, ms, 60]);
  measure(draft, { fcp: 1700, lcp, tbt, si: 1900 }, { paint: 610, largest: 1250 });
};

export const contentByVisitor: readonly PurePlant[] = [
  {
    name: 'AVIF for one side, JPEG for the other',
    planted: 'one address for each picture; local 395 KB in place of 150 KB, LCP 3.1 s in place of 2.05',
    plant: ({ psi, lighthouse }) => {
      for (const [name, bytes] of Object.entries(photos)) {
        const url = `https://img.boats.example/${name}`;
        addPicture(psi, url, Math.round(shareOfAvif * bytes), { mimeType: 'image/avif' });
        addPicture(lighthouse, url, bytes, { mimeType: 'image/jpeg' });
      }
      for (const draft of [psi, lighthouse]) setElement(draft, 'The harbour in the evening');
      measure(psi, { lcp: 2050 });
      measure(lighthouse, { lcp: 3100 });
    },
    againAsThere: scoresOf({ lcp: 2050 }),
    first: 'different_page',
    says: pageBy('img\\.boats\\.example'),
    never: elsewhere,
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
    first: 'different_page',
    says: pageBy('@[12]x'),
    never: elsewhere,
  },
  {
    name: 'quality by the speed of the line',
    planted: 'remote: three pictures with ?q=30, 22 KB each; local: ?q=80 with 81; 1 point',
    plant: ({ psi, lighthouse }) => {
      for (const boat of ['lotte', 'hansa', 'jolle']) {
        addPicture(psi, `https://img.boats.example/${boat}.jpg?q=30`, 22_000);
        addPicture(lighthouse, `https://img.boats.example/${boat}.jpg?q=80`, 81_000);
      }
      measure(lighthouse, { lcp: 2250 });
    },
    first: 'different_page',
    says: pageBy('(lotte|hansa|jolle)\\.jpg'),
    never: elsewhere,
  },
  {
    name: 'prices in another currency',
    planted: 'remote: dollars plus tax; local: euros with tax; the same length but for 29 bytes, the same scores',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}api/prices?currency=USD`, { resourceType: 'Fetch', resourceSize: 2100, transferSize: 900 });
      addFile(lighthouse, `${base}api/prices?currency=EUR`, {
        resourceType: 'Fetch',
        resourceSize: 2260,
        transferSize: 930,
      });
      setDocument(lighthouse, { resourceSize: 1502, transferSize: 1662 });
      setElement(psi, 'All prices in US dollars plus sales tax, shipping from Portland');
      setElement(lighthouse, 'Alle Preise in Euro inklusive Mehrwertsteuer, Versand ab Kiel');
    },
    first: 'different_page',
    says: pageBy('prices|All prices|Alle Preise|document'),
    never: elsewhere,
  },
  {
    name: 'the shop of another country',
    planted: 'local: a 302 to www.boats-shop.de, from where all files come; 2 points lower',
    plant: ({ lighthouse }) => {
      const there = (url: unknown) => String(url).replace('www.boats.example', 'www.boats-shop.de');
      eachRequest(lighthouse, item => ({ ...item, url: there(item.url) }));
      const hop = { url: base, statusCode: 302, resourceType: 'Document', resourceSize: 0, transferSize: 380 };
      auditOf(lighthouse, 'network-requests').details.items = [hop, ...requestsOf(lighthouse)];
      moveTo(lighthouse, there(base));
      setElement(lighthouse, 'Boote für jedes Gewässer');
      measure(lighthouse, { fcp: 1500, lcp: 2350, si: 1500 }, { paint: 420 });
    },
    first: 'different_page',
    says: /^The two sides did not load the same page.*final URL.*boats-shop\.de/i,
    never: elsewhere,
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
    first: 'different_page',
    says: pageBy('admin-bar|document|elements'),
    never: elsewhere,
  },
  {
    name: 'a flag that brings another renderer',
    planted: 'remote: 3.js, the same bytes, runs 640 ms in place of 94, and draws 240 elements; 18 points',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}api/flags`, { resourceType: 'Fetch', resourceSize: 312, transferSize: 460 });
      addFile(lighthouse, `${base}api/flags`, { resourceType: 'Fetch', resourceSize: 309, transferSize: 457 });
      setScripts(psi, { '1.js': 48, '2.js': 49, '3.js': 640 });
      setScripts(lighthouse, { '1.js': 49, '2.js': 45, '3.js': 94 });
      setElements(psi, 240);
      measure(psi, { tbt: blockingOf([48, 49, 640]) });
      measure(lighthouse, { tbt: blockingOf([49, 45, 94]) });
    },
    first: 'different_page',
    says: pageBy('3\\.js|elements'),
    never: elsewhere,
  },
  {
    name: 'drawn in the browser, not by the server',
    planted: 'local: 1.9 KB of document in place of 48, a call for the page, 2.js runs 330 ms in place of 58; 3 runs',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 48_000, transferSize: 9800 });
      drawnHere(lighthouse, 3300, 330);
    },
    others: [
      [3280, 318],
      [3350, 341],
    ].map(
      ([lcp = 0, ms = 0]) =>
        draft =>
          drawnHere(draft, lcp, ms),
    ),
    first: 'different_page',
    says: pageBy('document|2\\.js|api/page'),
    never: elsewhere,
  },
  {
    name: 'a page that is drawn twice',
    planted: 'local: the text of the server does not fit the language of the browser: an error, 230 ms in place of 48',
    plant: ({ psi, lighthouse }) => {
      setScripts(psi, { '1.js': 47, '2.js': 48, '3.js': 52 });
      setScripts(lighthouse, { '1.js': 49, '2.js': 230, '3.js': 50 });
      addError(lighthouse, 'Error: Minified React error #418; visit https://react.dev/errors/418?args[]=text');
      flip(lighthouse, 'errors-in-console', 'best-practices', 0.7);
      measure(psi, { tbt: blockingOf([47, 48, 52]) });
      measure(lighthouse, { tbt: blockingOf([49, 230, 50]) });
    },
    first: 'different_page',
    says: pageBy('#418|2\\.js'),
    never: elsewhere,
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
    first: 'different_page',
    says: /(did not load the same page|different pages?).*(sale|document|elements|final screenshots).*5 hours old/i,
    never: elsewhere,
  },
  {
    name: 'a new site since last week',
    planted: 'remote: 9 days old; local: other files, 18 KB of document, 140 elements; 12 points lower',
    plant: ({ lighthouse }) => {
      auditOf(lighthouse, 'network-requests').details.items = requestsOf(lighthouse).slice(0, 1);
      setDocument(lighthouse, { resourceSize: 18_300, transferSize: 5200 });
      addScript(lighthouse, `${base}build/app.js`, 230_000);
      addFile(lighthouse, `${base}build/app.css`, { resourceType: 'Stylesheet', resourceSize: 64_000 });
      for (const boat of ['lotte', 'hansa', 'jolle']) addPicture(lighthouse, `${base}media/${boat}.webp`, 88_000);
      setScripts(lighthouse, { 'build/app.js': 260 });
      setElements(lighthouse, 140);
      setElement(lighthouse, 'Find the boat that finds you');
      otherPicture(lighthouse);
      measure(lighthouse, { fcp: 2000, lcp: 3100, tbt: blockingOf([260]), si: 2600 }, { paint: 390, largest: 520 });
    },
    cached: { age: 9 * 86_400 },
    first: 'different_page',
    says: /^The two sides did not load the same page.*9 days old/,
    never: elsewhere,
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
    first: 'different_page',
    says: pageBy('follow\\.example'),
    never: elsewhere,
  },
  {
    name: 'a button in another colour',
    planted: 'local: the other half of a test, whose only trace is that color-contrast fails',
    plant: ({ lighthouse }) => flip(lighthouse, 'color-contrast', 'accessibility', 0.93),
    first: ['audits', 'different_page'],
    says: /accessibility is 7 points lower.*color-contrast/i,
    never: elsewhere,
  },
];
