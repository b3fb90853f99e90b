/**
 * Differences whose cause was once named wrongly or in part: script without a file name, layout shifts, a CPU setting
 * that was blamed for extra work, kinds of pages. The tables have the shape of those of real loads.
 */
import type { Analyser } from '../../../src/contract/result/result.ts';
import {
  addFile,
  addScriptTime,
  auditOf,
  base,
  type Draft,
  type Item,
  otherPicture,
  type PurePlant,
  setElement,
  setThrottling,
  withFile,
} from './pure-plants.ts';
import { addScript, alike, blames, refused, setObserved } from './second-set/drafts.ts';
import { blockingOf, measure, scoresOf } from './seventh-set/drafts.ts';

const names = ['1.js', '2.js', '3.js', '4.js'];
const usual: Readonly<Record<string, number>> = { '1.js': 24, '2.js': 26, '3.js': 22, '4.js': 25 };
const nameless = 'Unattributable';
const embedded: Analyser = { kind: 'embedded', host: '127.0.0.1:8000' };

type Work = { multiplier?: number; blockingMs?: number; otherMs?: number };

/**
 * The main thread as Lighthouse reports it: milliseconds of each script before the multiplier, every one a single task.
 * A name that is no file of the page is reported as it stands, `Unattributable` with the browser's own overhead.
 */
export function work(draft: Draft, scripts: Readonly<Record<string, number>>, given: Work = {}): void {
  const { multiplier = 1.2, otherMs = 40 } = given;
  const rows = Object.entries({ [nameless]: 2, ...scripts }).map(([name, ms]) => {
    const isFile = names.includes(name);
    const scripting = multiplier * ms;
    return { url: isFile ? `${base}${name}` : name, scripting, total: scripting + (isFile ? 1 : multiplier * otherMs) };
  });
  // Lighthouse lists no row and no task of less than 50 ms.
  auditOf(draft, 'bootup-time').details.items = rows.filter(({ total }) => total >= 50);
  auditOf(draft, 'long-tasks').details.items = rows
    .filter(({ scripting }) => scripting >= 50)
    .map(({ url, scripting }, at) => ({ url, duration: scripting, startTime: 1500 + 900 * at }));
  auditOf(draft, 'mainthread-work-breakdown').details.items = [
    { group: 'scriptEvaluation', duration: rows.reduce((sum, { scripting }) => sum + scripting, 0) },
    { group: 'other', duration: multiplier * otherMs },
  ];
  const blocking = given.blockingMs ?? blockingOf(Object.values(scripts), multiplier);
  measure(draft, { tbt: blocking });
}

/** The same scripts on both sides, and so much more under another name on one of them. */
const withExtra =
  (side: 'psi' | 'lighthouse', name: string, ms: number): PurePlant['plant'] =>
  drafts => {
    work(drafts.psi, usual);
    work(drafts.lighthouse, usual);
    work(drafts[side], { ...usual, [name]: ms });
  };

type Shift = { selector: string; label: string; score: number; cause?: string; extra?: Item };

/** What moved, as `layout-shifts` and `cls-culprits-insight` report it. */
export function shift(draft: Draft, shifts: readonly Shift[]): void {
  const rows = shifts.map(({ selector, label, score, cause, extra }) => ({
    node: { type: 'node', selector, nodeLabel: label, snippet: `<${selector.split(' ').at(-1)}>` },
    score,
    ...(cause && { subItems: { type: 'subitems', items: [{ cause, ...(extra && { extra }) }] } }),
  }));
  const total = shifts.reduce((sum, { score }) => sum + score, 0);
  draft.audits['layout-shifts'] = { score: total > 0.1 ? 0 : 1, details: { items: rows, debugData: {} } };
  const items = [{ type: 'table', items: [{ node: { type: 'text', value: 'Total' }, score: total }, ...rows] }];
  draft.audits['cls-culprits-insight'] = { score: total > 0.1 ? 0 : 1, details: { items, debugData: {} } };
  measure(draft, { cls: total });
}

const unsized: Shift = {
  selector: 'main > p',
  label: 'Rowing boats, sailing boats and all that belongs to them',
  score: 0.31,
  cause: 'Unsized image element',
  extra: { type: 'node', selector: 'main > img', nodeLabel: 'A boat', snippet: '<img src="hero.png" alt="A boat">' },
};

/** How the page asked for its largest picture: a list of checks, and the node. */
export function discover(draft: Draft, checks: Readonly<Record<string, boolean>>, label = 'A boat at sea'): void {
  const items = {
    priorityHinted: { label: 'fetchpriority=high applied', value: true },
    requestDiscoverable: { label: 'Request is discoverable in initial document', value: true },
    eagerlyLoaded: { label: 'LCP resources should not use loading=lazy', value: true },
    ...Object.fromEntries(Object.entries(checks).map(([name, value]) => [name, { label: name, value }])),
  };
  const node = { type: 'node', selector: 'main > img', nodeLabel: label };
  draft.audits['lcp-discovery-insight'] = {
    score: 0,
    details: { items: [{ type: 'checklist', items }, node] as unknown as Item[], debugData: {} },
  };
}

