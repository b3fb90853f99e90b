/** Another document, or another look of the page: addresses, statuses, redirects, consent layers, languages. */
import type { PlantRow } from '../compare-plant.ts';
import {
  addError,
  addFile,
  addPicture,
  addScript,
  addScriptTime,
  auditOf,
  base,
  type Draft,
  eachRequest,
  flip,
  keepOnlyTheDocument,
  lcp,
  measure,
  moveTo,
  origin,
  otherPicture,
  pageBy,
  polls,
  refused,
  requestsOf,
  score,
  setDocument,
  setElement,
  setElements,
  setObserved,
  socket,
  took,
  version,
  withFile,
} from '../drafts.ts';
import { at, call } from '../pages/files.ts';
import { application, dashboard, form, manual, type Page, withMore, without } from '../pages/pages.ts';
import { fail, logError, show } from '../pages/show.ts';

const byOldProtocol = (draft: Draft, lcp: number) => {
  eachRequest(draft, item => ({ ...item, protocol: 'http/1.1' }));
  measure(draft, { fcp: 1700, lcp, si: 1800 }, { paint: 410 });
};

const bundle = at('assets/index-B7xq2LmZ.js');

const mismatch =
  'Error: Minified React error #418; visit https://react.dev/errors/418 for the full message or use the non-minified dev environment';

const renderedTwice: Page = { ...application, scripts: { ...application.scripts, [bundle]: 980 }, layout: 310 };

const withMismatch = (draft: Draft, wobble: number) => {
  show(draft, renderedTwice, wobble);
  logError(draft, mismatch);
};

const flags = (fields: Record<string, unknown>) => call('https://flags.launch.example/eval/web', 3100, fields);

const withoutFlags: Page = {
  ...withMore(application, [
    flags({ statusCode: -1, resourceSize: 0, transferSize: 0, networkRequestTime: 900, networkEndTime: 3900 }),
  ]),
  paints: [2600, 6300, 5100],
  seen: [880, 4480],
};

const live: Page = { ...dashboard, files: [...dashboard.files, socket] };

const polling: Page = {
  ...withMore(dashboard, [{ ...socket, statusCode: 502 }, ...polls]),
  scripts: { ...dashboard.scripts, [at('static/app.js')]: 410 },
};

const consent = (draft: Draft, text: string): void => {
  setElement(draft, text);
  otherPicture(draft);
};

