/**
 * Kinds of differences that no earlier set has, selected before the rules for the twelfth set were finished, and tried
 * once: work that is not script, delays of a paint, blocked requests, several causes at once, and traps.
 */
import type { Analyser } from '../../../src/contract/result/result.ts';
import {
  addError,
  addFile,
  auditOf,
  base,
  type Draft,
  otherPicture,
  type PurePlant,
  setDocument,
  setElement,
  setElements,
  setThrottling,
  withFile,
} from './pure-plants.ts';
import { addPicture, addScript, alike, blames, eachRequest, refused, took } from './second-set/drafts.ts';
import { blockingOf, measure, scoresOf } from './seventh-set/drafts.ts';
import { blocked, discover, shift, work } from './twelfth-set.ts';

const nameless = 'Unattributable';
const usual: Readonly<Record<string, number>> = { '1.js': 24, '2.js': 26, '3.js': 22, '4.js': 25 };
const google: Analyser = { kind: 'google', host: 'www.googleapis.com' };
const embedded: Analyser = { kind: 'embedded', host: '127.0.0.1:8000' };
const aside = /no known cause|simulation of|disturbed|run-to-run noise|machines/i;
const both = ({ psi, lighthouse }: { psi: Draft; lighthouse: Draft }, change: (draft: Draft) => void): void =>
  [psi, lighthouse].forEach(change);
/** Work of the main thread that is no script. */
const addGroup = (draft: Draft, group: string, duration: number): void => {
  auditOf(draft, 'mainthread-work-breakdown').details.items.push({ group, duration });
};
const consent = (draft: Draft, text: string): void => {
  setElement(draft, text);
  otherPicture(draft);
};
const wait = (ms: number, performance: number, blocking: number) => ({
  processor_wait: { main_thread_ms: ms, without: { performance, total_blocking_time: blocking } },
});

