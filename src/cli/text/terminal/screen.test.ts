import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScreen, readScreen, wantsLinks } from './screen.ts';

const terminal = { isTTY: true, columns: 100 };

test('lines are as wide as COLUMNS, else as the terminal, else 80 columns', () => {
  for (const [env, stream, columns] of [
    [{}, terminal, 100],
    [{ COLUMNS: '60' }, terminal, 60],
    [{ COLUMNS: '60' }, {}, 60],
    [{ COLUMNS: 'wide' }, terminal, 100],
    [{ COLUMNS: '0' }, {}, 80],
    [{}, {}, 80],
    [{}, { columns: 120 }, 80],
    [{}, { isTTY: true, columns: 0 }, 80],
    [{}, { isTTY: true, columns: 3 }, 24],
  ] as const)
    assert.equal(readScreen(undefined, env, stream).columns, columns, JSON.stringify([env, stream]));
});

test('links are printed only on terminals known to support them, if colors are not turned off', () => {
  const kitty = { TERM: 'xterm-kitty' };
  for (const [flag, env, stream, wanted] of [
    [undefined, kitty, terminal, true],
    [undefined, { TERM_PROGRAM: 'vscode' }, terminal, true],
    [undefined, { VTE_VERSION: '7600' }, terminal, true],
    [undefined, { VTE_VERSION: '4205' }, terminal, false],
    [undefined, { WT_SESSION: 'x' }, terminal, true],
    [undefined, { TERM: 'xterm-256color' }, terminal, false],
    [undefined, kitty, {}, false],
    [undefined, { ...kitty, NO_COLOR: '1' }, terminal, false],
    [false, kitty, terminal, false],
    [undefined, { WT_SESSION: 'x', TERM: 'dumb' }, terminal, false],
    [undefined, { VTE_VERSION: '7600', TERM: 'screen' }, terminal, false],
    [undefined, { VTE_VERSION: '7600', TERM: 'screen', TMUX: '/tmp/x' }, terminal, true],
    [undefined, { FORCE_COLOR: '1' }, {}, false],
    [undefined, { FORCE_HYPERLINK: '1' }, {}, true],
    [undefined, { ...kitty, FORCE_HYPERLINK: '0' }, terminal, false],
  ] as const)
    assert.equal(wantsLinks(flag, env, stream), wanted, JSON.stringify([flag, env, stream]));
});

test('only a URL can be a link', () => {
  const { link } = createScreen({ hasLinks: true });
  assert.equal(link('a', 'https://example.com/?q=1'), '\u001b]8;;https://example.com/?q=1\u001b\\a\u001b]8;;\u001b\\');
  for (const href of [
    ...['rangelight show 1', 'javascript:alert(1)', 'https://a/\u0007', 'https://a/ b', 'https://ä/'],
    `https://a/${'x'.repeat(3000)}`,
    undefined,
  ])
    assert.equal(link('a', href), 'a', href);
  assert.equal(createScreen().link('a', 'https://example.com/'), 'a');
});
