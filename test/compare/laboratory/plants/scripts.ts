/** Work that only one side did, or did for longer: scripts, layout, compilation. */
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
  block,
  blocking,
  blockingOf,
  changeBoth,
  type Draft,
  embedded,
  flip,
  mainThread,
  managerTag,
  measure,
  nameless,
  otherPicture,
  pageBy,
  requestsOf,
  runScripts,
  score,
  scoresOf,
  setDocument,
  setElement,
  setElements,
  setIndices,
  setObserved,
  setScripts,
  setThrottling,
  shift,
  tbt,
  twoMachines,
  unsized,
  usualScripts,
  waitFor,
  withFile,
} from '../drafts.ts';
import { picture, script } from '../pages/files.ts';
import { landing, type Page, withMore } from '../pages/pages.ts';
import { show } from '../pages/show.ts';

const drawnHere = (draft: Draft, lcp: number, ms: number) => {
  setDocument(draft, { resourceSize: 1900, transferSize: 1100 });
  addFile(draft, `${base}api/page`, { resourceType: 'Fetch', resourceSize: 31_000, transferSize: 7900 });
  setScripts(draft, { '1.js': 49, '2.js': ms, '3.js': 60 });
  const tbt = blockingOf([49, ms, 60]);
  measure(draft, { fcp: 1700, lcp, tbt, si: 1900 }, { paint: 610, largest: 1250 });
};

const loaderTag = 'https://tags.example/loader.js';

const globe = (ms: number, painting: number): Page => ({
  ...withMore(landing, [script('_assets/globe.js', 610_000), picture('_assets/earth.jpg', 190_000)], {
    '_assets/globe.js': ms,
  }),
  painting,
});

/** The same scripts on both sides, and so much more under another name on one of them. */
const withExtra =
  (side: 'psi' | 'lighthouse', name: string, ms: number): PurePlant['plant'] =>
  drafts => {
    mainThread(drafts.psi, usualScripts);
    mainThread(drafts.lighthouse, usualScripts);
    mainThread(drafts[side], { ...usualScripts, [name]: ms });
  };

/** Work of the main thread that is no script. */
const addGroup = (draft: Draft, group: string, duration: number): void => {
  auditOf(draft, 'mainthread-work-breakdown').details.items.push({ group, duration });
};