/** A request that the browser itself refused, before it went out. */
export const blocked = (draft: Draft, name: string, type = 'Script'): void =>
  withFile(draft, name, {
    ...refused,
    resourceType: type,
    protocol: '',
    networkRequestTime: 76,
    networkEndTime: 76.01,
  });

const other = /did not load|no known cause|simulation of|disturbed|run-to-run noise|machines/i;
const aside = /no known cause|simulation of|disturbed|run-to-run noise|machines/i;

const scripts: readonly PurePlant[] = [
  {
    name: 'work behind an answer',
    planted: 'local: 600 ms of script after fetch().then, which Lighthouse calls Unattributable; 22 points',
    plant: withExtra('lighthouse', nameless, 600),
    first: 'different_page',
    says: /script that names no file.* ms/i,
    never: aside,
  },
  {
    name: 'work behind an answer, there',
    planted: 'remote: 700 ms of script after fetch().then',
    plant: withExtra('psi', nameless, 700),
    first: 'different_page',
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
    first: 'different_page',
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
    first: 'different_page',
    says: /script that names no file/i,
    never: aside,
  },
  {
    name: 'a script made by the page',
    planted: 'local: 600 ms in a script of a blob: address, another on each load',
    plant: ({ psi, lighthouse }) => {
      work(psi, { ...usual, [`blob:http://www.boats.example/${'a'.repeat(36)}`]: 10 });
      work(lighthouse, { ...usual, [`blob:http://www.boats.example/${'b'.repeat(36)}`]: 600 });
    },
    first: 'different_page',
    says: /script that names no file/i,
    never: aside,
  },
  {
    name: 'one lucky run of five',
    planted: 'local: 800 ms of script without a file in each of five runs, of which 36 to 1,227 ms block; remote: none',
    plant: ({ psi, lighthouse }) => {
      work(psi, usual);
      work(lighthouse, { ...usual, [nameless]: 800 }, { blockingMs: 870 });
    },
    others: [36, 640, 910, 1227].map(blockingMs => draft => {
      work(draft, { ...usual, [nameless]: 790 + blockingMs / 50 }, { blockingMs });
    }),
    first: 'different_page',
    says: /script that names no file/i,
    never: /noise|inside|beyond|no known cause|disturbed/i,
  },
  {
    name: 'a stalled task',
    planted: 'local: a task of 500 ms without script, on a machine that was held up: a disturbed run as before',
    plant: ({ psi, lighthouse }) => {
      work(psi, usual);
      work(lighthouse, usual, { blockingMs: 450, otherMs: 480 });
      auditOf(lighthouse, 'long-tasks').details.items = [{ url: nameless, duration: 500, startTime: 1400 }];
    },
    first: 'disturbed_run',
    says: /disturbed run/i,
    never: /did not load|no known cause|simulation of|names no file/i,
  },
  {
    name: 'a wait that explains all',
    planted: 'local: the page waited 700 ms, and without that scores what the remote side scores',
    plant: ({ psi, lighthouse }) => {
      work(psi, usual);
      work(lighthouse, { ...usual, '3.js': 300 }, { blockingMs: 520 });
    },
    environment: {
      lighthouse: { processor_wait: { main_thread_ms: 700, without: { performance: 99, total_blocking_time: 0 } } },
    },
    first: 'disturbed_run',
    says: /a disturbed run accounts for/i,
    never: /did not load|no known cause|simulation of/i,
  },
  {
    name: 'a busy machine whose wait is known',
    planted: 'embedded, local: 480 ms of blocking without script; the measured wait explains 4 points of 18',
    plant: ({ psi, lighthouse }) => {
      work(psi, usual);
      work(lighthouse, usual, { blockingMs: 480, otherMs: 520 });
      auditOf(lighthouse, 'long-tasks').details.items = [{ url: nameless, duration: 530, startTime: 1400 }];
    },
    analyser: embedded,
    environment: {
      lighthouse: {
        concurrent_audits: 1,
        processor_wait: { main_thread_ms: 90, without: { performance: 89, total_blocking_time: 410 } },
      },
    },
    first: ['unexplained', 'disturbed_run'],
    says: /points lower/,
    never: /did not load|a disturbed run.{0,60} (explains?|accounts? for) (1\d|[5-9]|the whole)/i,
  },
];

