/** Pages of the studies, served from this machine: a light one, a large picture, much script, many files. */
import { realPlants } from '../../test/compare/laboratory/real-plants.ts';
import { busyFor, type Files, html, script, serve, toPage } from '../../test/compare/laboratory/site.ts';
import { startLocalServer } from '../../test/support/sites/local-server.ts';

/** Two seconds of script before the first paint, and more after it. */
const scripts: Files = {
  '/': html(toPage({ head: '<script src="app.js"></script>', body: '<script src="late.js" defer></script>' })),
  '/app.js': script(busyFor(2000)),
  '/late.js': script(`requestAnimationFrame(() => setTimeout(() => ${busyFor(40)}, 0));`),
};

const filesOf = (name: string): Files => realPlants.find(plant => plant.name === name)?.local ?? {};

const studyPages: Readonly<Record<string, Files>> = {
  light: filesOf('same-light'),
  'a picture of 3 MB': filesOf('same-heavy'),
  '2 s of script': scripts,
  '13 files, 120 ms of script': filesOf('same-many'),
};
/** Tasks after the first paint with the same amount of work on any machine; `busyFor` takes the same time instead. */
const inTasks = (count: number, work: string): Files => ({
  '/': html(toPage({ body: '<div id="place"></div><script src="app.js" defer></script>' })),
  '/app.js': script(`let left = ${count}; const next = () => { ${work}; if (--left > 0) setTimeout(next, 0); };
requestAnimationFrame(() => setTimeout(next, 0));`),
});
const numbers = 'let sum = 0; for (let turn = 0; turn < 6e6; turn += 1) sum += Math.sqrt(turn); globalThis.sum = sum;';
const objects = `const list = Array.from({ length: 2e4 }, (_, at) => ({ name: 'boat ' + (at * 7919) % 20011, at }));
list.sort((a, b) => (a.name < b.name ? -1 : 1)); globalThis.text = JSON.stringify(JSON.parse(JSON.stringify(list)))`;
const elements = `const rows = Array.from({ length: 600 }, (_, at) => '<p><b>Boat ' + at + '</b> of <i>oak</i></p>');
document.querySelector('#place').innerHTML = rows.join(''); globalThis.height = document.body.offsetHeight`;

/** Pages whose score depends on the CPU. */
const calibrationPages: Readonly<Record<string, Files>> = {
  numbers: inTasks(8, numbers),
  'objects and strings': inTasks(8, objects),
  elements: inTasks(8, elements),
};
/** Pages that work again after they have loaded: a task of some 200 ms after each of these times, in milliseconds. */
const wakeAt = (...times: readonly number[]): Files => ({
  '/': html(toPage({ body: '<div id="place"></div><script src="app.js" defer></script>' })),
  '/app.js': script(
    `for (const ms of ${JSON.stringify(times)}) setTimeout(() => { for (let at = 0; at < 4; at += 1) { ${numbers} } }, ms);`,
  ),
});
const wakingPages: Readonly<Record<string, Files>> = {
  'wakes after 1 s': wakeAt(1000),
  'wakes after 2 s': wakeAt(2000),
  'wakes after 3 s': wakeAt(3000),
  'wakes each second': wakeAt(1000, 2000, 3000),
};
/** Ordinary pages of the laboratory, to have ten pages of the project's own. */
const plainPages: Readonly<Record<string, Files>> = {
  'a table of 2,500 rows': filesOf('same-table'),
  'another picture on each load': filesOf('same-lively'),
  'a busy page': filesOf('same-busy'),
};
const toPath = (name: string): string => name.replaceAll(/\W+/g, '-');

export type StudyPage = { name: string; url: string };

async function startPages(pages: Readonly<Record<string, Files>>) {
  const hooks: (() => Promise<void> | void)[] = [];
  const byPath = new Map(Object.entries(pages).map(([name, files]) => [toPath(name), files]));
  const server = await startLocalServer(
    { after: hook => void hooks.push(hook) },
    serve(path => byPath.get(path)),
  );
  return {
    pages: Object.keys(pages).map((name): StudyPage => ({ name, url: `${server.url}/${toPath(name)}/` })),
    async close(): Promise<void> {
      for (const hook of hooks) await hook();
    },
  };
}

export const startStudyPages = () => startPages(studyPages);
export const startPlainPages = () => startPages(plainPages);
export const startWakingPages = () => startPages(wakingPages);
export const startCalibrationPages = () => startPages(calibrationPages);
