/** `rangelight site` against real sites on loopback. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Sitemap } from '../../src/contract/sitemap.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';
import { runCli } from './run-cli.ts';

const service = await startService({ after }, { TARGETS: '127.0.0.1' });
const where = ['--server', service.url];

const toLinks = (paths: readonly string[]) => paths.map(path => `<a href="${path}">${path}</a>`).join('');

/** Sections of a site, each with five lists of 25 pages. */
const sections = Array.from(
  { length: 40 },
  (_, at) => `section-${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}`,
);
const pagesOf = (section: string, list: number) =>
  Array.from({ length: 25 }, (_, at) => `/${section}/the-page-${list}-${at}-of-${section}`);
function answer(path: string, names: readonly string[]): string {
  const [section = '', list, number] = path.slice(1).split('/');
  if (section === '') return toLinks(names.map(name => `/${name}`));
  if (list === 'list') return toLinks(pagesOf(section, Number(number)));
  return list === undefined ? toLinks([1, 2, 3, 4, 5].map(at => `/${section}/list/${at}`)) : toLinks(['/']);
}
const startSite = (names: readonly string[]) =>
  startLocalServer({ after }, (request, response) => {
    const path = request.url ?? '/';
    if (/\.(?:txt|xml)$/.test(path)) return void response.writeHead(404).end();
    const links = answer(path, names);
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>A page</title>${links}`);
  });

test('pages of a site without a sitemap are listed for the next command, and their templates are explained', async t => {
  const site = await startSite(sections.slice(0, 4));
  const { code, stdout, stderr } = await runCli(t, ['site', site.url, '--sample', '2', ...where]);
  assert.equal(code, 0, stderr);
  const urls = stdout.trimEnd().split('\n');
  assert.ok(urls.includes(`${site.url}/`) && urls.every(url => url.startsWith(site.url)));
  assert.match(stderr, /^\d+ pages found by the links of \d+ pages, \d+ listed/);
  assert.match(stderr, /\n {4}125 {2}http:\S+\/section-\w+\/\*\n/);
  const again = await runCli(t, ['site', site.url, '--sample', '2', '--quiet', ...where]);
  assert.deepEqual([again.stdout, again.stderr], [stdout, '']);
});

test('a site of 5,000 pages in 40 templates: at least 38 are found as one template each', async t => {
  const site = await startSite(sections);
  const { stdout } = await runCli(t, ['site', site.url, '--json', ...where]);
  const { templates } = JSON.parse(stdout) as Sitemap;
  const found = sections.filter(name =>
    templates.some(({ template, pages }) => template === `${site.url}/${name}/*` && pages === 125),
  );
  assert.ok(found.length >= 38, `${found.length} of 40`);
});

test('an invalid sample, and a site that is not there, are explained', async t => {
  const invalid = await runCli(t, ['site', service.url, '--sample', '0', ...where]);
  assert.deepEqual([invalid.code, invalid.stdout], [2, '']);
  assert.match(invalid.stderr, /--sample must be a number from 1 to 100, not '0'/);
  const gone = await startLocalServer(t, (_, response) => void response.writeHead(404).end());
  const failed = await runCli(t, ['site', gone.url, ...where]);
  assert.deepEqual([failed.code, failed.stdout], [3, '']);
  assert.match(failed.stderr, /lists no sitemap, \/sitemap\.xml does not exist, and the start page cannot be read/);
});
