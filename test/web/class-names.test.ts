/**
 * A class names a part of the page, an attribute names its state. A state named like a part would get the layout of
 * that part.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readSourceFiles } from '../contract/source-files.ts';

const folder = new URL('../../src/web/style/', import.meta.url);
const style = readdirSync(folder)
  .map(name => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n')
  .replaceAll(/\/\*[\s\S]*?\*\//g, '');
const views = readSourceFiles().filter(({ path }) => /^(?:web|html-report)\//.test(path));

const classes = new Set([...style.matchAll(/\.([a-z][\w-]*)(?=[^{}]*\{)/g)].map(([, name = '']) => name));

test('no state has the name of a class', () => {
  const inStyle = [...style.matchAll(/\[data-state="([a-z]+)"\]/g)].map(([, name = '']) => name);
  const ofRows = ['queued', 'running', 'done', 'unmeasured', 'failed'];
  const ofSteps = ['done', 'now', 'ahead'];
  const states = new Set([...inStyle, ...ofRows, ...ofSteps]);
  assert.deepEqual(
    [...states].filter(state => classes.has(state)),
    [],
  );
});

/**
 * Expressions that may select a class: a rating, a side, a kind of text, a direction. Each is one word for one look.
 */
const choosers = [
  /^sideOf\((?:lane\.)?source\)$/,
  /^rating(?: \?\? '')?$/,
  /^shareClasses\[at\] \?\? ''$/,
  /^finding\.score === null \? '' : rateScore\(finding\.score\)$/,
  /^kind(?: \?\? nothing)?$/,
  /^height$/,
  /^rateScore\(value\)$/,
  /^at > 0 \? 'number' : nothing$/,
  /^points < 0 \? 'loss' : 'gain'$/,
  /^(?:result\.)?strategy$/,
  /^drawn\.length > 1 \? 'small' : 'unseen'$/,
  /^isLatest \? 'line-failure' : ''$/,
];

test('a class that is selected at run time is a rating, a side, a kind of text or a direction', () => {
  const chosen = views.flatMap(({ path, text }) =>
    [...text.matchAll(/class=(?:"[^"]*?\$\{([^}]*)\}[^"]*"|\$\{([^}]*)\})/g)].map(([, inside, whole]) => ({
      path,
      expression: inside ?? whole ?? '',
    })),
  );
  assert.ok(chosen.length > 8);
  assert.deepEqual(
    chosen.filter(({ expression }) => !choosers.some(chooser => chooser.test(expression))),
    [],
  );
});
