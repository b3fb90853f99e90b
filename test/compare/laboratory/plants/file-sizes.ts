/** Files with another size, another compression or another priority of the largest image. */
import type { PlantRow } from '../compare-plant.ts';
import {
  addFile,
  addPicture,
  addScript,
  addScriptTime,
  aside,
  auditOf,
  base,
  blocking,
  blockingOf,
  changeBoth,
  type Draft,
  desktop,
  discover,
  eachRequest,
  lcp,
  mainThread,
  measure,
  origin,
  pageBy,
  phone,
  refused,
  runScripts,
  score,
  scoresOf,
  scriptNames,
  setDocument,
  setElement,
  setElements,
  setObserved,
  setPaints,
  setResponse,
  setScripts,
  setThrottling,
  small,
  usualScripts,
  withFile,
} from '../drafts.ts';
import { script } from '../pages/files.ts';
import { blog, type Page, playerScript, watched, withMore, without } from '../pages/pages.ts';
import { show } from '../pages/show.ts';

const asDevelopment = (draft: Draft) => {
  for (const name of scriptNames) withFile(draft, name, { resourceSize: 420_000, transferSize: 420_200 });
  addScript(draft, `${origin}/@vite/client`, 180_000);
  addFile(draft, `ws://www.boats.example/?token=Zq81`, { resourceType: 'WebSocket', statusCode: 101, resourceSize: 0 });
  setScripts(draft, { '1.js': 120, '2.js': 190, '3.js': 140, '4.js': 130 });
};

const photos = { harbour: 171_000, regatta: 128_000, workshop: 96_000 };

const shareOfAvif = 0.38;

const unpackStyles = (draft: Draft) =>
  eachRequest(draft, item => (item.resourceType === 'Stylesheet' ? { ...item, transferSize: 9163 } : { ...item }));

const packStyles = (draft: Draft) =>
  eachRequest(draft, item => (item.resourceType === 'Stylesheet' ? { ...item, transferSize: 2300 } : { ...item }));

const withHero = (draft: Draft, bytes: number, lcp: number) => {
  addPicture(draft, `${base}hero`, bytes);
  measure(draft, { lcp });
};

const player = (build: string, bytes: number, ms: number): Page =>
  withMore(without(watched, 'base.js'), [script(playerScript.replace('build', build), bytes)], {
    [playerScript.replace('build', build)]: ms,
  });

const accelerated: Page = {
  ...withMore({ ...blog, files: blog.files.map(small) }, [
    script('http://accelerate.mobile.example/inject/compress.js', 14_000),
  ]),
  document: [98_190, 21_400],
  paints: [2300, 2600, 2600],
  seen: [520, 700],
};

