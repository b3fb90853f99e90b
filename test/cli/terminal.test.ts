/** What a person sees at a terminal: every finding, tables of its width, links, presets. The remote analyser is a fake. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { widthOf } from '../../src/cli/text/terminal/width.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { buildAudit } from '../support/builders/lhr.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { runCli } from './run-cli.ts';

const greyPixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const script = (name: string, bytes: number) =>
  `http://localhost/assets/日本語/${'folder/'.repeat(9)}${name}?bytes=${bytes}`;
const scripts = [script('main.js', 210_000), script('vendor.js', 120_000)];
const request = (url: string, resourceType: string, transferSize: number, statusCode = 200) => ({
  url,
  resourceType,
  transferSize,
  statusCode,
  networkRequestTime: 1,
  networkEndTime: 2,
});

const fake = await startFakePsi({ after });
fake.answerWith(call => {
  const body = toPsiBody(call) as { lighthouseResult: { audits: Record<string, unknown> } };
  const unused = buildAudit('unused-javascript', {
    title: 'Reduce unused JavaScript',
    score: 0,
    scoreDisplayMode: 'metricSavings',
    details: {
      type: 'opportunity',
      headings: [
        { key: 'url', valueType: 'url', label: 'URL' },
        { key: 'wastedBytes', valueType: 'bytes', label: 'Est Savings' },
      ],
      items: scripts.map((url, at) => ({ url, wastedBytes: 90_000 - at })),
    },
  });
  const requests = buildAudit('network-requests', {
    score: 1,
    scoreDisplayMode: 'informative',
    details: {
      type: 'table',
      items: [
        request('http://localhost/one', 'Document', 4000),
        ...scripts.map((url, at) => request(url, 'Script', at === 0 ? 210_000 : 120_000)),
        request('http://localhost/gone.png', 'Image', 300, 404),
      ],
    },
  });
  const quiet = buildAudit('errors-in-console', { details: { type: 'table', items: [] } });
  const secure = buildAudit('is-on-https', { details: { type: 'table', items: [] } });
  const seen = buildAudit('final-screenshot', { details: { type: 'screenshot', timing: 3, data: greyPixel } });
  for (const audit of [unused, requests, quiet, secure, seen]) body.lighthouseResult.audits[audit.id] = audit;
  const { categories } = body.lighthouseResult as unknown as { categories: Record<string, { auditRefs: object[] }> };
  if (categories.performance)
    categories.performance.auditRefs = [...categories.performance.auditRefs, { id: 'unused-javascript', weight: 0 }];
  return { body };
});
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint });
const remote = ['--psi', '--server', service.url, '--quiet'];

test('--all shows every finding with its table, for one page and for several', async t => {
  const one = await runCli(t, ['localhost/one', ...remote, '--all']);
  assert.equal(one.code, 0);
  assert.match(one.stdout, /\nTo fix: 2\n/);
  assert.match(one.stdout, /\n {4}unused-javascript\n {6}URL +Est Savings\n/);
  assert.match(one.stdout, / localhost\/…\S*vendor\.js\?bytes=120000 +90\skB\n/);
  assert.match(one.stdout, /\nInformative|\nPassed|document-title/);
  const two = await runCli(t, ['localhost/one', 'localhost/two', ...remote, '--all']);
  assert.equal(two.stdout.match(/\nTo fix: 2\n/g)?.length, 2);
});

test('no row is wider than the terminal', async t => {
  for (const COLUMNS of ['40', '60', '80', '200'])
    for (const pages of [['localhost/one'], ['localhost/one', `localhost/${'long/'.repeat(40)}`]]) {
      const args = [...pages, ...remote, '--all', '--assert-preset', 'good-scores'];
      const { stdout } = await runCli(t, args, { environment: { COLUMNS } });
      const tooWide = stdout.split('\n').filter(line => widthOf(line) > Number(COLUMNS));
      // A URL in a heading is not wrapped.
      assert.deepEqual(
        tooWide.filter(line => !/^(?:http:\S+|\S+ {2}http:\S+)$/.test(line)),
        [],
      );
    }
});

test('links are printed if supported, and lead to the page', async t => {
  const environment = { FORCE_HYPERLINK: '1' };
  const { stdout } = await runCli(t, ['localhost/one', ...remote], { environment });
  assert.ok(stdout.startsWith('\u001b]8;;http://localhost/one\u001b\\http://localhost/one\u001b]8;;\u001b\\\n'));
  const without = await runCli(t, ['localhost/one', ...remote], { environment: { FORCE_COLOR: '1' } });
  assert.ok(!without.stdout.includes('\u001b]'));
});

test('presets pass or fail by the measured values, alongside other assertions', async t => {
  const presets = ['good-vitals', 'good-scores', 'no-errors', 'warn budget-light'];
  const args = [...presets.flatMap(name => ['--assert-preset', name]), '--assert', 'script-size<=400KB', '--all'];
  const { code, stdout } = await runCli(t, ['localhost/one', ...remote, ...args], { environment: { COLUMNS: '120' } });
  assert.equal(code, 1);
  for (const line of [
    /✓ holds +LCP<=2500 · good-vitals +1\.2\s/,
    /✗ fails +seo>=90 · good-scores +80/,
    /✓ holds +errors-in-console<=0 · no-errors +0/,
    /✗ fails +failed-count<=0 · no-errors +1/,
    /! warns +warn script-size<=300KB · budget-light +330\skB/,
    /✓ holds +warn total-count<=50 · budget-light +4/,
    /✓ holds +script-size<=400KB +330\skB/,
  ])
    assert.match(stdout, line);
  assert.match(stdout, /\n2 of 18 assertions failed, 15 passed, 1 warning\.\n$/);
});

test('--html writes an index with a small picture of each page, and a link to its report', async t => {
  const reports = join(makeScratchFolder(t), 'reports');
  const { code } = await runCli(t, ['localhost/one', 'localhost/two', ...remote, '--html', reports]);
  assert.equal(code, 0);
  const index = readFileSync(join(reports, 'index.html'), 'utf8');
  assert.equal(index.match(/<img [^>]*src="data:image\/png;base64,iVBOR/g)?.length, 2);
  for (const name of ['one', 'two']) assert.match(index, new RegExp(`href="./localhost-${name}-mobile.html"`));
});
