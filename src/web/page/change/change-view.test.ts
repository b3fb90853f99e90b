import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeptFacts } from '../../../../test/support/builders/history.ts';
import { toText } from '../../../../test/support/template-text.ts';
import { toSideNames } from '../../../presentation/side-names.ts';
import { type ChangeState, changeView } from './change-view.ts';

const names = toSideNames(undefined);
const [older, newer] = [buildKeptFacts(1), buildKeptFacts(2)];
const shown = (state: ChangeState) => toText(changeView(state, names));

test('two labels are entered as text, whatever results of the page are stored', () => {
  const choices = [newer, older];
  for (const asked of [
    { before: '', after: '' },
    { before: 'build-41', after: '' },
    { before: 'build-41', after: newer.id },
  ]) {
    const html = shown({ asked: { ...asked, url: newer.url }, missing: 'both', choices });
    assert.match(html, /<input name=before type="text"/);
    assert.doesNotMatch(html, /<select/);
  }
  const ofResult = shown({ asked: { before: '', after: newer.id, url: newer.url }, missing: 'previous', choices });
  assert.match(ofResult, /<select name=before /);
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
