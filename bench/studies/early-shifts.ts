/**
 * `node bench/studies/early-shifts.ts --pages 4 --file early-shifts.ndjson` counts how often the warning is right that a
 * layout shift depends on how fast the HTML arrives. Each folder of installed documentation gives as many pages. Each
 * page is loaded whole, and with a pause of 100 ms after a tenth, a quarter and half of its HTML. A warning is right if
 * the layout shift differs clearly between these loads. `--folder libgtk-4-doc` takes the pages of one folder.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startLocalServer } from '../../test/support/sites/local-server.ts';
import { startServiceProcess } from '../processes.ts';
import { openLines } from './lines.ts';
import { measureAt, toLoadValues } from './load-values.ts';
import { contentTypes } from './real-pages.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '4' },
    folder: { type: 'string' },
    file: { type: 'string', default: 'early-shifts.ndjson' },
  },
});

const root = '/usr/share/doc';
const leastBytes = 20_000;
const pauseMs = 100;
/** Shares of the HTML before the pause; 0 is a load without a pause. */
const cuts = [0, 0.1, 0.25, 0.5];
/** Min difference of layout shifts between loads of a page. */
const clearShift = 0.05;

/** Returns pages of each folder, evenly spaced in the order of their names. */
function findPages(count: number): string[] {
  const look = (name: string) => statSync(join(root, name), { throwIfNoEntry: false });
  const folders = values.folder ? [values.folder] : readdirSync(root).filter(name => look(name)?.isDirectory());
  return folders.flatMap(folder => {
    const all = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.html'))
      .map(name => join(folder, name))
      .filter(name => (look(name)?.size ?? 0) >= leastBytes)
      .toSorted();
    return Array.from(
      { length: Math.min(count, all.length) },
      (_, at) => all[Math.floor((at * all.length) / count)] ?? '',
    );
  });
}

type Line = { page: string; cut: number; shift: number; score: number; isWarned: boolean };
const lines = openLines<Line>(values.file);

const hooks: (() => Promise<void> | void)[] = [];
const site = await startLocalServer({ after: hook => void hooks.push(hook) }, async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
  const type = contentTypes[extname(pathname)] ?? 'application/octet-stream';
  try {
    const body = readFileSync(join(root, decodeURIComponent(pathname)));
    const at = Math.round(Number(searchParams.get('cut')) * body.length);
    response.writeHead(200, { 'content-type': type });
    if (at > 0) {
      response.write(body.subarray(0, at));
      await delay(pauseMs);
    }
    response.end(body.subarray(at));
  } catch {
    response.writeHead(404).end();
  }
});
const service = await startServiceProcess({ TARGETS: 'any' });

const pages = findPages(Number(values.pages));
try {
  for (const page of pages)
    for (const cut of cuts) {
      if (lines.all.some(line => line.page === page && line.cut === cut)) continue;
      const result = await measureAt(service, `${site.url}/${encodeURI(page)}?cut=${cut}`);
      const { CLS: shift, score } = toLoadValues(result);
      const isWarned = result.warnings.some(warning => warning.startsWith('Layout shift of'));
      lines.add({ page, cut, shift, score, isWarned });
      console.error(`  ${page}, ${cut}: ${shift.toFixed(3)}${isWarned ? ', warned' : ''}`);
    }
} finally {
  await service.stop();
  for (const hook of hooks) await hook();
}

const loadsOf = (page: string) => lines.all.filter(line => line.page === page);
const isVaried = (page: string): boolean => {
  const shifts = loadsOf(page).map(({ shift }) => shift);
  return Math.max(...shifts) - Math.min(...shifts) >= clearShift;
};
const warned = lines.all.filter(({ isWarned }) => isWarned);
const poor = lines.all.filter(({ shift }) => shift > 0.1);
console.log(`${lines.all.length} loads of ${pages.length} pages, ${poor.length} with a layout shift that is not good`);
console.log(`warned: ${warned.length}, right: ${warned.filter(({ page }) => isVaried(page)).length}`);
const varied = poor.filter(({ page, isWarned }) => isVaried(page) && !isWarned);
console.log(`shifts that vary, not warned: ${varied.length}`);