const works: readonly PurePlant[] = [
  {
    name: 'compiled again',
    planted: 'local: 1.js is compiled for 420 ms in place of 12, its script runs as long as before',
    plant: drafts => {
      both(drafts, draft => work(draft, usual));
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
    first: 'different_page',
    says: /1\.js/,
    never: aside,
  },
  {
    name: 'memory that is cleaned up',
    planted: 'local: 500 ms of garbage collection in one task',
    plant: drafts => {
      both(drafts, draft => work(draft, usual));
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
      both(drafts, draft => work(draft, usual));
      addGroup(drafts.psi, 'styleLayout', 1080);
      addGroup(drafts.lighthouse, 'styleLayout', 72);
      auditOf(drafts.psi, 'long-tasks').details.items = [{ url: base, duration: 800, startTime: 1500 }];
      measure(drafts.psi, { tbt: 700 });
    },
    first: 'different_page',
    says: /layout and painting took 900 ms on psi\.example/,
    never: /simulation of|machines|run-to-run noise/i,
  },
  {
    name: 'a counter in the document',
    planted: 'local: a countdown works 500 ms in the document’s own script',
    plant: drafts => {
      work(drafts.psi, usual);
      work(drafts.lighthouse, { ...usual, [base]: 500 });
    },
    first: 'different_page',
    says: /the script of the document ran for/i,
    never: aside,
  },
  {
    name: 'another container of a tag manager',
    planted: 'remote: the same address has 46 KB more and works 240 ms more',
    plant: ({ psi, lighthouse }) => {
      const tag = 'https://tags.example/gtm.js';
      addScript(psi, tag, 136_000);
      addScript(lighthouse, tag, 90_000);
      work(psi, { ...usual, [tag]: 330 });
      work(lighthouse, { ...usual, [tag]: 80 });
    },
    first: 'different_page',
    says: /tags\.example\/gtm\.js/,
    never: aside,
  },
  {
    name: 'two scripts that name nothing',
    planted: 'local: 350 ms behind a promise, 300 ms in a blob; remote: neither',
    plant: ({ psi, lighthouse }) => {
      work(psi, usual);
      work(lighthouse, { ...usual, [nameless]: 350, [`blob:http://www.boats.example/${'c'.repeat(36)}`]: 300 });
    },
    first: 'different_page',
    says: /names no file ran for \d+ ms on psi\.example and for 6\d\d ms/i,
    never: aside,
  },
  {
    name: 'an extension’s work in the remote browser',
    planted: 'remote: a chrome-extension script of 500 ms',
    plant: ({ psi, lighthouse }) => {
      work(psi, { ...usual, 'chrome-extension://abcdefgh/content.js': 500 });
      work(lighthouse, usual);
    },
    first: ['different_page', 'disturbed_run', 'unexplained'],
    says: /points higher/,
    never: /simulation of|names no file|run-to-run noise/i,
  },
  {
    name: 'script and a wait',
    planted: 'local: 400 ms behind a promise and a wait that costs 6 points',
    plant: ({ psi, lighthouse }) => {
      work(psi, usual);
      work(lighthouse, { ...usual, [nameless]: 520 }, { blockingMs: 760 });
    },
    environment: { lighthouse: wait(120, 85, 480) },
    first: 'different_page',
    says: /script that names no file.*a disturbed run/i,
    never:
      /no known cause|simulation of|machines|a disturbed run.{0,60} (explains?|accounts? for) (1\d|2\d|the whole)/i,
  },
];

const paints: readonly PurePlant[] = [
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
    first: 'different_page',
    says: /document/i,
    never: /no known cause|simulation of|disturbed|machines/i,
  },
  {
    name: 'styles that import styles',
    planted: 'remote: a second and a third style sheet, one after the other',
    plant: ({ psi }) => {
      for (const name of ['theme.css', 'fonts.css'])
        addFile(psi, `${base}${name}`, { resourceType: 'Stylesheet', resourceSize: 9000, transferSize: 3100 });
      measure(psi, { fcp: 2500, lcp: 3300, si: 2500 }, { paint: 420 });
    },
    first: 'different_page',
    says: /.*(theme|fonts)\.css loaded only on psi\.example/i,
    never: aside,
  },
  {
    name: 'a document that dribbles',
    planted: 'local: its first byte is as early, its last 1.4 s later',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, took(90));
      setDocument(lighthouse, took(1490));
      measure(lighthouse, { fcp: 2600, lcp: 3400, si: 2700 }, { paint: 1650 });
    },
    first: 'server',
    says: /took (90|1490) ms for/i,
    never: aside,
  },
  {
    name: 'font-display',
    planted: 'remote: “block” in place of “swap” in a style sheet of four faces; the first paint waits',
    plant: ({ psi }) => {
      withFile(psi, '1.css', { resourceSize: 9024 });
      measure(psi, { fcp: 2500, lcp: 2900 }, { paint: 900 });
    },
    first: 'different_page',
    says: /1\.css/,
    never: /no known cause|disturbed|machines/i,
  },
  {
    name: 'text that a socket brings',
    planted: 'local: the same files, and the largest text comes 1.9 s later',
    plant: ({ lighthouse }) => measure(lighthouse, { lcp: 4100 }, { paint: 240, largest: 2150 }),
    first: 'unexplained',
    says: /no known cause for the difference, which is mostly in the largest paint/,
    never: /did not load|simulation of|disturbed|machines/i,
  },
  {
    name: 'a carousel that brings the largest picture',
    planted: 'local: the markup does not name it, a script does; 13 points',
    plant: drafts => {
      both(drafts, draft => setElement(draft, 'A boat at sea'));
      discover(drafts.psi, {});
      discover(drafts.lighthouse, { requestDiscoverable: false });
      measure(drafts.lighthouse, { lcp: 4000 }, { paint: 240, largest: 900 });
    },
    first: 'different_page',
    says: /the markup contains the largest image only on psi\.example/i,
    never: /no known cause|disturbed|machines/i,
  },
  {
    name: 'lazy and large',
    planted: 'remote: loading=lazy, and 300 KB more of the same picture',
    plant: drafts => {
      both(drafts, draft => setElement(draft, 'A boat at sea'));
      addPicture(drafts.psi, `${base}hero.jpg`, 480_000);
      addPicture(drafts.lighthouse, `${base}hero.jpg`, 180_000);
      discover(drafts.psi, { eagerlyLoaded: false });
      discover(drafts.lighthouse, {});
      measure(drafts.psi, { lcp: 5200 }, { paint: 240, largest: 700 });
    },
    first: 'different_page',
    says: /hero\.jpg.*lazily|lazily.*hero\.jpg/i,
    never: aside,
  },
];

