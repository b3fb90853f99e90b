/** Files that differ on one side. The author had not read how the verdict is found. */
import {
  addError,
  addFile,
  addScriptTime,
  auditOf,
  base,
  flip,
  lcp,
  origin,
  otherPicture,
  type PurePlant,
  requestsOf,
  score,
  setDocument,
  setElement,
  setElements,
  tbt,
  withFile,
} from '../pure-plants.ts';
import { addPicture, addScript, blocking, eachRequest, refused, setScripts } from './drafts.ts';

export const files: readonly PurePlant[] = [
  {
    name: '410 for a script',
    planted: 'local: 4.js is gone',
    plant: ({ lighthouse }) => withFile(lighthouse, '4.js', { statusCode: 410, resourceSize: 0 }),
    first: 'different_page',
    says: /^The two sides did not load the same page: \/same-many\/4\.js returned a 410 in local Lighthouse/i,
  },
  {
    name: '429 for a call of a script',
    planted: 'remote: a limit of requests, an error in the console',
    plant: ({ psi, lighthouse }) => {
      addFile(lighthouse, `${base}api/prices`, { resourceType: 'XHR', resourceSize: 4000 });
      addFile(psi, `${base}api/prices`, { resourceType: 'XHR', resourceSize: 40, statusCode: 429 });
      addError(psi, 'Failed to load resource: the server responded with a status of 429 ()');
      flip(psi, 'errors-in-console', 'best-practices', 0.7);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: \/same-many\/api\/prices returned a 429 on psi\.example/i,
  },
  {
    name: 'a host that refuses the connection',
    planted: 'remote: fonts.example does not answer; net::ERR_CONNECTION_REFUSED',
    plant: ({ psi, lighthouse }) => {
      const sheet = { resourceType: 'Stylesheet', resourceSize: 12_000, transferSize: 3000 };
      addFile(lighthouse, 'https://fonts.example/css2?family=Inter', sheet);
      addFile(psi, 'https://fonts.example/css2?family=Inter', { ...sheet, ...refused });
      addError(psi, 'Failed to load resource: net::ERR_CONNECTION_REFUSED');
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*fonts\.example\/css2/,
    never: /-1|−1 for|no known cause/,
  },
  {
    name: 'counting that is blocked',
    planted: 'local: a network that blocks gtag.js (net::ERR_BLOCKED_BY_CLIENT); 180 ms of script less, 6 points',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://stats.example/gtag.js?id=G-1', 310_000);
      addScript(lighthouse, 'https://stats.example/gtag.js?id=G-1', 0, refused);
      addScriptTime(psi, 'https://stats.example/gtag.js?id=G-1', 180);
      addError(lighthouse, 'Failed to load resource: net::ERR_BLOCKED_BY_CLIENT');
      blocking(psi, 0.8, 180);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*stats\.example\/gtag\.js/,
    never: /-1|−1 for|no known cause/,
  },
  {
    name: 'a third party that a country may not have',
    planted: 'remote: 451 for its player, which runs 350 ms here; 11 points',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://video.example/player.js', 0, { statusCode: 451 });
      addScript(lighthouse, 'https://video.example/player.js', 400_000);
      addScriptTime(lighthouse, 'https://video.example/player.js', 350);
      blocking(lighthouse, 0.62, 300);
    },
    againAsThere: { 'total-blocking-time': 0.99 },
    first: 'different_page',
    says: /^The two sides did not load the same page: video\.example\/player\.js returned a 451 on psi\.example/i,
    never: /no known cause/,
  },
  {
    name: 'pictures that may not be linked from elsewhere',
    planted: 'remote: 403 for all six',
    plant: ({ psi }) => {
      for (const at of [1, 2, 3, 4, 5, 6]) withFile(psi, `${at}.png`, { statusCode: 403, resourceSize: 0 });
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*png returned a 403 on psi\.example, .*and others/i,
  },
  {
    name: 'a font that is lost',
    planted: 'remote: 404 for a font; another font moves the text, 5 points of layout shifts',
    plant: ({ psi, lighthouse }) => {
      const font = { resourceType: 'Font', resourceSize: 48_000, transferSize: 48_100 };
      addFile(lighthouse, `${base}fonts/inter.woff2`, font);
      addFile(psi, `${base}fonts/inter.woff2`, { ...font, resourceSize: 900, statusCode: 404 });
      score(psi, { 'cumulative-layout-shift': 0.78 });
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: \/same-many\/fonts\/inter\.woff2 returned a 404 on psi\.example/i,
    never: /no known cause/,
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
    first: 'different_page',
    says: /^The two sides did not load the same page: .*img\.example\/hero-/,
    never: /no known cause/,
  },
  {
    name: 'a heavier version of the script',
    planted: 'local: another hash in the name, 180 KB and 320 ms in place of 60 KB and 50 ms; 12 points',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}assets/main.77b0e1d2.js`, 60_000);
      addScript(lighthouse, `${base}assets/main.3f2a91c0.js`, 180_000);
      addScriptTime(psi, `${base}assets/main.77b0e1d2.js`, 50);
      addScriptTime(lighthouse, `${base}assets/main.3f2a91c0.js`, 320);
      blocking(lighthouse, 0.6, 320);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*assets\/main/,
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'compression is off',
    planted: 'local: all texts take three times the bytes of the network; 8 points',
    plant: ({ psi, lighthouse }) => {
      const isText = (url: unknown) => /\.(js|css)$/.test(String(url));
      eachRequest(psi, item =>
        isText(item.url) ? { transferSize: 0.3 * Number(item.resourceSize), resourceSize: item.resourceSize } : item,
      );
      score(lighthouse, { 'first-contentful-paint': 0.7, 'largest-contentful-paint': 0.78 });
    },
    first: 'different_page',
    says: /^The two sides got the same files with different compression: .*on/,
    never: /no known cause/,
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
    first: 'different_page',
    says: /^A consent banner appeared only on psi\.example \(“We use cookies/i,
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
    first: 'different_page',
    says: /^The two sides did not load the same page: \/same-many\/intro\.webm loaded only on psi\.example \(5 MB\)/i,
    never: /206/,
  },
  {
    name: 'a taller window',
    planted: 'remote: three pictures more, from below the first screen',
    plant: ({ psi }) => {
      for (const name of ['sails', 'oars', 'ropes']) addPicture(psi, `${base}shop/${name}.jpg`, 38_000);
    },
    first: 'different_page',
    says: /\/same-many\/shop\/\w+\.jpg, \/same-many\/shop\/\w+\.jpg and others loaded only on psi\.example/i,
  },
  {
    name: 'a script that fails, and what it would have drawn',
    planted: 'local: an error, six elements of 15, another picture',
    plant: ({ lighthouse }) => {
      addError(lighthouse, "TypeError: Cannot read properties of undefined (reading 'map')");
      setElements(lighthouse, 6);
      otherPicture(lighthouse);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*(Cannot read properties|final screenshots)/i,
    never: /the console shows an error only on/,
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
    first: 'different_page',
    says: /^The two sides did not load the same page: .*(ads|bids)\.example.* loaded only in local Lighthouse/i,
    never: /no known cause/,
  },
  {
    name: '403 for a font, and faults in two categories',
    planted: 'remote: errors-in-console and color-contrast flip; performance is alike',
    plant: ({ psi, lighthouse }) => {
      const font = { resourceType: 'Font', resourceSize: 30_000, transferSize: 30_100 };
      addFile(lighthouse, 'https://fonts.example/a.woff2', font);
      addFile(psi, 'https://fonts.example/a.woff2', { ...font, resourceSize: 0, statusCode: 403 });
      addError(psi, 'Failed to load resource: the server responded with a status of 403 ()');
      flip(psi, 'errors-in-console', 'best-practices', 0.7);
      flip(psi, 'color-contrast', 'accessibility', 0.89);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: fonts\.example\/a\.woff2 returned a 403 on psi\.example/i,
  },
  {
    name: 'a large file of data',
    planted: 'local: a JSON of 12 MB in place of 200 KB; 22 points by LCP',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}data/all.json`, { resourceType: 'Fetch', resourceSize: 200_000, transferSize: 200_200 });
      addFile(lighthouse, `${base}data/all.json`, {
        resourceType: 'Fetch',
        resourceSize: 12_000_000,
        transferSize: 12_000_200,
      });
      lcp(lighthouse, 0.1);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*\/same-many\/data\/all\.json/,
    never: /no known cause/,
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
    name: 'an older script that holds the thread',
    planted: 'local: 2.js runs 1500 ms in place of 50; 28 points',
    plant: ({ psi, lighthouse }) => {
      setScripts(psi, { '1.js': 45, '2.js': 50, '3.js': 60 });
      setScripts(lighthouse, { '1.js': 47, '2.js': 1500, '3.js': 62 });
      blocking(lighthouse, 0.05, 1450);
    },
    againAsThere: { 'total-blocking-time': 0.99 },
    first: 'different_page',
    says: /^The two sides did not load the same page: \/same-many\/2\.js ran for.*a different page explains the whole/i,
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'a script of half a second in the document',
    planted: 'remote: the document works 520 ms, is 900 bytes larger; 16 points',
    plant: ({ psi, lighthouse }) => {
      setScripts(psi, { [base]: 520, '1.js': 45, '2.js': 50 });
      setScripts(lighthouse, { [base]: 8, '1.js': 47, '2.js': 52 });
      setDocument(psi, { resourceSize: 2373 });
      blocking(psi, 0.46, 480);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*(ran for|document)/i,
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'a file from elsewhere in the same words',
    planted: 'remote: a mirror of the same 4 scripts under static.boats.example',
    plant: ({ psi }) =>
      eachRequest(psi, item => ({
        ...item,
        url: String(item.url).replace(/^http:.*\/(\d\.js)$/, 'http://static.boats.example/$1'),
      })),
    first: 'different_page',
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
    first: 'different_page',
    says: /^The two sides did not load the same page/,
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'a limit of requests for the page itself',
    planted: 'remote: the document comes with 429',
    plant: ({ psi }) => setDocument(psi, { statusCode: 429, resourceSize: 700 }),
    first: 'different_page',
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
    first: 'different_page',
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
    first: 'different_page',
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
    first: 'different_page',
    says: /http:\/\/www\.boats\.example\/de\/ in local Lighthouse/i,
  },
  {
    name: 'another language with the same pictures',
    planted: 'remote: the document has 6 % more, the largest element says something else',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1561, transferSize: 1720 });
      setElement(psi, 'Barques, voiliers et tout ce qui va avec');
    },
    first: 'different_page',
    says: /different pages?: .*“Barques, voiliers/i,
  },
  {
    name: 'a test of two headlines',
    planted: 'local: another headline of the same length',
    plant: ({ lighthouse }) => setElement(lighthouse, 'Boats that find every harbour'),
    first: 'different_page',
    says: /largest element was .*“Boats that find every harbour/,
    never: /no known cause/,
  },
];