const shifts: readonly PurePlant[] = [
  {
    name: 'a picture without a size',
    planted: 'local: it pushes the text down, CLS 0.31; 15 points',
    plant: ({ psi, lighthouse }) => {
      shift(psi, []);
      shift(lighthouse, [unsized]);
    },
    first: 'layout_shift',
    says: /points lower.*layout shifts.*0\.31.*Rowing boats/i,
    never: other,
  },
  {
    name: 'a banner that comes late',
    planted:
      'remote: the page’s own script puts it on top, CLS 0.42; the last pictures differ, and the script by 90 bytes',
    plant: ({ psi, lighthouse }) => {
      shift(psi, [{ selector: 'body > main', label: 'Boats for every water', score: 0.42 }]);
      shift(lighthouse, []);
      otherPicture(psi);
      withFile(psi, '1.js', { resourceSize: 30_120, transferSize: 30_270 });
    },
    first: ['layout_shift', 'different_page'],
    says: /points higher.*layout shifts.*0\.42/i,
    never: /no known cause|simulation of|disturbed|run-to-run noise/i,
  },
  {
    name: 'a font that swaps late',
    planted: 'local: another font moves the text, CLS 0.26',
    plant: ({ psi, lighthouse }) => {
      shift(psi, [{ selector: 'main > p', label: 'Rowing boats', score: 0.01 }]);
      shift(lighthouse, [
        { ...unsized, score: 0.26, cause: 'Web font', extra: { type: 'url', value: `${base}fonts/text.woff2` } },
      ]);
    },
    first: 'layout_shift',
    says: /layout shifts.*text\.woff2/i,
    never: other,
  },
  {
    name: 'shifts in every run',
    planted: 'local: CLS 0.29 to 0.33 in each of three runs, remote 0',
    plant: ({ psi, lighthouse }) => {
      shift(psi, []);
      shift(lighthouse, [unsized]);
    },
    others: [0.29, 0.33].map(score => draft => shift(draft, [{ ...unsized, score }])),
    first: 'layout_shift',
    says: /layout shifts/i,
    never: other,
  },
  {
    name: 'shifts and blocking',
    planted: 'local: CLS 0.31 (15 points) and 500 ms of the page’s own script (13 points)',
    plant: ({ psi, lighthouse }) => {
      shift(lighthouse, [unsized]);
      work(psi, usual);
      work(lighthouse, { ...usual, '2.js': 500 });
    },
    first: ['different_page', 'layout_shift'],
    says: /2\.js ran for.*layout shifts/i,
    never: aside,
  },
  {
    name: 'a side that lists no shifts',
    planted: 'remote: CLS 0.3 and no list of what moved',
    plant: ({ psi }) => measure(psi, { cls: 0.3 }),
    first: 'layout_shift',
    says: /points higher.*layout shifts.*0\.3/i,
    never: other,
  },
  {
    name: 'a page that moves now and then',
    planted: 'nothing: CLS 0, 0.3, 0 and 0.28 in four loads, of which the remote one has 0.3',
    plant: ({ psi, lighthouse }) => {
      shift(psi, [{ ...unsized, score: 0.3 }]);
      shift(lighthouse, []);
    },
    others: [0, 0.28].map(score => draft => shift(draft, score ? [{ ...unsized, score }] : [])),
    first: [null, 'run_noise'],
    says: alike,
    never: blames,
  },
];

const chat = 'https://chat.example/widget.js';
const throttledChat = (draft: Draft, multiplier: number, ms: number) => {
  setThrottling(draft, { cpuSlowdownMultiplier: multiplier });
  work(draft, usual, { multiplier });
  if (ms === 0) return;
  addScript(draft, chat, 90_000);
  addScriptTime(draft, chat, (ms * multiplier) / 1.2);
  auditOf(draft, 'long-tasks').details.items.push({ url: chat, duration: ms * multiplier, startTime: 3000 });
  measure(draft, { tbt: blockingOf([...Object.values(usual), ms], multiplier) });
};

const settings: readonly PurePlant[] = [
  {
    name: 'a chat script and another multiplier',
    planted:
      'local: 4 times slower, with a chat script of 250 ms: 2 points at 1.2 times and 23 at 4; without it the setting costs next to nothing',
    plant: ({ psi, lighthouse }) => {
      throttledChat(psi, 1.2, 0);
      throttledChat(lighthouse, 4, 250);
    },
    simulated: { cpu: scoresOf({ tbt: blockingOf([...Object.values(usual), 250], 1.2) }) },
    againAsThere: scoresOf({ tbt: 0 }),
    againAsThereHere: scoresOf({ tbt: blockingOf(Object.values(usual), 4) }),
    first: 'different_page',
    says: /chat\.example\/widget\.js loaded only in local Lighthouse.*a different page explains (1[5-9]|2\d)/i,
    never: /CPU.{0,40} (explains (1\d|2\d|the whole)|costs)|no known cause|disturbed|noise/i,
  },
  {
    name: 'the same page and another multiplier',
    planted: 'both: the chat script; local 4 times slower: the setting costs all of it',
    plant: ({ psi, lighthouse }) => {
      throttledChat(psi, 1.2, 250);
      throttledChat(lighthouse, 4, 250);
    },
    simulated: { cpu: scoresOf({ tbt: blockingOf([...Object.values(usual), 250], 1.2) }) },
    first: 'cpu',
    says: /CPU throttling.{0,60} explains?/i,
    never: other,
  },
];