const refusals: readonly PurePlant[] = [
  {
    name: 'a list of trackers in the browser',
    planted: 'local: three third-party scripts refused before they were asked for; 12 points higher here',
    plant: ({ psi, lighthouse }) => {
      const tags = ['https://a.example/a.js', 'https://b.example/b.js', 'https://c.example/c.js'];
      for (const url of tags) {
        addScript(psi, url, 50_000);
        addScript(lighthouse, url, 0, { ...refused, networkRequestTime: 80, networkEndTime: 80 });
      }
      work(psi, { ...usual, 'https://a.example/a.js': 260, 'https://b.example/b.js': 150 });
      work(lighthouse, usual);
    },
    first: 'different_page',
    says: /^The browser blocked a\.example\/a\.js, b\.example\/b\.js and others before .*, only in local Lighthouse/,
    never: /no response|no known cause|disturbed|simulation of/i,
  },
  {
    name: 'mixed content',
    planted: 'remote: the browser refused a picture that is asked for by http',
    plant: ({ psi }) => blocked(psi, '4.png', 'Image'),
    first: 'different_page',
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
    first: 'different_page',
    says: /did not load the same page.*cdn\.example\/lib\.js got no response in local Lighthouse/,
    never: /blocked|no known cause/,
  },
  {
    name: 'a sum that does not fit',
    planted: 'local: the script came and was not run, and the console says that its digest is wrong',
    plant: ({ psi, lighthouse }) => {
      work(psi, { ...usual, '2.js': 420 });
      work(lighthouse, { ...usual, '2.js': 0 });
      addError(lighthouse, 'Failed to find a valid digest in the integrity attribute for resource 2.js');
    },
    first: 'different_page',
    says: /2\.js|integrity/,
    never: aside,
  },
  {
    name: 'answers from a worker',
    planted: 'remote: a service worker answers all but the document; 6 points',
    plant: ({ psi, lighthouse }) => {
      eachRequest(psi, item => (item.resourceType === 'Document' ? item : { ...item, transferSize: 0 }));
      measure(lighthouse, { fcp: 1900, lcp: 2900 });
    },
    first: 'different_page',
    says: /service worker/,
    never: /compression|no known cause|simulation of|disturbed/i,
  },
  {
    name: 'a proxy of the company',
    planted: 'local: a proxy put a script of its own into the page',
    plant: ({ psi, lighthouse }) => {
      addScript(lighthouse, 'http://inject.corp.example/watch.js', 31_000);
      work(psi, usual);
      work(lighthouse, { ...usual, 'http://inject.corp.example/watch.js': 210 });
    },
    againAsThere: scoresOf({ tbt: 0 }),
    first: 'different_page',
    says: /inject\.corp\.example\/watch\.js loaded only in local Lighthouse.*a different page explains/i,
    never: aside,
  },
];

