import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { indexMark } from '../../web/report/index/render-index.ts';
import { UsageError } from '../input/usage-error.ts';
import { judgeHtml } from './judge-html.ts';

const folder = mkdtempSync(join(tmpdir(), 'rangelight judge '));
after(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => `${folder}/${name}`;
mkdirSync(at('here'));
writeFileSync(at('file'), '');
for (const [name, target] of [
  ['to-file', 'file'],
  ['to-nothing', 'here/new.html'],
  ['to-missing', 'gone/new.html'],
  ['to-here', 'here'],
  ['to-itself', 'to-itself'],
] as const)
  symlinkSync(target, at(name));
if (process.platform !== 'win32') execFileSync('mkfifo', [at('pipe')]);

const faultOf = (path: string, isList: boolean): string | undefined => {
  try {
    judgeHtml(path, isList);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
};

test('a report can be written to an existing or new file, to a folder, through links, and to a pipe', () => {
  const before = readdirSync(folder, { recursive: true });
  for (const name of [
    'file',
    'new.html',
    'here',
    'here/',
    'to-file',
    'to-nothing',
    'to-here',
    'to-here/x.html',
    'pipe',
  ])
    assert.equal(faultOf(at(name), false), undefined, name);
  assert.equal(faultOf('-', false), undefined);
  assert.deepEqual(readdirSync(folder, { recursive: true }), before);
});

test('a path that could only fail later is rejected early', () => {
  for (const [name, fault] of [
    ['new/', `there is no folder ${at('new/')}`],
    ['file/', `there is no folder ${at('file/')}`],
    ['new/x.html', `there is no folder ${at('new')}`],
    ['file/x.html', `there is no folder ${at('file')}`],
    ['to-missing', `there is no folder ${at('gone')}`],
    ['to-itself', 'it is a circular link'],
  ] as const)
    assert.equal(faultOf(at(name), false), `--html ${at(name)}: ${fault}`);
});

test('several reports go to a folder that exists or can be created', () => {
  for (const name of ['here', 'here/', 'new', 'new/', 'new/er/', 'to-here', 'to-here/new', 'to-nothing'])
    assert.equal(faultOf(at(name), true), undefined, name);
  for (const [name, fault] of [
    ['file', /it must be a folder for several results$/],
    ['to-file', /it must be a folder for several results$/],
    ['pipe', /it must be a folder for several results$/],
    ['file/x', /not a directory/],
    ['to-missing', /to-missing is not a folder$/],
    ['to-missing/x', /to-missing is not a folder$/],
  ] as const)
    assert.match(faultOf(at(name), true) ?? '', fault, name);
  assert.match(faultOf('-', true) ?? '', /accepts one result/);
});

test('an index of this program may be replaced, any other file of that name never', () => {
  for (const [folder, text, fault] of [
    ['ours', `<script type="application/json" ${indexMark}>[]</script>`, undefined],
    ['site', '<h1>My site</h1>', /site: its index\.html was not written by this command, .*another folder$/],
  ] as const) {
    mkdirSync(at(folder));
    writeFileSync(at(`${folder}/index.html`), text);
    if (fault) assert.match(faultOf(at(folder), true) ?? '', fault);
    else assert.equal(faultOf(at(folder), true), undefined);
    assert.equal(faultOf(at(folder), false), undefined);
  }
  mkdirSync(at('odd/index.html'), { recursive: true });
  assert.match(faultOf(at('odd'), true) ?? '', /its index\.html/);
});

test('a socket does not accept a report', async t => {
  if (process.platform === 'win32') return t.skip('skipped: its sockets have no files');
  const server = createServer().listen(at('socket'));
  t.after(() => server.close());
  await once(server, 'listening');
  assert.match(faultOf(at('socket'), false) ?? '', /a socket cannot be opened as a file$/);
});
