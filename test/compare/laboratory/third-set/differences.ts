/** Plants of further kinds, written after the second set's gaps were fixed and before any was tried. */
import {
  addError,
  addFile,
  addScriptTime,
  auditOf,
  base,
  lcp,
  origin,
  type PurePlant,
  requestsOf,
  score,
  setDocument,
  setResponse,
  setThrottling,
  withFile,
} from '../pure-plants.ts';
import { addPicture, addScript, blocking, refused, setObserved, setScripts, took } from '../second-set/drafts.ts';

const phone = { rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 4 };

export const differences: readonly PurePlant[] = [
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
    first: 'different_page',
    says: /^The two sides did not load the same page: code\.example\/jquery\S* got no response in local Lighthouse/,
    never: /-1|no known cause/,
  },
  {
    name: 'a picture that is an error page with status 200',
    planted: 'remote: HTML of 3 KB under the address of a picture',
    plant: ({ psi }) => withFile(psi, '6.png', { resourceSize: 3100, transferSize: 1400, mimeType: 'text/html' }),
    first: 'different_page',
    says: /^The two sides did not load the same page: \/same-many\/6\.png has 3\.1 KB on psi\.example and 100 KB in local Lighthouse/i,
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
    first: 'different_page',
    says: /^The two sides did not load the same page: .*woff2.* and others loaded only in local Lighthouse \(400 KB\).*a different page.{0,60} (explains?|accounts? for) (6|the whole)/i,
    never: /no known cause/,
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
    first: 'different_page',
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
    first: 'different_page',
    says: /^The two sides did not load the same page: cdn\.abtest\.example\/snippet\.js loaded only in local Lighthouse/i,
    never: /no known cause|simulation of|CPU throttling/i,
  },
  {
    name: 'a host of another language',
    planted: 'remote: ends at de.boats.example, the same files by their paths',
    plant: ({ psi }) => {
      for (const item of requestsOf(psi)) item.url = String(item.url).replace('www', 'de');
      for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const)
        psi[key] = psi[key].replace('www', 'de');
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: the final URL was http:\/\/de\.boats\.example\/same-many\//i,
  },
  {
    name: 'a font that comes late',
    planted: 'remote: 1.9 s in place of 60 ms; 7 points',
    plant: ({ psi, lighthouse }) => {
      const font = { resourceType: 'Font', resourceSize: 30_000, transferSize: 30_100 };
      addFile(psi, 'https://fonts.example/a.woff2', { ...font, ...took(1900) });
      addFile(lighthouse, 'https://fonts.example/a.woff2', { ...font, ...took(60) });
      setObserved(psi, 240, 2100);
      lcp(psi, 0.7);
    },
    first: 'server',
    says: /7 points higher.*Possible cause.*server.*fonts\.example\/a\.woff2/i,
    never: /no known cause|did not load|CPU throttling|simulation of/i,
  },
  {
    name: 'a late server over three runs',
    planted: 'remote: 2.4 s; local 98 to 99, remote 85',
    plant: ({ psi }) => {
      setResponse(psi, 2400);
      setObserved(psi, 2650);
      score(psi, { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.55 });
    },
    others: [0.94, 0.98].map(value => draft => lcp(draft, value)),
    simulated: { server: { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.56 } },
    first: 'server',
    says: /14 points higher.*server response times.{0,60} explains?.*2400 ms to respond on/i,
    never: /no known cause|did not load|CPU throttling/i,
  },
  {
    name: 'a multiplier that was calibrated',
    planted: 'remote 4 times, local 2.1; 10 points higher here',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, phone);
      setThrottling(lighthouse, { ...phone, cpuSlowdownMultiplier: 2.1 });
      setScripts(psi, { '1.js': 60, '2.js': 62, '3.js': 61 }, 4);
      setScripts(lighthouse, { '1.js': 60, '2.js': 60, '3.js': 64 }, 2.1);
      blocking(psi, 0.6, 330);
      blocking(lighthouse, 0.92, 150);
    },
    simulated: { cpu: { 'total-blocking-time': 0.59 } },
    first: 'cpu',
    says: /10 points higher.*CPU throttling.{0,60} (explains?|accounts? for) (9|the whole)/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'a slow server there, a slow processor here',
    planted: 'processor −20, server +8: 12 points lower',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, phone);
      setResponse(psi, 1200);
      setObserved(psi, 1450);
      lcp(psi, 0.66);
      blocking(lighthouse, 0.33, 800);
    },
    simulated: { cpu: { 'total-blocking-time': 1 }, server: { 'largest-contentful-paint': 0.66 } },
    first: 'cpu',
    says: /12 points lower.*CPU throttling.{0,60} costs 20/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'throttled while it loaded, and another picture',
    planted: 'remote: method devtools, a picture of 2 MB; 15 points higher here',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, {}, 'devtools');
      setThrottling(lighthouse, {});
      withFile(psi, '2.png', { resourceSize: 2_000_000, transferSize: 2_000_150 });
      lcp(psi, 0.38);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: \/same-many\/2\.png has 2 MB on psi\.example/i,
    never: /no known cause|explains?|costs?/i,
  },
  {
    name: 'a banner in the remote load only, local runs close',
    planted: 'local 97 to 99, remote 74 by layout shifts, and 190 bytes more',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1663 });
      score(psi, { 'cumulative-layout-shift': 0 });
    },
    others: [0.9, 0.98].map(value => draft => lcp(draft, value)),
    first: 'different_page',
    says: /Possible causes?: a different page.*the document has 1663 bytes/i,
    never: /no known cause|simulation of|inside/i,
  },
  {
    name: 'an answer of three hours ago, from a slow server',
    planted: 'remote: 1.6 s, 9 points, three hours old',
    plant: ({ psi }) => {
      setResponse(psi, 1600);
      setObserved(psi, 1850);
      lcp(psi, 0.62);
    },
    cached: { age: 3 * 3600 },
    simulated: { server: { 'largest-contentful-paint': 0.62 } },
    first: 'server',
    says: /server response times.{0,60} (explains?|accounts? for) (9|the whole).*\. The result on psi\.example is 3 hours old/i,
    never: /no known cause|did not load/,
  },
  {
    name: 'audits of an older version',
    planted: 'remote: 12.8, which counts tap-targets in SEO; 4 points of SEO',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '12.8.2';
      psi.audits['tap-targets'] = { score: 0, details: { items: [], debugData: {} } };
      psi.categories.seo?.auditRefs.push({ id: 'tap-targets', weight: 0.5 });
      if (psi.categories.seo) psi.categories.seo.score = 0.96;
    },
    first: 'one_sided_audits',
    says: /^Both sides score 99\. SEO is 4 points higher.*/i,
    never: /failed (on|in)|no known cause|did not load/,
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
    first: 'different_page',
    says: /^The two sides did not load the same page: .*(offers|api).* loaded only on psi\.example/i,
  },
];