const shifts: readonly PurePlant[] = [
  {
    name: 'an advertisement in a frame',
    planted: 'local: a frame of 40 KB that pushes the page down, CLS 0.27',
    plant: ({ psi, lighthouse }) => {
      addFile(lighthouse, 'https://ads.example/frame', {
        resourceType: 'Document',
        resourceSize: 40_000,
        transferSize: 12_000,
      });
      shift(psi, []);
      shift(lighthouse, [
        {
          selector: 'main',
          label: 'Boats for every water',
          score: 0.27,
          cause: 'Injected iframe',
          extra: { type: 'url', value: 'https://ads.example/frame' },
        },
      ]);
    },
    first: ['layout_shift', 'different_page'],
    says: /(?=.*layout shifts.*0\.27)(?=.*ads\.example\/frame|.*\/frame)/i,
    never: aside,
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
    name: 'shifts on one side, blocking on the other',
    planted: 'local: CLS 0.3 (15 points lower); remote: 450 ms more of script (11 points lower)',
    plant: ({ psi, lighthouse }) => {
      shift(lighthouse, [{ selector: 'main', label: 'Boats', score: 0.4 }]);
      work(psi, { ...usual, '3.js': 300 });
      work(lighthouse, usual);
    },
    first: ['different_page', 'layout_shift'],
    says: /(?=.*3\.js ran for 300 ms)(?=.*layout shifts)/i,
    never: aside,
  },
  {
    name: 'shifts and another multiplier',
    planted: 'local: 4 times slower (12 points) and CLS 0.28 (13 points)',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      work(psi, usual);
      work(lighthouse, { '1.js': 90, '2.js': 80, '3.js': 60, '4.js': 40 }, { multiplier: 4 });
      work(psi, { '1.js': 90, '2.js': 80, '3.js': 60, '4.js': 40 });
      shift(lighthouse, [{ selector: 'main', label: 'Boats', score: 0.28 }]);
    },
    simulated: { cpu: scoresOf({ tbt: blockingOf([90, 80, 60, 40]) }) },
    first: ['cpu', 'layout_shift'],
    says: /(?=.*CPU throttling.{0,60} explains?)(?=.*layout shifts.* accounts? for)/i,
    never: /did not load|no known cause|simulation of|disturbed|noise/i,
  },
  {
    name: 'an old remote side that lists other audits',
    planted: 'remote: Lighthouse 11 with CLS 0.25 and no insight',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '11.7.1';
      measure(psi, { cls: 0.25 });
    },
    first: 'layout_shift',
    says: /points higher.*layout shifts \(0\.25/i,
    never: /did not load|no known cause|simulation of|Possible causes?: different versions/i,
  },
];

const several: readonly PurePlant[] = [
  {
    name: 'work there, a multiplier here',
    planted: 'remote: 600 ms behind a promise at 1.2 times; local: 4 times without it, the setting costs 2 points',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      work(psi, { ...usual, [nameless]: 600 });
      work(lighthouse, usual, { multiplier: 4 });
    },
    simulated: { cpu: scoresOf({ tbt: 0 }) },
    first: 'different_page',
    says: /script that names no file ran for 602 ms on psi\.example|script that names no file ran for 600 ms on psi\.example/i,
    never: /no known cause|simulation of|disturbed|noise/i,
  },
  {
    name: 'a promise and another multiplier',
    planted: 'local: 250 ms behind a promise at 4 times: 3 points at 1.2 times, 22 at 4',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      work(psi, usual);
      work(lighthouse, { ...usual, [nameless]: 250 }, { multiplier: 4 });
    },
    simulated: { cpu: scoresOf({ tbt: blockingOf([...Object.values(usual), 250]) }) },
    againAsThere: scoresOf({ tbt: 0 }),
    againAsThereHere: scoresOf({ tbt: blockingOf(Object.values(usual), 4) }),
    first: 'different_page',
    says: /names no file.*a different page.{0,60} explains?/i,
    never: /CPU.{0,40} (explains (\d\d|the whole)|costs)|no known cause|disturbed|noise/i,
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
    first: 'different_page',
    says: /3\.png.*network throttling.{0,60} explains?/i,
    never: /no known cause|disturbed|noise|simulation of/i,
  },
  {
    name: 'a wait and another multiplier',
    planted: 'local: 4 times slower; 300 ms of blocking time are a measured wait (8 points)',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      work(psi, usual);
      work(lighthouse, { '1.js': 50, '2.js': 55, '3.js': 45, '4.js': 40 }, { multiplier: 4, blockingMs: 860 });
    },
    environment: { lighthouse: wait(150, 84, 560) },
    simulated: { cpu: scoresOf({ tbt: 60 }) },
    first: 'cpu',
    says: /CPU throttling.{0,60} explains?/i,
    never: /did not load|no known cause|simulation of/i,
  },
  {
    name: 'another version and another page',
    planted: 'remote: Lighthouse 13.6 and a 403 for a picture',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '13.6.0';
      withFile(psi, '2.png', { statusCode: 403, resourceSize: 120, transferSize: 300 });
      measure(psi, { lcp: 3700 }, { paint: 240, largest: 260 });
    },
    first: 'different_page',
    says: /2\.png returned a 403/,
    never: /Possible causes?: different versions|no known cause|simulation of/i,
  },
  {
    name: 'a newer version that weighs the speed index only',
    planted: 'remote: 14.0.1; both loads alike; speed index 5.8 in place of 1.3 s',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '14.0.1';
      measure(psi, { si: 9000, fcp: 1300 }, { paint: 250, largest: 258 });
    },
    analyser: google,
    first: 'lighthouse_version',
    says: /Possible causes?: different versions of Lighthouse \(14\.0\.1 on Google/i,
    never: /did not load|no known cause|the simulation of/i,
  },
];

