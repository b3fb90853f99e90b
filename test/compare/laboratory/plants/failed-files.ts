/** Files that failed or were blocked on one side. */
import type { PlantRow, PurePlant } from '../compare-plant.ts';
import {
  addError,
  addFile,
  addScript,
  addScriptTime,
  aside,
  auditOf,
  base,
  blocked,
  blocking,
  blockingOf,
  flip,
  lcp,
  mainThread,
  measure,
  pageBy,
  refused,
  runScripts,
  score,
  setElements,
  setScripts,
  shift,
  took,
  twoMachines,
  usualScripts,
  usualTimes,
  withFile,
} from '../drafts.ts';

const advertisers = {
  'https://tagserver.example/w.js': 110,
  'https://bidding.example/prebid.js': 240,
  'https://heatmap.example/h.js': 90,
  'https://retarget.example/r.js': 130,
};

const trackers = {
  'https://stats.example/a.js': 120,
  'https://heat.example/h.js': 150,
  'https://tests.example/t.js': 90,
};

export const failedFiles: readonly PlantRow[] = [
  ...(
    [
      ['picture', '1.png', 403],
      ['picture', '2.png', 404],
      ['style sheet', '1.css', 404],
      ['script', '2.js', 500],
      ['script', '3.js', 503],
    ] as const
  ).map(
    ([what, name, status]): PurePlant => ({
      name: `${status} for a ${what}`,
      planted: `remote: ${name} fails`,
      plant: ({ psi }) => withFile(psi, name, { statusCode: status, resourceSize: 0 }),
      first: 'different_page',
      says: new RegExp(
        `^The two sides did not load the same page: /same-many/${name} returned a ${status} on psi\\.example`,
      ),
    }),
  ),
  {
    name: 'failed call of a script here',
    planted: 'local: XHR 500, an error in the console',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}api/stock`, { resourceType: 'Fetch' });
      addFile(lighthouse, `${base}api/stock`, { resourceType: 'Fetch', statusCode: 500 });
      addError(lighthouse, 'Failed to load resource');
    },
    says: /\/same-many\/api\/stock returned a 500 in local Lighthouse/i,
  },
  {
    name: '410 for a script',
    planted: 'local: 4.js is gone',
    plant: ({ lighthouse }) => withFile(lighthouse, '4.js', { statusCode: 410, resourceSize: 0 }),
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
    says: /^The two sides did not load the same page: video\.example\/player\.js returned a 451 on psi\.example/i,
  },
  {
    name: 'pictures that may not be linked from elsewhere',
    planted: 'remote: 403 for all six',
    plant: ({ psi }) => {
      for (const at of [1, 2, 3, 4, 5, 6]) withFile(psi, `${at}.png`, { statusCode: 403, resourceSize: 0 });
    },
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
    says: /^The two sides did not load the same page: \/same-many\/fonts\/inter\.woff2 returned a 404 on psi\.example/i,
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
    says: /^The two sides did not load the same page: fonts\.example\/a\.woff2 returned a 403 on psi\.example/i,
  },
  {
    name: 'a name that does not resolve',
    planted: 'local: no jquery of a content host, so two scripts fail; the page is quicker by 7 points',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://code.example/jquery-3.7.1.min.js', 87_000);
      addScriptTime(psi, 'https://code.example/jquery-3.7.1.min.js', 120);
      addScript(lighthouse, 'https://code.example/jquery-3.7.1.min.js', 0, refused);
      addError(lighthouse, 'Failed to load resource: net::ERR_NAME_NOT_RESOLVED');
      addError(lighthouse, 'ReferenceError: jQuery is not defined');
      blocking(psi, 0.76, 200);
    },
    says: /^The two sides did not load the same page: code\.example\/jquery\S* got no response in local Lighthouse/,
    never: /-1|no known cause/,
  },
  {
    name: 'a frame that fails',
    planted: 'remote: 500 for a map',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'https://maps.example/embed', { resourceType: 'Document', statusCode: 500, resourceSize: 200 });
      addFile(lighthouse, 'https://maps.example/embed', { resourceType: 'Document', resourceSize: 80_000 });
    },
    says: /^The two sides did not load the same page: maps\.example\/embed returned a 500 on psi\.example/i,
  },
  {
    name: 'no fonts from outside',
    planted: 'local: the style sheet of the fonts is cut off, four fonts are never asked for; 6 points higher here',
    plant: ({ psi, lighthouse }) => {
      const sheet = { resourceType: 'Stylesheet', resourceSize: 4100, transferSize: 1200 };
      addFile(psi, 'https://fonts.example/css2?family=Inter', sheet);
      addFile(lighthouse, 'https://fonts.example/css2?family=Inter', { ...sheet, ...refused });
      for (const at of [1, 2, 3, 4])
        addFile(psi, `https://fonts-static.example/s/inter-${at}.woff2`, {
          resourceType: 'Font',
          resourceSize: 24_000,
        });
      score(psi, { 'first-contentful-paint': 0.76, 'largest-contentful-paint': 0.83 });
    },
    says: pageBy('fonts\\.example|fonts-static\\.example'),
  },
  {
    name: 'a call that wants a login',
    planted: 'local: 401 for the list, an error in the console, 9 elements of 15',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}api/boats`, { resourceType: 'Fetch', resourceSize: 22_000 });
      addFile(lighthouse, `${base}api/boats`, { resourceType: 'Fetch', statusCode: 401, resourceSize: 40 });
      addError(lighthouse, 'Failed to load resource: the server responded with a status of 401 ()');
      setElements(lighthouse, 9);
    },
    says: pageBy('401'),
  },
  {
    name: 'too many at once',
    planted: 'local: 429 for three of six pictures; 2 points higher',
    plant: ({ psi, lighthouse }) => {
      for (const name of ['2.png', '4.png', '6.png'])
        withFile(lighthouse, name, { statusCode: 429, resourceSize: 0, transferSize: 180 });
      lcp(psi, 0.88);
    },
    says: pageBy('429'),
  },
  {
    name: 'a list of what is filtered',
    planted: 'local: four advertisers are blocked by a filter, with an error each; 13 points higher here',
    plant: ({ psi, lighthouse }) => {
      for (const url of Object.keys(advertisers)) {
        addScript(psi, url, 74_000);
        addScript(lighthouse, url, 0, refused);
        addError(lighthouse, 'Failed to load resource: net::ERR_BLOCKED_BY_CLIENT');
      }
      const own = { '1.js': 48, '2.js': 49 };
      setScripts(psi, { ...own, ...advertisers });
      setScripts(lighthouse, own);
      flip(lighthouse, 'errors-in-console', 'best-practices', 0.7);
      measure(psi, { tbt: blockingOf([48, 49, ...Object.values(advertisers)]) });
      measure(lighthouse, { tbt: blockingOf([48, 49]) });
    },
    says: pageBy('tagserver|bidding|heatmap|retarget|ERR_BLOCKED'),
  },
  {
    name: 'a policy of content',
    planted: 'remote: the policy of the page refuses a widget: an error, 15 elements of 62',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'https://widgets.example/reviews.js', refused);
      addScript(lighthouse, 'https://widgets.example/reviews.js', 120_000);
      addError(
        psi,
        "Refused to load the script 'https://widgets.example/reviews.js' because it violates the following Content Security Policy directive: \"script-src 'self'\".",
      );
      flip(psi, 'errors-in-console', 'best-practices', 0.7);
      flip(psi, 'inspector-issues', 'best-practices', 0.66);
      setScripts(psi, { '1.js': 48, '2.js': 49 });
      setScripts(lighthouse, { '1.js': 47, '2.js': 51, 'https://widgets.example/reviews.js': 70 });
      setElements(lighthouse, 62);
      measure(lighthouse, { tbt: blockingOf([47, 51, 70]) });
    },
    says: pageBy('widgets\\.example|Content Security'),
  },
  {
    name: 'a library that nobody answers for',
    planted: 'local: a script of a third party holds the page up until it times out after 5 s; 26 points lower',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://lib.example/polyfill.js', 30_000, took(40));
      addScript(lighthouse, 'https://lib.example/polyfill.js', 0, { ...refused, ...took(5000), finished: true });
      measure(lighthouse, { fcp: 4200, lcp: 4600, si: 4700 }, { paint: 5300 });
    },
    says: pageBy('lib\\.example'),
  },
  {
    name: 'a widget that fails, on a slower machine',
    planted: 'local: 500 for reviews; every script twice as long, index 1,000 against 2,100',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 2100;
      lighthouse.environment.benchmarkIndex = 1000;
      addFile(psi, `${base}api/reviews`, { resourceType: 'XHR', resourceSize: 7000 });
      addFile(lighthouse, `${base}api/reviews`, { resourceType: 'XHR', resourceSize: 60, statusCode: 500 });
      addError(lighthouse, 'Failed to load resource: the server responded with a status of 500 ()');
      flip(lighthouse, 'errors-in-console', 'best-practices', 0.7);
      runScripts(psi, usualTimes);
      runScripts(lighthouse, [120, 126, 188, 115]);
    },
    environment: twoMachines,
    says: /^The two sides did not load the same page: .*reviews returned a 500 in local Lighthouse/i,
    never: /no known cause|simulation of|explains?|costs?/i,
  },
  {
    name: 'trackers that this service refuses',
    planted: 'local: three scripts are no public hosts from here; 8 points higher here',
    plant: ({ psi, lighthouse }) => {
      for (const url of Object.keys(trackers)) {
        addScript(psi, url, 60_000);
        addScript(lighthouse, url, 0, refused);
      }
      runScripts(psi, usualTimes, trackers);
      runScripts(lighthouse, usualTimes);
    },
    environment: { lighthouse: { blocked_requests: 3 } },
    says: pageBy('stats\\.example|heat\\.example|tests\\.example'),
  },
  {
    name: 'a content security policy',
    planted: 'local: the browser refused two scripts before it asked for them',
    plant: ({ lighthouse }) => {
      for (const name of ['2.js', '3.js']) blocked(lighthouse, name);
    },
    says: /^The browser blocked \/same-many\/2\.js and \/same-many\/3\.js before sending the requests, only in local Lighthouse/i,
    never: /no response|and others|no known cause/,
  },
  {
    name: 'a policy that says so',
    planted: 'remote: one script refused, and the console says by which directive',
    plant: ({ psi }) => {
      blocked(psi, '2.js');
      auditOf(psi, 'errors-in-console').details.items.push({
        description: `Loading the script '${base}2.js' violates the following Content Security Policy directive: "script-src 'none'". The action has been blocked.`,
      });
    },
    says: /^A content security policy blocked \/same-many\/2\.js only on psi\.example/,
    never: /no response|and others|no known cause/,
  },
  {
    name: 'a list of trackers in the browser',
    planted: 'local: three third-party scripts refused before they were asked for; 12 points higher here',
    plant: ({ psi, lighthouse }) => {
      const tags = ['https://a.example/a.js', 'https://b.example/b.js', 'https://c.example/c.js'];
      for (const url of tags) {
        addScript(psi, url, 50_000);
        addScript(lighthouse, url, 0, { ...refused, networkRequestTime: 80, networkEndTime: 80 });
      }
      mainThread(psi, { ...usualScripts, 'https://a.example/a.js': 260, 'https://b.example/b.js': 150 });
      mainThread(lighthouse, usualScripts);
    },
    says: /^The browser blocked a\.example\/a\.js, b\.example\/b\.js and others before .*, only in local Lighthouse/,
    never: /no response|no known cause|disturbed|simulation of/i,
  },
  {
    name: 'mixed content',
    planted: 'remote: the browser refused a picture that is asked for by http',
    plant: ({ psi }) => blocked(psi, '4.png', 'Image'),
    says: /^The browser blocked .*4\.png before sending the request, only on psi\.example/i,
    never: /no response|and others/,
  },
  {
    name: 'a host that drops connections',
    planted: 'local: no answer for a script after 21 s: not the browser’s refusal',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://cdn.example/lib.js', 40_000);
      addScript(lighthouse, 'https://cdn.example/lib.js', 0, {
        ...refused,
        networkRequestTime: 80,
        networkEndTime: 21_080,
      });
    },
    says: /did not load the same page.*cdn\.example\/lib\.js got no response in local Lighthouse/,
    never: /blocked|no known cause/,
  },
  {
    name: 'a lost font that moves nothing',
    planted: 'remote: a 404 for the font, so nothing swaps; local: CLS 0.24',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}fonts/a.woff2`, {
        resourceType: 'Font',
        resourceSize: 0,
        transferSize: 150,
        statusCode: 404,
      });
      addFile(lighthouse, `${base}fonts/a.woff2`, { resourceType: 'Font', resourceSize: 40_000, transferSize: 40_200 });
      shift(psi, []);
      shift(lighthouse, [
        {
          selector: 'p',
          label: 'Rowing boats',
          score: 0.24,
          cause: 'Web font',
          extra: { type: 'url', value: `${base}fonts/a.woff2` },
        },
      ]);
    },
    first: ['different_page', 'layout_shift'],
    says: /a\.woff2 returned a 404.*layout shifts/i,
    never: aside,
  },
  {
    name: 'another version and another page',
    planted: 'remote: Lighthouse 13.6 and a 403 for a picture',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '13.6.0';
      withFile(psi, '2.png', { statusCode: 403, resourceSize: 120, transferSize: 300 });
      measure(psi, { lcp: 3700 }, { paint: 240, largest: 260 });
    },
    says: /2\.png returned a 403/,
    never: /Possible causes?: different versions|no known cause|simulation of/i,
  },
  {
    name: 'packing and a lost picture',
    planted: 'local: a script unpacked, and a 404 for a picture',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '1.js', { resourceSize: 120_000, transferSize: 31_000 });
      withFile(lighthouse, '1.js', { resourceSize: 120_000, transferSize: 120_200 });
      withFile(lighthouse, '5.png', { statusCode: 404, resourceSize: 100, transferSize: 300 });
    },
    says: /^The two sides did not load the same page: .*5\.png returned a 404.*1\.js transferred|1\.js transferred.*404/,
    never: /and others|no known cause/,
  },
];