const inside: PurePlant = {
  name: 'a setting that one quick run hides',
  planted: 'local: 4 times slower, 74 to 93 in three runs, and 95 under the remote multiplier in each; remote 95',
  plant: ({ psi, lighthouse }) => {
    setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
    work(psi, { '1.js': 120, '2.js': 110, '3.js': 90, '4.js': 60 });
    work(lighthouse, { '1.js': 120, '2.js': 110, '3.js': 90, '4.js': 60 }, { multiplier: 4 });
  },
  others: [300, 1100].map(blockingMs => draft => {
    work(draft, { '1.js': 120, '2.js': 110, '3.js': 90, '4.js': 60 }, { multiplier: 4, blockingMs });
  }),
  simulated: { cpu: scoresOf({ tbt: blockingOf([120, 110, 90, 60]) }) },
  first: 'cpu',
  says: /CPU throttling.{0,60} explains?/i,
  never: /did not load|no known cause|inside|beyond|disturbed/i,
};

const others: readonly PurePlant[] = [
  inside,
  {
    name: 'the comparison’s own other half',
    planted: 'embedded, both halves at once: blocking time of 300 ms more here; nothing else ran',
    plant: ({ psi, lighthouse }) => {
      work(psi, { ...usual, '1.js': 30 });
      work(lighthouse, { '1.js': 110, '2.js': 60, '3.js': 180, '4.js': 90 }, { blockingMs: 420 });
    },
    analyser: embedded,
    environment: { psi: { concurrent_audits: 1 }, lighthouse: { concurrent_audits: 1 } },
    first: 'disturbed_run',
    says: /Possible causes?: a disturbed run/i,
    never: /did not load|[Aa]nother audit/,
  },
  {
    name: 'a newer Lighthouse on the remote side',
    planted: 'remote: 13.6.0 simulates FCP and LCP otherwise; both loads painted at 258 ms; 14 points',
    plant: ({ psi, lighthouse }) => {
      psi.lighthouseVersion = '13.6.0';
      measure(psi, { fcp: 900, lcp: 1300 }, { paint: 250, largest: 258 });
      measure(lighthouse, { fcp: 1900, lcp: 3600 }, { paint: 255, largest: 262 });
    },
    first: 'lighthouse_version',
    says: /Possible causes?: different versions of Lighthouse \(13\.6\.0 on psi\.example, 13\.5\.0/i,
    never: /did not load|no known cause|simulation/i,
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
    first: 'different_page',
    says: /^The two sides got the same files with different compression: .*1\.js/,
    never: aside,
  },
  {
    name: 'a content security policy',
    planted: 'local: the browser refused two scripts before it asked for them',
    plant: ({ lighthouse }) => {
      for (const name of ['2.js', '3.js']) blocked(lighthouse, name);
    },
    first: 'different_page',
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
    first: 'different_page',
    says: /^A content security policy blocked \/same-many\/2\.js only on psi\.example/,
    never: /no response|and others|no known cause/,
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
    first: 'different_page',
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
    first: 'different_page',
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
    first: 'different_page',
    says: /the largest element .*“A boat at sea”.*“Boats for every water”/i,
    never: /no known cause|and others/,
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
    first: 'different_page',
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
    first: 'different_page',
    says: /largest image .*fetchpriority=high/i,
    never: /no known cause|alike|simulation of/i,
  },
  {
    name: 'a second copy from a worker',
    planted: 'local: a worker fetched 1.2 MB beside the page; 12 points',
    plant: ({ lighthouse }) => {
      for (const name of ['a', 'b'])
        addFile(lighthouse, `${base}offline/${name}.png`, {
          resourceType: 'Fetch',
          resourceSize: 600_000,
          transferSize: 600_200,
          sessionTargetType: 'worker',
        });
      measure(lighthouse, { lcp: 3800 }, { paint: 255, largest: 420 });
    },
    first: 'different_page',
    says: /a worker/,
    never: /no known cause|simulation of/i,
  },
];

export const twelfthSet: readonly PurePlant[] = [...scripts, ...shifts, ...settings, ...others];