const kinds: readonly PurePlant[] = [
  {
    name: 'a banner in German',
    planted: 'remote: “Wir verwenden Cookies”, and another picture',
    plant: ({ psi, lighthouse }) => {
      setElement(lighthouse, 'Boote für jedes Wasser');
      consent(psi, 'Wir verwenden Cookies, um Inhalte zu personalisieren');
    },
    first: 'different_page',
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
    first: 'different_page',
    says: /^A consent banner appeared only in local Lighthouse/i,
    never: /no known cause|and others/,
  },
  {
    name: 'the dark side',
    planted: 'remote: dark colours; nine tenths of the picture, nothing else',
    plant: ({ psi }) => otherPicture(psi),
    first: 'different_page',
    says: /final screenshots differ/i,
    never: /consent|no known cause|reduced motion/,
  },
  {
    name: 'a document without packing, and little else',
    planted: 'local: 61 KB of document in place of 14, the same text',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 61_000, transferSize: 14_000 });
      setDocument(lighthouse, { resourceSize: 61_000, transferSize: 61_200 });
    },
    first: 'different_page',
    says: /^The two sides got the same files with different compression: the document transferred 14 KB/i,
    never: /did not load|and others/,
  },
  {
    name: 'packing and a lost picture',
    planted: 'local: a script unpacked, and a 404 for a picture',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '1.js', { resourceSize: 120_000, transferSize: 31_000 });
      withFile(lighthouse, '1.js', { resourceSize: 120_000, transferSize: 120_200 });
      withFile(lighthouse, '5.png', { statusCode: 404, resourceSize: 100, transferSize: 300 });
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*5\.png returned a 404.*1\.js transferred|1\.js transferred.*404/,
    never: /and others|no known cause/,
  },
  {
    name: 'the other half of a list',
    planted: 'embedded, next to two more audits: 300 ms of blocking more here, all scripts longer',
    plant: ({ psi, lighthouse }) => {
      work(psi, { '1.js': 60, '2.js': 70, '3.js': 55, '4.js': 65 });
      work(lighthouse, { '1.js': 120, '2.js': 138, '3.js': 112, '4.js': 129 });
    },
    analyser: embedded,
    environment: { psi: { concurrent_audits: 2 }, lighthouse: { concurrent_audits: 2 } },
    first: ['disturbed_run', 'run_noise'],
    says: /points lower.*disturbed run/i,
    never: /did not load|no known cause|simulation of/i,
  },
];

