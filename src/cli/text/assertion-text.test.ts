import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Check, readAssertion } from '../input/assertion.ts';
import { toAssertionText } from './assertion-text.ts';
import { createScreen } from './terminal/screen.ts';

const check = (text: string, measured: number | null, facts: Partial<Check> = {}): Check => ({
  assertion: readAssertion(text),
  url: 'http://localhost/',
  source: 'lighthouse',
  strategy: 'mobile',
  measured,
  passed: measured !== null,
  fault: undefined,
  isCorrected: false,
  isDenied: false,
  isWarning: false,
  ...facts,
});
const say = (checks: readonly Check[], isAll = false) => toAssertionText(createScreen(), { checks, unused: [] }, isAll);

test('the backend and the strategy are shown only if there are several', () => {
  const heading = (facts: Partial<Check>) => say([check('seo>=1', 80), check('seo>=1', 90, facts)], true);
  assert.match(heading({}), /asserted +measured +page\n/);
  assert.match(heading({ source: 'psi' }), /measured +side +page\n/);
  assert.match(heading({ strategy: 'desktop' }), /measured +strategy +page\n/);
});

test('failed assertions are listed first, then warnings; passed ones are counted, and listed on request', () => {
  const warning = check('warn seo>=1', 0, { passed: false, isWarning: true });
  const checks = [check('seo>=1', 80), warning, check('performance>=1', null)];
  const text = say(checks);
  assert.match(
    text,
    /✗ no value {2}performance>=1[^✓]*! warns[^✓]*\n1 of 3 assertions failed, 1 passed \(--all lists them\), 1 warning\.\n$/,
  );
  assert.match(
    say(checks, true),
    /✗ no value[^✓]*! warns[^✓]*✓ holds[^✓]*\n1 of 3 assertions failed, 1 passed, 1 warning\.\n$/,
  );
  assert.equal(say([check('seo>=1', 80), check('seo>=1', 80)]), '2 assertions passed (--all lists them).\n');
});

test('the preset of an assertion is omitted first if space is short', () => {
  const assertion = { ...readAssertion('errors-in-console<=0'), preset: 'no-errors' };
  const one = [check('seo>=1', 1, { assertion, url: `http://localhost/${'long/'.repeat(9)}` })];
  const text = toAssertionText(createScreen({ columns: 70 }), { checks: one, unused: [] }, true);
  assert.match(text, /errors-in-console<=0/);
  assert.match(toAssertionText(createScreen({ columns: 120 }), { checks: one, unused: [] }, true), /<=0 · no-errors/);
});

test('an assertion about a value that a disturbance invalidates is marked', () => {
  const denied = { passed: false, isDenied: true };
  const text = say([check('performance>=90', 62, { ...denied, isWarning: true }), check('seo>=1', 80)]);
  assert.match(text, /! warns +performance>=90 +62 ! /);
  assert.match(text, /\n! disturbed: this value is not reliable, and fails only with --strict\n/);
  assert.match(text, /1 assertion passed \(--all lists them\), 1 warning\./);
  const strict = say([check('performance>=90', 62, denied)]);
  assert.match(strict, /✗ fails +performance>=90 +62 ! [\s\S]*\n! disturbed: this value is not reliable\n/);
  const corrected = say([check('performance>=90', 87, { passed: false, isCorrected: true })]);
  assert.match(
    corrected,
    /✗ fails +performance>=90 +87 \* [\s\S]*\n\* the value without the disturbance of this load\n/,
  );
  assert.doesNotMatch(say([check('seo>=1', 80, { isDenied: false })], true), /!/);
});