export const fileSizes: readonly PlantRow[] = [
  {
    name: 'image of 50 KB in place of 3 MB',
    planted: 'remote: smaller file, LCP 0.2 here',
    plant: ({ psi, lighthouse }) => {
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000 });
      withFile(psi, '3.png', { resourceSize: 50_000 });
      lcp(lighthouse, 0.2);
    },
    againAsThere: { 'largest-contentful-paint': 0.99 },
    says: /^The two sides did not load the same page: \/same-many\/3\.png has 50 KB on psi\.example and 3 MB in local Lighthouse\. .* a different page.{0,60} (explains?|accounts? for) (19|the whole)/i,
    never: /no known cause|Simulated/,
  },
  {
    name: 'a smaller image that explains little',
    planted: 'remote: smaller file; 30 points by blocking time here, and the experiment gives 1 point',
    plant: ({ psi, lighthouse }) => {
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000 });
      withFile(psi, '3.png', { resourceSize: 50_000 });
      score(lighthouse, { 'largest-contentful-paint': 0.95, 'total-blocking-time': 0 });
    },
    againAsThere: { 'largest-contentful-paint': 0.99 },
    says: /^The two sides did not load the same page: \/same-many\/3\.png has 50 KB on psi\.example/i,
    never: /a different page|no known cause/i,
  },
  {
    name: 'a larger image that the score does not show',
    planted: 'local: larger file, and 24 points more; the experiment gives 20 points the other way',
    plant: ({ psi, lighthouse }) => {
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000 });
      withFile(psi, '3.png', { resourceSize: 50_000 });
      lcp(lighthouse, 0.2);
      score(psi, { 'total-blocking-time': 0, 'cumulative-layout-shift': 0.4 });
    },
    againAsThere: { 'largest-contentful-paint': 1 },
    says: /^The two sides did not load the same page/,
    never: /a different page|no known cause/i,
  },
  {
    name: 'other style sheet',
    planted: 'remote: 90 KB in place of 9',
    plant: ({ psi }) => withFile(psi, '1.css', { resourceSize: 90_000 }),
    says: /\/same-many\/1\.css has 90 KB on \S+ and 9 KB/i,
  },
  {
    name: 'modern picture format',
    planted: 'remote: pictures of a third of the size',
    plant: ({ psi }) => {
      for (const name of ['4.png', '5.png', '6.png']) withFile(psi, name, { resourceSize: 25_000 });
    },
    says: /\/same-many\/6\.png has 25 KB on \S+ and 100 KB .*, and .*, and others/i,
  },
  {
    name: 'a script that is not packed',
    planted: 'local: 90 KB over the network in place of 30',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '1.js', { resourceSize: 90_000, transferSize: 30_000 });
      withFile(lighthouse, '1.js', { resourceSize: 90_000, transferSize: 90_200 });
      lcp(lighthouse, 0.6);
    },
    says: /\/same-many\/1\.js transferred 30 KB on psi\.example and 90 KB in local Lighthouse/i,
  },
  {
    name: 'time of day',
    planted: 'remote, an hour old: another story and a picture of another size',
    plant: ({ psi }) => {
      setElement(psi, 'Boats of the morning');
      withFile(psi, '1.png', { resourceSize: 400_000 });
    },
    cached: { age: 3600 },
    says: /\/same-many\/1\.png has 400 KB .*\. The result on psi\.example is 1 hour old/,
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
    says: /^The two sides got the same files with different compression: .*on/,
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
    says: /^The two sides did not load the same page: .*\/same-many\/data\/all\.json/,
  },
  {
    name: 'desktop: a picture',
    planted: 'both desktop, local: 800 KB in place of 72; 6 points',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) {
        draft.configSettings.formFactor = 'desktop';
        setThrottling(draft, desktop);
      }
      withFile(lighthouse, '3.png', { resourceSize: 800_000, transferSize: 800_150 });
      lcp(lighthouse, 0.74);
    },
    againAsThere: { 'largest-contentful-paint': 0.98 },
    says: /^The two sides did not load the same page: .*3\.png has 72 KB on psi\.example and 800 KB in local Lighthouse.*a different page.{0,60} (explains?|accounts? for) (6|the whole)/i,
  },
  {
    name: 'another page and another processor',
    planted: 'local: a picture of 3 MB, 10 points; 4 against 1.2 times, 12 points',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, phone);
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000 });
      withFile(psi, '3.png', { resourceSize: 72_000 });
      score(lighthouse, { 'largest-contentful-paint': 0.58, 'total-blocking-time': 0.6 });
    },
    simulated: { cpu: { 'total-blocking-time': 1 } },
    againAsThere: { 'largest-contentful-paint': 0.98 },
    says: /^The two sides did not load the same page: .* has 72 KB on psi\.example.* explains 1[012] of.* explains 1[012]\b/i,
    never: /no known cause/,
  },
  {
    name: 'another page that helps, a processor that costs more',
    planted: 'remote: a picture of 3 MB, 12 points lower; local 4 against 1.2 times, 24 points lower',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, phone);
      withFile(psi, '3.png', { resourceSize: 3_000_000 });
      lcp(psi, 0.5);
      blocking(lighthouse, 0.2, 1200);
    },
    simulated: { cpu: { 'total-blocking-time': 1 } },
    againAsThere: { 'largest-contentful-paint': 0.5 },
    says: /^The two sides did not load the same page: .* has 3 MB on psi\.example/i,
    never: /no known cause|a different page.{0,60} (explains?|accounts? for) (12|the whole)/i,
  },
  {
    name: 'a picture in every run',
    planted: 'local: 3 MB in three runs of 76 to 79, remote 72 KB and 99',
    plant: ({ lighthouse }) => {
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000, transferSize: 3_000_200 });
      lcp(lighthouse, 0.15);
    },
    others: [0.08, 0.2].map(value => draft => {
      withFile(draft, '3.png', { resourceSize: 3_000_000, transferSize: 3_000_200 });
      lcp(draft, value);
    }),
    againAsThere: { 'largest-contentful-paint': 0.98 },
    says: /^The two sides did not load the same page: .*3\.png has 72 KB on psi\.example and 3 MB in local Lighthouse.*a different page/i,
    never: /inside|no known cause/,
  },
  {
    name: 'a picture that is an error page with status 200',
    planted: 'remote: HTML of 3 KB under the address of a picture',
    plant: ({ psi }) => withFile(psi, '6.png', { resourceSize: 3100, transferSize: 1400, mimeType: 'text/html' }),
    says: /^The two sides did not load the same page: \/same-many\/6\.png has 3\.1 KB on psi\.example and 100 KB in local Lighthouse/i,
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
    says: /^The two sides did not load the same page: \/same-many\/2\.png has 2 MB on psi\.example/i,
    never: /no known cause|explains?|costs?/i,
  },
  {
    name: 'a document that is not packed',
    planted: 'local: 140 KB of the network in place of 22, the same text; 8 points of paints',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 140_000, transferSize: 22_000 });
      setDocument(lighthouse, { resourceSize: 140_000, transferSize: 140_300 });
      setPaints(lighthouse, 1700, 2700);
      score(lighthouse, { 'first-contentful-paint': 0.75, 'largest-contentful-paint': 0.74 });
    },
    says: /^The two sides got the same files with different compression: the document transferred 22 KB on psi\.example and 140 KB/i,
    never: /simulation of|no known cause/i,
  },
  {
    name: 'a call with an empty answer',
    planted: 'remote: 2 bytes in place of 14 KB',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}api/list`, { resourceType: 'Fetch', resourceSize: 2 });
      addFile(lighthouse, `${base}api/list`, { resourceType: 'Fetch', resourceSize: 14_000 });
    },
    says: /different pages?: \/same-many\/api\/list has 2 bytes on psi\.example and 14 KB in local Lighthouse/i,
  },
  {
    name: 'a larger picture here, a disturbed run there',
    planted: 'local: 3 MB, 12 points; remote: blocking that is nobody’s work, 12 points',
    plant: ({ psi, lighthouse }) => {
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000, transferSize: 3_000_200 });
      lcp(lighthouse, 0.5);
      auditOf(psi, 'long-tasks').details.items = [{ url: 'Unattributable', duration: 450, startTime: 900 }];
      auditOf(psi, 'mainthread-work-breakdown').details.items = [{ group: 'other', duration: 600 }];
      blocking(psi, 0.6, 400);
    },
    againAsThere: { 'largest-contentful-paint': 0.98 },
    says: /^The two sides did not load the same page: .* has 72 KB on psi\.example/i,
    never: /no known cause|(explains?|accounts? for) (12|the whole)|simulation of/i,
  },
  {
    name: 'a desktop page and another picture',
    planted: 'remote: a desktop computer gets 900 KB in place of 72; 11 points',
    plant: ({ psi, lighthouse }) => {
      psi.configSettings.formFactor = 'desktop';
      withFile(psi, '3.png', { resourceSize: 900_000, transferSize: 900_200 });
      lcp(lighthouse, 0.54);
    },
    says: /^The two sides did not load the same page: .* has 900 KB on psi\.example/i,
    never: /no known cause|accounts? for|explains?|costs?/,
  },
  {
    name: 'a sinkhole that answers',
    planted: 'local: the manager of tags is an empty 200, so three others are not asked for; remote 19 points lower',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://www.tags.example/gtm.js?id=GTM-B0AT', 310_000);
      addScript(lighthouse, 'https://www.tags.example/gtm.js?id=GTM-B0AT', 0, { transferSize: 120 });
      addScriptTime(psi, 'https://www.tags.example/gtm.js?id=GTM-B0AT', 330);
      for (const host of ['heat.example', 'pixel.example', 'replay.example']) {
        addScript(psi, `https://${host}/l.js`, 64_000);
        addScriptTime(psi, `https://${host}/l.js`, 140);
      }
      blocking(psi, 0.34, 720);
    },
    says: pageBy('tags\\.example|heat\\.example|pixel\\.example|replay\\.example'),
  },
  {
    name: 'a server for developers',
    planted: 'local: 420 KB in place of 30 for each bundle, its own client; 15 points lower',
    plant: ({ lighthouse }) => {
      asDevelopment(lighthouse);
      score(lighthouse, {
        'first-contentful-paint': 0.6,
        'largest-contentful-paint': 0.7,
        'total-blocking-time': 0.86,
      });
    },
    says: pageBy('\\d\\.js|@vite'),
  },
  {
    name: 'a server for developers, and another multiplier',
    planted: 'local: the same bundles, 12 points of paints; 4 against 1.2 times, 13.5 of blocking time; 5 runs',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      asDevelopment(lighthouse);
      score(lighthouse, { 'largest-contentful-paint': 0.5, 'total-blocking-time': 0.55 });
    },
    others: [0.54, 0.56, 0.53, 0.57].map(value => draft => {
      asDevelopment(draft);
      score(draft, { 'largest-contentful-paint': 0.5, 'total-blocking-time': value });
    }),
    simulated: { cpu: { 'total-blocking-time': 1 } },
    againAsThere: { 'largest-contentful-paint': 0.98 },
    says: /^The two sides did not load the same page.*(\d\.js|@vite).*CPU throttling.{0,60} explains?/i,
    never: /no known cause|machines|simulation of/i,
  },
  {
    name: 'source maps inside the bundle',
    planted: 'local: 1.js of 260 KB in place of 30, the same work; 5 points, desktop',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) draft.configSettings.formFactor = 'desktop';
      withFile(lighthouse, '1.js', { resourceSize: 260_000, transferSize: 190_000 });
      score(lighthouse, { 'first-contentful-paint': 0.78, 'largest-contentful-paint': 0.86 });
    },
    againAsThere: { 'first-contentful-paint': 0.99, 'largest-contentful-paint': 0.98 },
    says: pageBy('1\\.js'),
  },
  {
    name: 'a deploy in between',
    planted: 'remote: 20 hours old; a bundle with a hash in its name has 95 KB in place of 34; 5 points',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}main.4f2a91c0.js`, 34_000);
      addScript(lighthouse, `${base}main.9c1e77ab.js`, 95_000);
      score(lighthouse, { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.84 });
    },
    cached: { age: 20 * 3600 },
    says: pageBy('main\\.'),
  },
  {
    name: 'files from a cache here',
    planted: 'local: all but the document took nothing of the network; 15 points higher',
    plant: ({ psi, lighthouse }) => {
      eachRequest(lighthouse, item => (item.resourceType === 'Document' ? item : { ...item, transferSize: 0 }));
      score(psi, { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.5 });
    },
    first: ['different_page', 'unexplained'],
    says: /15 points higher/,
    never: /simulation of|CPU throttling|CPU|machines|disturbed|server response/i,
  },
  {
    name: 'another picture, one bad run of five',
    planted: 'remote: 2 MB, 15 points; local 66, 97, 98, 99 and 99',
    plant: ({ psi }) => {
      withFile(psi, '2.png', { resourceSize: 2_000_000, transferSize: 2_000_200 });
      lcp(psi, 0.38);
    },
    others: [
      draft => blocking(draft, 0, 2600),
      draft => lcp(draft, 0.9),
      draft => lcp(draft, 0.94),
      draft => lcp(draft, 0.98),
    ],
    first: ['different_page', 'run_noise'],
    says: /2\.png has 2 MB/,
    never: /no known cause|CPU throttling|machines|simulation of/i,
  },
  {
    name: 'a file and a tunnel',
    planted: 'remote: a picture of 1.4 MB, 12 points; local: 160 ms of round trip, 5 points; 7 points higher here',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '4.png', { resourceSize: 1_400_000, transferSize: 1_400_200 });
      lcp(psi, 0.5);
      auditOf(lighthouse, 'network-rtt').numericValue = 160;
      for (const item of auditOf(lighthouse, 'network-rtt').details.items) item.rtt = 160;
      setObserved(lighthouse, 700);
      score(lighthouse, { 'first-contentful-paint': 0.74, 'largest-contentful-paint': 0.88 });
    },
    simulated: { server: { 'first-contentful-paint': 0.99, 'largest-contentful-paint': 0.98 } },
    againAsThere: { 'first-contentful-paint': 0.99, 'largest-contentful-paint': 0.5 },
    says: /^The two sides did not load the same page.*4\.png has 1\.4 MB/i,
    never: /no known cause|CPU throttling|machines|simulation of/i,
  },
  {
    name: 'a width in the query of a picture',
    planted: 'remote: ?w=828 with 58 KB; local: ?w=1656 with 240; 6 points lower here',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, 'https://img.example/boats/hero.jpg?w=828', 58_000);
      addPicture(lighthouse, 'https://img.example/boats/hero.jpg?w=1656', 240_000);
      lcp(lighthouse, 0.74);
    },
    againAsThere: { 'largest-contentful-paint': 0.98 },
    says: pageBy('hero\\.jpg'),
  },
  {
    name: 'all pictures a little larger',
    planted: 'local: each of six has 1.42 times the bytes, 193 KB in all; 6 points lower',
    plant: ({ lighthouse }) => {
      eachRequest(lighthouse, item => {
        if (item.resourceType !== 'Image') return item;
        const resourceSize = Math.round(1.42 * Number(item.resourceSize));
        return { ...item, resourceSize, transferSize: resourceSize + 150 };
      });
      setObserved(lighthouse, 240, 420);
      setPaints(lighthouse, 1105, 2700);
      lcp(lighthouse, 0.74);
    },
    says: /(did not load the same page|different pages?)/i,
  },
  {
    name: 'a heavier page on a faster network',
    planted: 'local: a picture of 2.4 MB, and 40 ms and 10 Mbit/s: both score 85',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, {});
      setThrottling(lighthouse, { rttMs: 40, throughputKbps: 10_240 });
      withFile(lighthouse, '5.png', { resourceSize: 2_400_000, transferSize: 2_400_200 });
      lcp(psi, 0.42);
      lcp(lighthouse, 0.42);
    },
    simulated: { throttling: { 'largest-contentful-paint': 0 } },
    againAsThere: { 'largest-contentful-paint': 0.42 },
    says: /^The two sides did not load the same page.*5\.png.*both sides score 85/i,
    never: /explains?|accounts? for|costs?|no known cause|CPU throttling|machines|simulation of/i,
  },
  {
    name: 'a style sheet that came empty',
    planted: 'local: 0 bytes with status 200 in place of 9 KB; the scores are the same',
    plant: ({ lighthouse }) => withFile(lighthouse, '1.css', { resourceSize: 0, transferSize: 160 }),
    says: pageBy('1\\.css'),
  },
  {
    name: 'a script that came empty',
    planted: 'local: a proxy answers 6 KB of script with a 204; 3 points of blocking time',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}vendor/menu.js`, 6000);
      addScript(lighthouse, `${base}vendor/menu.js`, 0, { statusCode: 204, transferSize: 110 });
      addScriptTime(psi, `${base}vendor/menu.js`, 60);
      blocking(psi, 0.9, 170);
    },
    says: pageBy('menu\\.js'),
  },
  {
    name: 'built for old browsers',
    planted: 'local: 4.js has 58 KB in place of 30 and runs 120 ms more; 5 points, 3 runs',
    plant: ({ lighthouse }) => {
      withFile(lighthouse, '4.js', { resourceSize: 58_000, transferSize: 58_200 });
      addScriptTime(lighthouse, `${base}4.js`, 170);
      blocking(lighthouse, 0.82, 200);
    },
    others: [0.84, 0.8].map(value => draft => {
      withFile(draft, '4.js', { resourceSize: 58_000, transferSize: 58_200 });
      addScriptTime(draft, `${base}4.js`, 165);
      blocking(draft, value, 200);
    }),
    says: pageBy('4\\.js'),
  },
  {
    name: 'a server and a picture',
    planted: 'remote: 700 ms in place of 37 to the first byte, 4 points; a picture of 380 KB, 6 points; 10 in all',
    plant: ({ psi }) => {
      setResponse(psi, 700);
      setObserved(psi, 950);
      withFile(psi, '1.png', { resourceSize: 380_000, transferSize: 380_200 });
      score(psi, { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.64 });
    },
    simulated: { server: { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.88 } },
    againAsThere: { 'first-contentful-paint': 0.8, 'largest-contentful-paint': 0.64 },
    says: /^The two sides did not load the same page.*.*1\.png has 380 KB.*server/i,
    never: /no known cause|CPU throttling|machines|simulation of/i,
  },
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
    says: pageBy('img\\.boats\\.example'),
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
    says: pageBy('(lotte|hansa|jolle)\\.jpg'),
  },
  {
    name: 'a call that hangs',
    planted: 'remote: recommendations have no answer until the load ends, and 12 elements are missing',
    plant: ({ psi, lighthouse }) => {
      const call = { resourceType: 'Fetch', networkRequestTime: 300 };
      addFile(psi, `${base}api/recommend`, { ...call, ...refused, finished: false });
      addFile(lighthouse, `${base}api/recommend`, { ...call, resourceSize: 14_000, networkEndTime: 352 });
      setElements(lighthouse, 27);
    },
    says: pageBy('recommend|elements'),
  },
  {
    name: 'a picture, a multiplier and a version',
    planted: 'local: 2.2 MB in place of 100 KB, 14 points; 2.4 against 1.2 times, 6 points; remote also 12.8',
    plant: ({ psi, lighthouse }) => {
      psi.lighthouseVersion = '12.8.2';
      setThrottling(psi, {});
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 2.4 });
      withFile(lighthouse, '6.png', { resourceSize: 2_200_000, transferSize: 2_200_150 });
      runScripts(psi, [48, 49, 94]);
      runScripts(lighthouse, [49, 48, 95], {}, 2.4);
      measure(lighthouse, { lcp: 4400 }, { paint: 226, largest: 900 });
    },
    simulated: { cpu: scoresOf({ tbt: blockingOf([49, 48, 95]) }) },
    againAsThere: scoresOf({ lcp: 1850 }),
    says: new RegExp(`${pageBy('6\\.png').source}.*CPU throttling.{0,30} explains`, 'i'),
    never: /no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'styles that are not packed',
    planted: 'local: 27 KB of the network for three style sheets in place of 7; 6 points, on a slow line',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) setThrottling(draft, { rttMs: 300, throughputKbps: 400 });
      packStyles(psi);
      unpackStyles(lighthouse);
      measure(psi, { fcp: 2300, lcp: 3600, si: 2600 });
      measure(lighthouse, { fcp: 2900, lcp: 4200, si: 3200 });
    },
    says: /^The two sides got the same files with different compression: .*css/,
  },
  {
    name: 'a canary build',
    planted: 'local: main of 140 KB and 240 ms in place of 84 KB and 40, under a name with another hash',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}assets/main-Bq3x9LkA.js`, 84_000);
      addScriptTime(psi, `${base}assets/main-Bq3x9LkA.js`, 40);
      addScript(lighthouse, `${base}assets/main-Wd81_tRz.js`, 140_000);
      addScriptTime(lighthouse, `${base}assets/main-Wd81_tRz.js`, 240);
      measure(lighthouse, { tbt: 240 });
    },
    says: pageBy('main-'),
  },
  {
    name: 'three causes, the page the smallest',
    planted: 'local: 150 KB more of a picture, 3 points; 1.1 s of server, 8; 4 against 1.2 times, 20',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, {});
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      runScripts(psi, [60, 62, 95, 58]);
      runScripts(lighthouse, [62, 61, 97, 60], {}, 4);
      setResponse(psi, 40);
      setResponse(lighthouse, 1150);
      withFile(lighthouse, '6.png', { resourceSize: 250_000, transferSize: 250_150 });
      measure(lighthouse, { fcp: 2250, lcp: 3500, si: 2250 }, { paint: 1350 });
    },
    simulated: {
      cpu: scoresOf({ tbt: blockingOf([62, 61, 97, 60]) }),
      server: scoresOf({ fcp: 1100, lcp: 2700, si: 1100 }),
    },
    againAsThere: scoresOf({ lcp: 1850 }),
    againAsThereHere: scoresOf({ lcp: 3100 }),
    says: /^The two sides did not load the same page.*6\.png.*CPU throttling.{0,60} explains?.*server response times explain/i,
    never: /no known cause|machines|simulation of|disturbed/i,
  },
  {
    name: 'a picture of a third more',
    planted: 'local: 430 KB in place of 320, LCP 3.3 s in place of 2.6; 5 points, 3 runs of which none lies apart',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, `${base}hero.jpg`, 320_000);
      addPicture(lighthouse, `${base}hero.jpg`, 430_000);
      measure(psi, { lcp: 2600 });
      measure(lighthouse, { lcp: 3300 });
    },
    others: [3270, 3320].map(lcp => draft => {
      addPicture(draft, `${base}hero.jpg`, 430_000);
      measure(draft, { lcp });
    }),
    says: pageBy('hero\\.jpg'),
  },
  {
    name: 'the old format of one picture, in five runs',
    planted: 'local: 290 KB in place of 110 under one address, LCP 2.9 to 3.2 s in place of 2.1',
    plant: ({ psi, lighthouse }) => {
      withHero(psi, 110_000, 2100);
      withHero(lighthouse, 290_000, 3050);
    },
    others: [2900, 3100, 3200, 2980].map(lcp => draft => withHero(draft, 290_000, lcp)),
    againAsThere: scoresOf({ lcp: 2100 }),
    says: pageBy('hero'),
  },
  {
    name: 'yesterday’s picture',
    planted: 'remote: 30 hours old, a hero of 90 KB; local: one of 350 KB, 4 points',
    plant: ({ psi, lighthouse }) => {
      withHero(psi, 90_000, 2000);
      withHero(lighthouse, 350_000, 2900);
    },
    cached: { age: 30 * 3600 },
    says: /(did not load the same page|different pages?).*hero.*1 day old/i,
  },
  {
    name: 'a player that is being tried out',
    planted: 'local, in each of five runs: a build of 2.6 MB and 760 ms; remote: one of 1.6 MB and 390 ms',
    plant: ({ psi, lighthouse }) => {
      show(psi, player('7a1f20bb', 1_600_000, 390));
      show(lighthouse, player('9d15588c', 2_600_000, 760));
    },
    others: [0.96, 0.98, 1.02, 1.04].map(wobble => draft => show(draft, player('9d15588c', 2_600_000, 760), wobble)),
    says: pageBy('base\\.js'),
  },
  {
    name: 'the accelerator of a mobile network',
    planted: 'local: all five pictures have 0.42 times the bytes, and a script of the network; half a second sooner',
    plant: ({ psi, lighthouse }) => {
      show(psi, blog, 1.01);
      show(lighthouse, accelerated);
    },
    says: pageBy('accelerate\\.mobile|\\.jpg|pictures'),
  },
  {
    name: 'compression',
    planted: 'local: the three largest scripts come unpacked',
    plant: ({ psi, lighthouse }) => {
      for (const name of ['1.js', '2.js', '3.js']) {
        withFile(psi, name, { resourceSize: 120_000, transferSize: 31_000 });
        withFile(lighthouse, name, { resourceSize: 120_000, transferSize: 120_200 });
      }
    },
    says: /^The two sides got the same files with different compression: .*1\.js/,
    never: aside,
  },
  {
    name: 'a lazy largest picture',
    planted: 'local: loading=lazy for the picture that is painted largest; observed 258 and 477 ms, 16 points',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) setElement(draft, 'A boat at sea');
      discover(psi, {});
      discover(lighthouse, { eagerlyLoaded: false, requestDiscoverable: false });
      setObserved(psi, 250, 258);
      measure(lighthouse, { lcp: 4200 }, { paint: 255, largest: 477 });
    },
    says: /largest image loads lazily/i,
    never: /no known cause|alike|simulation of/i,
  },
  {
    name: 'a largest picture of high priority',
    planted: 'remote: fetchpriority=high; local: none; 9 points',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) setElement(draft, 'A boat at sea');
      discover(psi, {});
      discover(lighthouse, { priorityHinted: false });
      measure(lighthouse, { lcp: 3500 }, { paint: 255, largest: 420 });
    },
    says: /largest image .*fetchpriority=high/i,
    never: /no known cause|alike|simulation of/i,
  },
  {
    name: 'another container of a tag manager',
    planted: 'remote: the same address has 46 KB more and works 240 ms more',
    plant: ({ psi, lighthouse }) => {
      const tag = 'https://tags.example/gtm.js';
      addScript(psi, tag, 136_000);
      addScript(lighthouse, tag, 90_000);
      mainThread(psi, { ...usualScripts, [tag]: 330 });
      mainThread(lighthouse, { ...usualScripts, [tag]: 80 });
    },
    says: /tags\.example\/gtm\.js/,
    never: aside,
  },
  {
    name: 'font-display',
    planted: 'remote: “block” in place of “swap” in a style sheet of four faces; the first paint waits',
    plant: ({ psi }) => {
      withFile(psi, '1.css', { resourceSize: 9024 });
      measure(psi, { fcp: 2500, lcp: 2900 }, { paint: 900 });
    },
    says: /1\.css/,
    never: /no known cause|disturbed|machines/i,
  },
  {
    name: 'a carousel that brings the largest picture',
    planted: 'local: the markup does not name it, a script does; 13 points',
    plant: drafts => {
      changeBoth(drafts, draft => setElement(draft, 'A boat at sea'));
      discover(drafts.psi, {});
      discover(drafts.lighthouse, { requestDiscoverable: false });
      measure(drafts.lighthouse, { lcp: 4000 }, { paint: 240, largest: 900 });
    },
    says: /the markup contains the largest image only on psi\.example/i,
    never: /no known cause|disturbed|machines/i,
  },
  {
    name: 'lazy and large',
    planted: 'remote: loading=lazy, and 300 KB more of the same picture',
    plant: drafts => {
      changeBoth(drafts, draft => setElement(draft, 'A boat at sea'));
      addPicture(drafts.psi, `${base}hero.jpg`, 480_000);
      addPicture(drafts.lighthouse, `${base}hero.jpg`, 180_000);
      discover(drafts.psi, { eagerlyLoaded: false });
      discover(drafts.lighthouse, {});
      measure(drafts.psi, { lcp: 5200 }, { paint: 240, largest: 700 });
    },
    says: /hero\.jpg.*lazily|lazily.*hero\.jpg/i,
    never: aside,
  },
  {
    name: 'answers from a worker',
    planted: 'remote: a service worker answers all but the document; 6 points',
    plant: ({ psi, lighthouse }) => {
      eachRequest(psi, item => (item.resourceType === 'Document' ? item : { ...item, transferSize: 0 }));
      measure(lighthouse, { fcp: 1900, lcp: 2900 });
    },
    says: /service worker/,
    never: /compression|no known cause|simulation of|disturbed/i,
  },
  {
    name: 'a larger picture on another network',
    planted: 'local: 40 ms and 10 Mbit/s; and 900 KB of a picture that has 60 KB on the remote side',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, {});
      setThrottling(lighthouse, { rttMs: 40, throughputKbps: 10_240 });
      withFile(psi, '3.png', { resourceSize: 60_000, transferSize: 60_200 });
      withFile(lighthouse, '3.png', { resourceSize: 900_000, transferSize: 900_200 });
      measure(psi, { fcp: 2000, lcp: 2600, si: 2100 });
      measure(lighthouse, { fcp: 700, lcp: 1600, si: 800 });
    },
    simulated: { throttling: scoresOf({ fcp: 2000, lcp: 6400, si: 2300 }) },
    againAsThere: scoresOf({ lcp: 2600, si: 2100 }),
    againAsThereHere: scoresOf({ lcp: 900, si: 750 }),
    says: /3\.png.*network throttling.{0,60} explains?/i,
    never: /no known cause|disturbed|noise|simulation of/i,
  },
  {
    name: 'a document without packing, and little else',
    planted: 'local: 61 KB of document in place of 14, the same text',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 61_000, transferSize: 14_000 });
      setDocument(lighthouse, { resourceSize: 61_000, transferSize: 61_200 });
    },
    says: /^The two sides got the same files with different compression: the document transferred 14 KB/i,
    never: /did not load|and others/,
  },
];