const traps: readonly (Pick<PurePlant, 'name' | 'planted' | 'plant'> & Partial<PurePlant>)[] = [
  {
    name: 'a page about baking',
    planted: 'the largest element is “Chocolate chip cookies” or a paragraph, by the load',
    plant: ({ psi, lighthouse }) => {
      setElement(psi, 'Chocolate chip cookies, the way my mother made them');
      setElement(lighthouse, 'Preheat the oven, and take the butter out of the fridge');
    },
    first: [null, 'different_page'],
    never: /consent|did not load|no known cause/,
    says: /both sides score 99/i,
  },
  {
    name: 'an early and a late promise',
    planted: '400 ms behind a promise on both sides, which blocks 380 ms or 60 by where it falls',
    plant: ({ psi, lighthouse }) => {
      work(psi, { ...usual, [nameless]: 400 }, { blockingMs: 60 });
      work(lighthouse, { ...usual, [nameless]: 440 }, { blockingMs: 420 });
    },
    says: /run-to-run noise/i,
    never: /did not load|no known cause|disturbed|simulation of/i,
  },
  {
    name: 'a lottery behind a promise',
    planted: 'five local runs with 300 to 900 ms, remote 500',
    plant: ({ psi, lighthouse }) => {
      work(psi, { ...usual, [nameless]: 500 });
      work(lighthouse, { ...usual, [nameless]: 560 });
    },
    others: [300, 420, 760, 900].map(ms => draft => work(draft, { ...usual, [nameless]: ms })),
  },
  {
    name: 'work in every other load',
    planted: 'five local runs with 0, 800, 0, 820 and 790 ms behind a promise, remote 0',
    plant: ({ psi, lighthouse }) => {
      work(psi, usual);
      work(lighthouse, { ...usual, [nameless]: 790 });
    },
    others: [2, 3, 800, 820].map(ms => draft => work(draft, { ...usual, [nameless]: ms })),
  },
  {
    name: 'little shifts',
    planted: 'CLS 0.02 and 0.05',
    plant: ({ psi, lighthouse }) => {
      shift(psi, [{ selector: 'p', label: 'Rowing boats', score: 0.02 }]);
      shift(lighthouse, [{ selector: 'p', label: 'Rowing boats', score: 0.05 }]);
    },
  },
  {
    name: 'another count of animations',
    planted: 'two animations there, three here',
    plant: ({ psi, lighthouse }) => {
      const animated = (count: number) =>
        Array.from({ length: count }, (_, at) => ({ node: { type: 'node', selector: `div.a${at}`, nodeLabel: '' } }));
      psi.audits['non-composited-animations'] = { score: 0, details: { items: animated(2), debugData: {} } };
      lighthouse.audits['non-composited-animations'] = { score: 0, details: { items: animated(3), debugData: {} } };
    },
  },
  {
    name: 'refused on both sides',
    planted: 'a policy refuses the same two scripts',
    plant: drafts =>
      both(drafts, draft => {
        for (const name of ['2.js', '3.js']) blocked(draft, name);
      }),
  },
  {
    name: 'a short wait on both sides',
    planted: '50 and 70 ms of wait, one point',
    plant: ({ psi, lighthouse }) => {
      work(psi, usual);
      work(lighthouse, { ...usual, '2.js': 60 });
    },
    environment: {
      psi: { processor_wait: { main_thread_ms: 50 } },
      lighthouse: { processor_wait: { main_thread_ms: 70 } },
    },
  },
  {
    name: 'a checklist that wavers',
    planted: 'the largest picture is found by the preload scanner on one side only; the scores are alike',
    plant: drafts => {
      both(drafts, draft => setElement(draft, 'A boat at sea'));
      discover(drafts.psi, {});
      discover(drafts.lighthouse, { requestDiscoverable: false });
    },
  },
  {
    name: 'Brotli and gzip',
    planted: 'texts of 12 % less over the network on the remote side',
    plant: ({ psi }) =>
      eachRequest(psi, item => ({ ...item, transferSize: Math.round(0.88 * Number(item.transferSize)) })),
  },
  {
    name: 'another version, and the same',
    planted: 'remote: Lighthouse 13.6; all values alike',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '13.6.0';
    },
    first: [null, 'lighthouse_version'],
  },
  {
    name: 'one slow run of five',
    planted: 'local: 99 four times and 80 once; remote 98',
    plant: () => {},
    others: [20, 15, 25, 700].map(blockingMs => draft => work(draft, usual, { blockingMs })),
  },
];

export const thirteenthSet: readonly PurePlant[] = [
  ...works,
  ...paints,
  ...refusals,
  ...shifts,
  ...several,
  ...kinds,
  ...traps.map(plant => ({
    first: [null, 'run_noise'] as const,
    says: alike,
    never: blames,
    ...plant,
    planted: `nothing: ${plant.planted}`,
  })),
];