export const scripts: readonly PlantRow[] = [
  ...(['psi', 'lighthouse'] as const).map(
    (side): PurePlant => ({
      name: `700 ms of script on the ${side === 'psi' ? 'remote' : 'local'} side only`,
      planted: 'the same file works longer',
      plant: drafts => {
        addScriptTime(drafts[side], `${base}1.js`, 700);
        block(drafts[side], 650, 840, 'scriptEvaluation');
        addScriptTime(drafts[side], `${base}1.js`, 0);
        tbt(drafts[side], 0.4);
      },
      first: 'different_page',
      says: /^The two sides did not load the same page: \/same-many\/1\.js ran for/i,
      never: /CPU throttling|no known cause/i,
    }),
  ),
  {
    name: 'a script that holds up the page',
    planted: 'local: no `defer`, so 6 bytes less and another priority; FCP and LCP cost 10 points',
    plant: ({ psi, lighthouse }) => {
      for (const item of requestsOf(psi)) item.priority = 'Low';
      for (const item of requestsOf(lighthouse)) item.priority = 'Low';
      withFile(lighthouse, '1.js', { priority: 'High' });
      setDocument(lighthouse, { resourceSize: 1467 });
      score(lighthouse, { 'first-contentful-paint': 0.5, 'largest-contentful-paint': 0.78 });
    },
    says: /^The two sides did not load the same page: \/same-many\/1\.js was requested with low priority on psi/i,
    never: /simulation \(|no known cause/i,
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
    says: /^The two sides did not load the same page: .*(ran for|document)/i,
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'a debug build under the same name',
    planted: 'local: 2.js has 4 KB more and runs for 520 ms in place of 58; 13 points; 3 runs',
    plant: ({ lighthouse }) => {
      withFile(lighthouse, '2.js', { resourceSize: 34_100, transferSize: 34_250 });
      setScripts(lighthouse, { '2.js': 440 });
      blocking(lighthouse, 0.56, 390);
    },
    others: [0.58, 0.53].map((value, at) => draft => {
      withFile(draft, '2.js', { resourceSize: 34_100, transferSize: 34_250 });
      setScripts(draft, { '2.js': 430 + 30 * at });
      blocking(draft, value, 380 + 40 * at);
    }),
    says: pageBy('2\\.js'),
  },
  {
    name: 'an agent inside the document',
    planted: 'remote: 19 KB of document in place of 1.5, whose scripts run for 230 ms; 7 points higher here',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 19_400, transferSize: 7200 });
      addScriptTime(psi, base, 230);
      blocking(psi, 0.76, 210);
    },
    says: pageBy('document|same-many/ ran'),
  },
  {
    name: 'styles that are worked out for a second',
    planted: 'local: 900 ms of style and layout, no script more; 12 points',
    plant: ({ lighthouse }) => {
      auditOf(lighthouse, 'mainthread-work-breakdown').details.items = [
        { group: 'styleLayout', duration: 900 },
        { group: 'scriptEvaluation', duration: 190 },
      ];
      auditOf(lighthouse, 'long-tasks').details.items = [{ url: base, duration: 620, startTime: 900 }];
      auditOf(lighthouse, 'bootup-time').details.items.push({ url: base, scripting: 9, total: 905 });
      setObserved(lighthouse, 1200);
      blocking(lighthouse, 0.6, 350);
    },
    first: ['different_page', 'disturbed_run', 'unexplained'],
    says: /12 points lower|did not load/,
    never: /explains?|costs?|CPU throttling|machines|simulation of|ran for 905/i,
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
    says: pageBy('3\\.js|elements'),
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
    says: pageBy('document|2\\.js|api/page'),
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
    says: pageBy('#418|2\\.js'),
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
    says: /^The two sides did not load the same page.*9 days old/,
  },
  {
    name: 'a third party that wakes up on one side',
    planted: 'both: the same tag of 88 KB; remote it bids and runs 480 ms, here 22; 13 points higher here',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) addScript(draft, loaderTag, 88_000);
      setScripts(psi, { '1.js': 48, '2.js': 49, [loaderTag]: 480 });
      setScripts(lighthouse, { '1.js': 47, '2.js': 51, [loaderTag]: 22 });
      measure(psi, { tbt: blockingOf([48, 49, 480]) });
      measure(lighthouse, { tbt: blockingOf([47, 51, 22]) });
    },
    says: pageBy('tags\\.example'),
  },
  {
    name: 'a slower machine, and one script that is another one',
    planted: 'local: three scripts 2.2 times as long, 4.js 14 times; 4.js is named',
    plant: drafts => {
      setIndices(drafts, 1900, 900);
      runScripts(drafts.psi, [45, 48, 52, 44]);
      runScripts(drafts.lighthouse, [99, 106, 115, 620]);
    },
    environment: twoMachines,
    says: pageBy('4\\.js'),
    never: /[123]\.js ran|explains?|costs?|simulation of/i,
  },
  {
    name: 'a tag that works twice as long',
    planted: 'both: the same tag; local it runs 700 ms in place of 300, and all else is alike; 10 points lower',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) addScript(draft, managerTag, 140_000);
      runScripts(psi, [60, 62, 95, 58], { [managerTag]: 300 });
      runScripts(lighthouse, [62, 61, 97, 60], { [managerTag]: 700 });
    },
    says: pageBy('tags\\.example'),
  },
  {
    name: 'a tag that works twice as long, in three runs',
    planted: 'the same in each of three local runs',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) addScript(draft, managerTag, 140_000);
      runScripts(psi, [60, 62, 95, 58], { [managerTag]: 300 });
      runScripts(lighthouse, [62, 61, 97, 60], { [managerTag]: 700 });
    },
    others: [690, 720].map(ms => draft => {
      addScript(draft, managerTag, 140_000);
      runScripts(draft, [61, 63, 96, 59], { [managerTag]: ms });
    }),
    says: pageBy('tags\\.example'),
  },
  {
    name: 'a globe that is drawn without a graphics card',
    planted: 'local: the same file works 1,500 in place of 160 ms, and painting takes 520 in place of 90',
    plant: ({ psi, lighthouse }) => {
      show(psi, globe(160, 90));
      show(lighthouse, globe(1500, 520));
    },
    first: ['different_page', 'unexplained', 'disturbed_run'],
    says: /globe\.js/,
    never: /machines|simulation of|network throttling|CPU throttling|explains?|costs?/i,
  },
  {
    name: 'work behind an answer',
    planted: 'local: 600 ms of script after fetch().then, which Lighthouse calls Unattributable; 22 points',
    plant: withExtra('lighthouse', nameless, 600),
    says: /script that names no file.* ms/i,
    never: aside,
  },
  {
    name: 'work behind an answer, there',
    planted: 'remote: 700 ms of script after fetch().then',
    plant: withExtra('psi', nameless, 700),
    says: /script that names no file/i,
    never: aside,
  },
  {
    name: 'a measured wait beside it',
    planted: 'local: 600 ms of script without a file; the page waited 120 ms, which cost 3 of 22 points',
    plant: withExtra('lighthouse', nameless, 600),
    environment: {
      lighthouse: { processor_wait: { main_thread_ms: 120, without: { performance: 83, total_blocking_time: 560 } } },
    },
    says: /script that names no file/i,
    never:
      /no known cause|simulation of|run-to-run noise|machines|a disturbed run.{0,60} (explains?|accounts? for) (1\d|2\d|the whole)/i,
  },
  {
    name: 'an imported chunk that works more',
    planted: 'embedded, both at once: the chunk is imported late and works 700 ms more here',
    plant: withExtra('lighthouse', nameless, 700),
    analyser: embedded,
    environment: { psi: { concurrent_audits: 1 }, lighthouse: { concurrent_audits: 1 } },
    says: /script that names no file/i,
    never: aside,
  },
  {
    name: 'a script made by the page',
    planted: 'local: 600 ms in a script of a blob: address, another on each load',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, { ...usualScripts, [`blob:http://www.boats.example/${'a'.repeat(36)}`]: 10 });
      mainThread(lighthouse, { ...usualScripts, [`blob:http://www.boats.example/${'b'.repeat(36)}`]: 600 });
    },
    says: /script that names no file/i,
    never: aside,
  },
  {
    name: 'one lucky run of five',
    planted: 'local: 800 ms of script without a file in each of five runs, of which 36 to 1,227 ms block; remote: none',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, usualScripts);
      mainThread(lighthouse, { ...usualScripts, [nameless]: 800 }, { blockingMs: 870 });
    },
    others: [36, 640, 910, 1227].map(blockingMs => draft => {
      mainThread(draft, { ...usualScripts, [nameless]: 790 + blockingMs / 50 }, { blockingMs });
    }),
    says: /script that names no file/i,
    never: /noise|inside|beyond|no known cause|disturbed/i,
  },
  {
    name: 'shifts and blocking',
    planted: 'local: CLS 0.31 (15 points) and 500 ms of the page’s own script (13 points)',
    plant: ({ psi, lighthouse }) => {
      shift(lighthouse, [unsized]);
      mainThread(psi, usualScripts);
      mainThread(lighthouse, { ...usualScripts, '2.js': 500 });
    },
    first: ['different_page', 'layout_shift'],
    says: /2\.js ran for.*layout shifts/i,
    never: aside,
  },
  {
    name: 'compiled again',
    planted: 'local: 1.js is compiled for 420 ms in place of 12, its script runs as long as before',
    plant: drafts => {
      changeBoth(drafts, draft => mainThread(draft, usualScripts));
      const { lighthouse } = drafts;
      auditOf(lighthouse, 'bootup-time').details.items.push({
        url: `${base}1.js`,
        total: 540,
        scripting: 28,
        scriptParseCompile: 504,
      });
      auditOf(lighthouse, 'long-tasks').details.items = [{ url: `${base}1.js`, duration: 530, startTime: 1500 }];
      addGroup(lighthouse, 'scriptParseCompile', 504);
      measure(lighthouse, { tbt: 480 });
    },
    says: /1\.js/,
    never: aside,
  },
  {
    name: 'memory that is cleaned up',
    planted: 'local: 500 ms of garbage collection in one task',
    plant: drafts => {
      changeBoth(drafts, draft => mainThread(draft, usualScripts));
      const { lighthouse } = drafts;
      auditOf(lighthouse, 'bootup-time').details.items.push({
        url: 'Browser GC',
        total: 600,
        scripting: 0,
        scriptParseCompile: 0,
      });
      auditOf(lighthouse, 'long-tasks').details.items = [{ url: 'Browser GC', duration: 600, startTime: 1500 }];
      addGroup(lighthouse, 'garbageCollection', 600);
      measure(lighthouse, { tbt: 550 });
    },
    first: ['different_page', 'unexplained'],
    says: /garbage|memory|blocking time/,
    never: /disturbed|simulation of|machines/i,
  },
  {
    name: 'styles computed over and over',
    planted: 'remote: 900 ms of style and layout in place of 60, the same files',
    plant: drafts => {
      changeBoth(drafts, draft => mainThread(draft, usualScripts));
      addGroup(drafts.psi, 'styleLayout', 1080);
      addGroup(drafts.lighthouse, 'styleLayout', 72);
      auditOf(drafts.psi, 'long-tasks').details.items = [{ url: base, duration: 800, startTime: 1500 }];
      measure(drafts.psi, { tbt: 700 });
    },
    says: /layout and painting took 900 ms on psi\.example/,
    never: /simulation of|machines|run-to-run noise/i,
  },
  {
    name: 'a counter in the document',
    planted: 'local: a countdown works 500 ms in the document’s own script',
    plant: drafts => {
      mainThread(drafts.psi, usualScripts);
      mainThread(drafts.lighthouse, { ...usualScripts, [base]: 500 });
    },
    says: /the script of the document ran for/i,
    never: aside,
  },
  {
    name: 'two scripts that name nothing',
    planted: 'local: 350 ms behind a promise, 300 ms in a blob; remote: neither',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, usualScripts);
      mainThread(lighthouse, {
        ...usualScripts,
        [nameless]: 350,
        [`blob:http://www.boats.example/${'c'.repeat(36)}`]: 300,
      });
    },
    says: /names no file ran for \d+ ms on psi\.example and for 6\d\d ms/i,
    never: aside,
  },
  {
    name: 'an extension’s work in the remote browser',
    planted: 'remote: a chrome-extension script of 500 ms',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, { ...usualScripts, 'chrome-extension://abcdefgh/content.js': 500 });
      mainThread(lighthouse, usualScripts);
    },
    first: ['different_page', 'disturbed_run', 'unexplained'],
    says: /points higher/,
    never: /simulation of|names no file|run-to-run noise/i,
  },
  {
    name: 'script and a wait',
    planted: 'local: 400 ms behind a promise and a wait that costs 6 points',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, usualScripts);
      mainThread(lighthouse, { ...usualScripts, [nameless]: 520 }, { blockingMs: 760 });
    },
    environment: { lighthouse: waitFor(120, 85, 480) },
    says: /script that names no file.*a disturbed run/i,
    never:
      /no known cause|simulation of|machines|a disturbed run.{0,60} (explains?|accounts? for) (1\d|2\d|the whole)/i,
  },
  {
    name: 'a sum that does not fit',
    planted: 'local: the script came and was not run, and the console says that its digest is wrong',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, { ...usualScripts, '2.js': 420 });
      mainThread(lighthouse, { ...usualScripts, '2.js': 0 });
      addError(lighthouse, 'Failed to find a valid digest in the integrity attribute for resource 2.js');
    },
    says: /2\.js|integrity/,
    never: aside,
  },
  {
    name: 'shifts on one side, blocking on the other',
    planted: 'local: CLS 0.3 (15 points lower); remote: 450 ms more of script (11 points lower)',
    plant: ({ psi, lighthouse }) => {
      shift(lighthouse, [{ selector: 'main', label: 'Boats', score: 0.4 }]);
      mainThread(psi, { ...usualScripts, '3.js': 300 });
      mainThread(lighthouse, usualScripts);
    },
    first: ['different_page', 'layout_shift'],
    says: /(?=.*3\.js ran for 300 ms)(?=.*layout shifts)/i,
    never: aside,
  },
  {
    name: 'work there, a multiplier here',
    planted: 'remote: 600 ms behind a promise at 1.2 times; local: 4 times without it, the setting costs 2 points',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      mainThread(psi, { ...usualScripts, [nameless]: 600 });
      mainThread(lighthouse, usualScripts, { multiplier: 4 });
    },
    simulated: { cpu: scoresOf({ tbt: 0 }) },
    says: /script that names no file ran for 602 ms on psi\.example|script that names no file ran for 600 ms on psi\.example/i,
    never: /no known cause|simulation of|disturbed|noise/i,
  },
  {
    name: 'a promise and another multiplier',
    planted: 'local: 250 ms behind a promise at 4 times: 3 points at 1.2 times, 22 at 4',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      mainThread(psi, usualScripts);
      mainThread(lighthouse, { ...usualScripts, [nameless]: 250 }, { multiplier: 4 });
    },
    simulated: { cpu: scoresOf({ tbt: blockingOf([...Object.values(usualScripts), 250]) }) },
    againAsThere: scoresOf({ tbt: 0 }),
    againAsThereHere: scoresOf({ tbt: blockingOf(Object.values(usualScripts), 4) }),
    says: /names no file.*a different page.{0,60} explains?/i,
    never: /CPU.{0,40} (explains (\d\d|the whole)|costs)|no known cause|disturbed|noise/i,
  },
];