export const documents: readonly PlantRow[] = [
  {
    name: 'error in the console',
    planted: 'remote: a script fails, errors-in-console flips',
    plant: ({ psi }) => {
      addError(psi, 'TypeError: shop is not defined');
      flip(psi, 'errors-in-console', 'best-practices', 0.96);
    },
    says: /the console shows an error only on psi\.example \(TypeError: shop is not defined\)/i,
  },
  {
    name: 'a late banner',
    planted: 'remote: 180 bytes more, layout shifts cost 20 points',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1653 });
      score(psi, { 'cumulative-layout-shift': 0.2 });
    },
    says: /Possible causes?: a different page\. The two sides may have loaded different pages: the document has 1653 bytes/i,
  },
  {
    name: 'consent layer',
    planted: 'remote: 600 bytes and 9 elements more, another picture',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 2073 });
      setElements(psi, 40);
      otherPicture(psi);
    },
    says: /^The two sides did not load the same page: the final screenshots/i,
  },
  {
    name: 'another language',
    planted: 'remote: other words, another picture, the same size',
    plant: ({ psi }) => {
      setElement(psi, 'Ruderboote und Segelboote');
      otherPicture(psi);
    },
    says: /“Ruderboote und Segelboote” on psi\.example/,
  },
  {
    name: 'login',
    planted: 'remote: ends at another address',
    plant: ({ psi }) => moveTo(psi, `${origin}/login`),
    says: /final URL was http:\/\/www\.boats\.example\/login/i,
  },
  {
    name: 'page for phones',
    planted: 'local: ends at another host',
    plant: ({ lighthouse }) => moveTo(lighthouse, 'http://m.boats.example/'),
    says: /http:\/\/m\.boats\.example\S* in local Lighthouse/i,
  },
  {
    name: 'error page',
    planted: 'remote: the document comes with 451',
    plant: ({ psi }) => setDocument(psi, { statusCode: 451 }),
    says: /status 451 on psi\.example and 200 in local Lighthouse/,
  },
  {
    name: 'paywall',
    planted: 'remote: a third of the document',
    plant: ({ psi, lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 90_000 });
      setDocument(psi, { resourceSize: 30_000 });
    },
    says: /the document has 30 KB on psi\.example and 90 KB in local Lighthouse/i,
  },
  {
    name: 'another picture only',
    planted: 'remote: the last picture differs, nothing else',
    plant: ({ psi }) => otherPicture(psi),
    says: /the two sides may have loaded different pages: the final screenshots/i,
  },
  {
    name: 'a cookie banner of the page itself',
    planted: 'remote: its script of 12 KB, 14 elements, another largest element, another picture',
    plant: ({ psi }) => {
      addScript(psi, `${base}cookies.js`, 12_000);
      addScriptTime(psi, `${base}cookies.js`, 20);
      setElements(psi, 29);
      setElement(psi, 'We use cookies to improve your experience');
      otherPicture(psi);
    },
    says: /^A consent banner appeared only on psi\.example \(“We use cookies/i,
  },
  {
    name: 'a script that fails, and what it would have drawn',
    planted: 'local: an error, six elements of 15, another picture',
    plant: ({ lighthouse }) => {
      addError(lighthouse, "TypeError: Cannot read properties of undefined (reading 'map')");
      setElements(lighthouse, 6);
      otherPicture(lighthouse);
    },
    says: /^The two sides did not load the same page: .*(Cannot read properties|final screenshots)/i,
    never: /the console shows an error only on/,
  },
  {
    name: 'HTTP/1.1 in place of HTTP/2',
    planted: 'remote: every answer; 9 points of LCP',
    plant: ({ psi, lighthouse }) => {
      eachRequest(psi, item => ({ ...item, protocol: 'http/1.1' }));
      eachRequest(lighthouse, item => ({ ...item, protocol: 'h2' }));
      lcp(psi, 0.62);
    },
    first: ['different_page', 'server'],
    says: /HTTP\/1\.1|http\/1\.1/i,
    never: /CPU throttling|machines/i,
  },
  {
    name: 'a limit of requests for the page itself',
    planted: 'remote: the document comes with 429',
    plant: ({ psi }) => setDocument(psi, { statusCode: 429, resourceSize: 700 }),
    says: /status 429 on psi\.example and 200 in local Lighthouse/,
  },
  {
    name: 'a redirect to https',
    planted: 'remote: the same files, all by https',
    plant: ({ psi }) => {
      const secure = (url: unknown) => String(url).replace('http:', 'https:');
      eachRequest(psi, item => ({ ...item, url: secure(item.url) }));
      for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const) psi[key] = secure(psi[key]);
      auditOf(psi, 'is-on-https').score = 1;
    },
    says: /^The two sides did not load the same page: the final URL was https:\/\/www\.boats\.example/i,
    never: /loaded only/i,
  },
  {
    name: 'a redirect to the domain of a consent',
    planted: 'remote: ends at another host, a page of 12 KB and one script',
    plant: ({ psi }) => {
      auditOf(psi, 'network-requests').details.items = [];
      const url = 'https://consent.boats-group.example/?continue=http%3A%2F%2Fwww.boats.example%2F';
      addFile(psi, url, { resourceType: 'Document', resourceSize: 12_000 });
      addScript(psi, 'https://consent.boats-group.example/ui.js', 80_000);
      for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const) psi[key] = url;
    },
    says: /^The two sides did not load the same page: the final URL was https:\/\/consent\.boats-group\.example/i,
  },
  {
    name: 'a redirect by country',
    planted: 'local: ends at /de/, with the same pictures',
    plant: ({ lighthouse }) => {
      for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const)
        lighthouse[key] = `${origin}/de/`;
      setElement(lighthouse, 'Boote für jedes Gewässer');
    },
    says: /http:\/\/www\.boats\.example\/de\/ in local Lighthouse/i,
  },
  {
    name: 'another language with the same pictures',
    planted: 'remote: the document has 6 % more, the largest element says something else',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1561, transferSize: 1720 });
      setElement(psi, 'Barques, voiliers et tout ce qui va avec');
    },
    says: /different pages?: .*“Barques, voiliers/i,
  },
  {
    name: 'a test of two headlines',
    planted: 'local: another headline of the same length',
    plant: ({ lighthouse }) => setElement(lighthouse, 'Boats that find every harbour'),
    says: /largest element was .*“Boats that find every harbour/,
  },
  {
    name: 'redirects before the page',
    planted: 'local: two answers of 301 more, 10 points',
    plant: ({ lighthouse }) => {
      const hops = ['http://boats.example/', `${base.replace('www', 'old')}`].map(url => ({
        url,
        statusCode: 301,
        resourceType: 'Document',
        resourceSize: 0,
        transferSize: 300,
      }));
      auditOf(lighthouse, 'network-requests').details.items = [...hops, ...requestsOf(lighthouse)];
      score(lighthouse, { 'first-contentful-paint': 0.72, 'largest-contentful-paint': 0.7 });
    },
    says: /redirect|301|(boats|old\.boats)\.example\//,
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'a host of another language',
    planted: 'remote: ends at de.boats.example, the same files by their paths',
    plant: ({ psi }) => {
      for (const item of requestsOf(psi)) item.url = String(item.url).replace('www', 'de');
      for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const)
        psi[key] = psi[key].replace('www', 'de');
    },
    says: /^The two sides did not load the same page: the final URL was http:\/\/de\.boats\.example\/same-many\//i,
  },
  {
    name: 'a banner in the remote load only, local runs close',
    planted: 'local 97 to 99, remote 74 by layout shifts, and 190 bytes more',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1663 });
      score(psi, { 'cumulative-layout-shift': 0 });
    },
    others: [0.9, 0.98].map(value => draft => lcp(draft, value)),
    says: /Possible causes?: a different page.*the document has 1663 bytes/i,
    never: /no known cause|simulation of|inside/i,
  },
  {
    name: 'one error more',
    planted: 'both: an error of a library; remote: another one of the page itself, and 11 elements of 15',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) addError(draft, 'Refused to apply style: its MIME type is not supported');
      addError(psi, "TypeError: Cannot set properties of null (setting 'innerHTML')");
      setElements(psi, 11);
    },
    says: /the console shows an error only on psi\.example \(TypeError: Cannot set/i,
  },
  {
    name: 'a call without an answer',
    planted: 'local: the policy of this machine refuses a private address; a call fails, an error in the console',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'http://api.inside.example/stock', { resourceType: 'Fetch', resourceSize: 9000 });
      addFile(lighthouse, 'http://api.inside.example/stock', { resourceType: 'Fetch', ...refused, finished: true });
      addError(lighthouse, 'Failed to load resource: net::ERR_TUNNEL_CONNECTION_FAILED');
    },
    environment: { lighthouse: { blocked_requests: 1 } },
    says: /^The two sides did not load the same page: .*(api\.inside\.example|ERR_TUNNEL)/,
  },
  {
    name: 'with and without www',
    planted: 'local: ends at boats.example, and so do its files',
    plant: ({ lighthouse }) => {
      for (const item of requestsOf(lighthouse)) item.url = String(item.url).replace('www.', '');
      for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const)
        lighthouse[key] = lighthouse[key].replace('www.', '');
    },
    says: /^The two sides did not load the same page: the final URL was .*www\.boats\.example\S* .* and http:\/\/boats\.example\S* in local Lighthouse/i,
    never: /loaded only/i,
  },
  {
    name: 'a waiting room',
    planted: 'remote: ends in the queue of another host, 99 on both sides',
    plant: ({ psi }) => {
      keepOnlyTheDocument(psi);
      moveTo(psi, 'https://queue.example/?c=boats&e=sale&t=http%3A%2F%2Fwww.boats.example%2Fsame-many%2F');
      setDocument(psi, { url: 'https://queue.example/?c=boats&e=sale', resourceSize: 14_000 });
      setElement(psi, 'You are now in line');
      otherPicture(psi);
    },
    says: /^The two sides did not load the same page.*queue\.example/,
  },
  {
    name: 'sold out',
    planted: 'local: the shop here has no such boat and leads to its front page',
    plant: ({ lighthouse }) => {
      moveTo(lighthouse, `${origin}/`);
      setDocument(lighthouse, { url: `${origin}/`, resourceSize: 9800 });
      for (const name of ['4.png', '5.png', '6.png']) withFile(lighthouse, name, null);
      setElement(lighthouse, 'Boats for everyone');
    },
    says: /^The two sides did not load the same page.*final URL/i,
  },
  {
    name: 'known to the shop',
    planted: 'local: a session, so the document is twice as large, with two calls and a picture of the visitor',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 2950, transferSize: 1900 });
      setElements(lighthouse, 34);
      addFile(lighthouse, `${base}account/me`, { resourceType: 'Fetch', resourceSize: 1800 });
      addFile(lighthouse, `${base}basket`, { resourceType: 'Fetch', resourceSize: 3300 });
      addPicture(lighthouse, `${origin}/avatars/77.webp`, 21_000);
    },
    says: pageBy('account|basket|avatars|document|elements'),
  },
  {
    name: 'an origin that is not allowed',
    planted: 'local: the policy of an interface refuses this name; an error, nothing is drawn',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'https://api.boats-cloud.example/v1/list', { resourceType: 'Fetch', resourceSize: 18_000 });
      addFile(lighthouse, 'https://api.boats-cloud.example/v1/list', { resourceType: 'Fetch', ...refused });
      addError(
        lighthouse,
        "Access to fetch at 'https://api.boats-cloud.example/v1/list' from origin 'http://www.boats.example' has been blocked by CORS policy",
      );
      setElements(lighthouse, 9);
    },
    says: pageBy('api\\.boats-cloud\\.example|CORS'),
  },
  {
    name: 'free shipping in one country',
    planted: 'remote: another headline, a call for the country, 1,620 bytes of document',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1620 });
      setElement(psi, 'Free shipping on all US orders over $75');
      addFile(psi, 'https://geo.example/ip', { resourceType: 'Fetch', resourceSize: 400 });
    },
    says: pageBy('geo\\.example|Free shipping|document|element'),
  },
  {
    name: 'to itself, with a cookie',
    planted: 'remote: a 302 from the address to itself, 700 ms; 9 points higher here',
    plant: ({ psi }) => {
      const hop = { url: base, statusCode: 302, resourceType: 'Document', resourceSize: 0, transferSize: 420 };
      auditOf(psi, 'network-requests').details.items = [{ ...hop, ...took(700) }, ...requestsOf(psi)];
      setObserved(psi, 960);
      score(psi, { 'first-contentful-paint': 0.75, 'largest-contentful-paint': 0.7 });
    },
    first: ['different_page', 'server'],
    says: /redirect|server/i,
    never: /status 302|no known cause|CPU throttling|simulation of|machines/i,
  },
  {
    name: 'a lazy first picture',
    planted: 'local: loading="lazy", so 15 bytes more of document and a low priority; 10 points; 3 runs',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '3.png', { priority: 'High' });
      withFile(lighthouse, '3.png', { priority: 'Low' });
      setDocument(lighthouse, { resourceSize: 1488, transferSize: 1648 });
      setObserved(lighthouse, 240, 1100);
      lcp(lighthouse, 0.58);
    },
    others: [0.57, 0.6].map(value => draft => {
      withFile(draft, '3.png', { priority: 'Low' });
      setDocument(draft, { resourceSize: 1488, transferSize: 1648 });
      setObserved(draft, 240, 1100);
      lcp(draft, value);
    }),
    says: pageBy('priorit|document|3\\.png'),
    never: /processor|CPU throttling|machines|simulation of|disturbed|network throttling/i,
  },
  {
    name: 'a notice above the page',
    planted: 'local: 420 bytes of document, two elements more, layout shifts cost 10 points',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 1893, transferSize: 2053 });
      setElements(lighthouse, 17);
      score(lighthouse, { 'cumulative-layout-shift': 0.6 });
    },
    says: pageBy('document|elements'),
  },
  {
    name: 'an app that wants you to sign in',
    planted: 'local: #/login, another largest element, 9 elements of 15, one call less; the scores are the same',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}api/overview`, { resourceType: 'Fetch', resourceSize: 31_000 });
      moveTo(lighthouse, `${base}#/login`);
      setElement(lighthouse, 'Sign in to your account');
      setElements(lighthouse, 9);
    },
    says: pageBy('login|Sign in|overview|elements'),
  },
  {
    name: 'places for advertisements',
    planted: 'remote: 6 elements more and 12 points of layout shifts; local 98 to 99 in three runs',
    plant: ({ psi }) => {
      setElements(psi, 21);
      score(psi, { 'cumulative-layout-shift': 0.5 });
    },
    others: [0.93, 0.96].map(value => draft => lcp(draft, value)),
    says: pageBy('elements'),
    never: /CPU throttling|machines|simulation of|disturbed|no known cause/i,
  },
  {
    name: 'an icon that is not there',
    planted: 'local: 404 for the icon, which the console tells; errors-in-console fails',
    plant: ({ lighthouse }) => {
      addFile(lighthouse, `${base.replace('same-many/', '')}favicon.ico`, {
        resourceType: 'Other',
        statusCode: 404,
        resourceSize: 200,
      });
      addError(lighthouse, 'Failed to load resource: the server responded with a status of 404 (Not Found)');
      flip(lighthouse, 'errors-in-console', 'best-practices', 0.7);
    },
    first: ['different_page', 'audits'],
    says: /errors-in-console|error in the console/i,
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
    says: pageBy('prices|All prices|Alle Preise|document'),
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
    says: /^The two sides did not load the same page.*final URL.*boats-shop\.de/i,
  },
  {
    name: 'a page that loads itself again',
    planted: 'remote: sets a cookie and reloads, so the document comes twice and its files too; 5 points',
    plant: ({ psi }) => {
      const all = requestsOf(psi);
      const again = all.map(item => (item.resourceType === 'Document' ? { ...item } : { ...item, transferSize: 0 }));
      auditOf(psi, 'network-requests').details.items = [...all, ...again];
      measure(psi, { fcp: 1700, lcp: 2900, si: 1900 }, { paint: 900 });
    },
    first: ['different_page', 'server'],
    says: /twice|again|2 times|redirect|requests|did not load|different pages?/i,
    never: /simulation of|CPU throttling|machines|disturbed|explains?|costs?/i,
  },
  {
    name: 'a proxy that speaks no HTTP/2',
    planted: 'local: HTTP/1.1 for every file in three runs, HTTP/2 on the remote side; 6 points lower',
    plant: ({ psi, lighthouse }) => {
      eachRequest(psi, item => ({ ...item, protocol: 'h2' }));
      byOldProtocol(lighthouse, 3000);
    },
    others: [2950, 3060].map(ms => draft => byOldProtocol(draft, ms)),
    simulated: {},
    first: ['different_page', 'server'],
    says: /HTTP\/1\.1/i,
    never: /no known cause|CPU throttling|machines|simulation of|disturbed/i,
  },
  {
    name: 'the language that was asked for',
    planted: 'remote: English, local: German with 8 % more of the document; the same files and scores',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 24_000, transferSize: 7100 });
      setDocument(lighthouse, { resourceSize: 25_900, transferSize: 7700 });
      setElement(psi, 'Boats made by hand since 1921');
      setElement(lighthouse, 'Boote, von Hand gebaut seit 1921');
    },
    says: pageBy('document|Boote'),
  },
  {
    name: 'a page that the edge had rendered already',
    planted: 'remote: 88 KB of document and no call for the catalogue, the same bundles; painted 1.5 s sooner',
    plant: ({ psi, lighthouse }) => {
      show(psi, {
        ...without(application, 'api/catalogue'),
        document: [88_000, 17_500],
        paints: [1500, 2200, 2000],
        seen: [320, 610],
      });
      show(lighthouse, application);
    },
    says: pageBy('document|api/catalogue'),
  },
  {
    name: 'a clock of another zone breaks hydration',
    planted: 'local: error 418, so the bundle renders all of it again, 980 in place of 410 ms, in each of three runs',
    plant: ({ psi, lighthouse }) => {
      show(psi, application);
      withMismatch(lighthouse, 1);
    },
    others: [0.97, 1.03].map(wobble => draft => withMismatch(draft, wobble)),
    says: pageBy('418|index-B7xq2LmZ'),
  },
  {
    name: 'a service of flags that does not answer',
    planted: 'local: the call ends after 3 s without an answer, an error in the console, the page waits for it',
    plant: ({ psi, lighthouse }) => {
      show(psi, withMore(application, [flags({})]));
      show(lighthouse, withoutFlags);
      logError(lighthouse, 'Failed to load resource: net::ERR_TIMED_OUT');
    },
    simulated: {},
    first: ['different_page', 'server'],
    says: /flags\.launch\.example|ERR_TIMED_OUT/,
  },
  {
    name: 'polls where a socket is not let through',
    planted: 'local: an error of the socket, 18 polls in its place, the application works 150 ms more',
    plant: ({ psi, lighthouse }) => {
      show(psi, live);
      show(lighthouse, polling);
      logError(
        lighthouse,
        "WebSocket connection to 'ws://www.boats.example/live' failed: Error during WebSocket handshake: Unexpected response code: 502",
      );
    },
    says: pageBy('poll|WebSocket|/live|502|app\\.js'),
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
    says: pageBy('3\\.[23]|New in this version|document|elements'),
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
  },
  {
    name: 'reduced motion',
    planted: 'remote: nothing moves; local: two animations run all the time',
    plant: ({ psi, lighthouse }) => {
      const animated = (selector: string) => ({ node: { type: 'node', selector, nodeLabel: selector } });
      psi.audits['non-composited-animations'] = { score: null, details: { items: [], debugData: {} } };
      lighthouse.audits['non-composited-animations'] = {
        score: 0,
        details: { items: [animated('div.hero'), animated('div.waves')], debugData: {} },
      };
      otherPicture(lighthouse);
    },
    says: /animations ran only in local Lighthouse \(div\.hero and div\.waves\)/i,
    never: /no known cause|and others/,
  },
  {
    name: 'a cookie banner',
    planted: 'local: the largest element is the banner’s text, and a third of the picture is other',
    plant: ({ psi, lighthouse }) => {
      setElement(psi, 'Boats for every water');
      setElement(lighthouse, 'We use cookies to improve your experience. Accept all');
      otherPicture(lighthouse);
    },
    says: /^A consent banner appeared only in local Lighthouse \(“We use cookies/i,
    never: /no known cause|and others/,
  },
  {
    name: 'another largest element',
    planted: 'local: the headline, remote: the picture of a boat; nothing else differs but the score',
    plant: ({ psi, lighthouse }) => {
      setElement(psi, 'A boat at sea');
      setElement(lighthouse, 'Boats for every water');
      measure(lighthouse, { lcp: 3900 });
    },
    says: /the largest element .*“A boat at sea”.*“Boats for every water”/i,
    never: /no known cause|and others/,
  },
  {
    name: 'a snippet that hides the page',
    planted: 'local: 780 bytes more of document, which hide it for 1.5 s; 12 points',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 22_000, transferSize: 7000 });
      setDocument(lighthouse, { resourceSize: 22_780, transferSize: 7300 });
      measure(lighthouse, { fcp: 2900, lcp: 3300, si: 3300 }, { paint: 1700 });
    },
    // The trace has the timer that shows the page again.
    environment: { lighthouse: { paint_wait_ms: 14 } },
    says: /document/i,
    never: /no known cause|simulation of|disturbed|machines/i,
  },
  {
    name: 'a banner in German',
    planted: 'remote: “Wir verwenden Cookies”, and another picture',
    plant: ({ psi, lighthouse }) => {
      setElement(lighthouse, 'Boote für jedes Wasser');
      consent(psi, 'Wir verwenden Cookies, um Inhalte zu personalisieren');
    },
    says: /^A consent banner appeared only on psi\.example/i,
    never: /no known cause|and others/,
  },
  {
    name: 'a banner in French',
    planted: 'local: “Le respect de votre vie privée”, 30 elements more',
    plant: ({ psi, lighthouse }) => {
      setElement(psi, 'Des bateaux pour toutes les eaux');
      consent(lighthouse, 'Le respect de votre vie privée est notre priorité');
      setElements(lighthouse, 45);
    },
    says: /^A consent banner appeared only in local Lighthouse/i,
    never: /no known cause|and others/,
  },
  {
    name: 'the dark side',
    planted: 'remote: dark colours; nine tenths of the picture, nothing else',
    plant: ({ psi }) => otherPicture(psi),
    says: /final screenshots differ/i,
    never: /consent|no known cause|reduced motion/,
  },
];
