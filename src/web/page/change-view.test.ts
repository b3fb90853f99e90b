import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeptFacts } from '../../../test/support/builders/history.ts';
import { toText } from '../../../test/support/template-text.ts';
import { toSideNames } from '../../presentation/side-names.ts';
import { type ChangeState, changeView } from './change-view.ts';

const names = toSideNames(undefined);
const [older, newer] = [buildKeptFacts(1), buildKeptFacts(2)];
const shown = (state: ChangeState) => toText(changeView(state, names));

test('labels and results are picked from what is stored; without any, an id or a label is entered', () => {
  const choices = [
    { ...newer, label: 'build-42' },
    { ...older, label: 'build-41' },
  ];
  const asked = { before: '', after: '', url: newer.url };
  const html = shown({ asked, missing: 'both', choices });
  assert.doesNotMatch(html, /<input name=before/);
  const chosen = [...html.matchAll(/<option value=(\S+) \?selected=true/g)].map(([, value]) => value);
  assert.deepEqual(chosen, ['build-41', 'build-42'], 'the two newest labels');
  assert.match(shown({ asked: { ...asked, after: newer.id }, missing: 'before', choices }), new RegExp(older.id));
  assert.match(shown({ asked, missing: 'both', choices: [] }), /<input name=before type="text"/);
});

test('results to choose from name their device and source only if these differ', () => {
  const asked = { before: older.id, after: newer.id, url: newer.url };
  const optionsOf = (choices: ChangeState['choices'] & object) =>
    [...shown({ asked, missing: 'before', choices }).matchAll(/<option[^>]*>([^<]*)</g)].map(([, said]) => said);
  assert.ok(optionsOf([newer, older]).every(said => !/mobile|Local/.test(said ?? '')));
  const mixed = optionsOf([newer, buildKeptFacts(1, { strategy: 'desktop', source: 'psi' })]);
  assert.match(mixed[0] ?? '', / · mobile · Local · /);
  assert.match(mixed[1] ?? '', / · desktop · Remote · /);
});
