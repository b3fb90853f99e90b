import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { usageFaultsOf } from '../../../test/support/asking/usage-faults.ts';
import { strategies } from '../../contract/names.ts';
import type { Column } from '../../presentation/answer.ts';
import { readArguments } from './arguments.ts';
import { checkAssertion } from './assertion.ts';
import { presetNames, presets } from './assertions.ts';
import { toHelp } from './help.ts';

const folder = mkdtempSync(join(tmpdir(), 'rangelight presets '));
after(() => rmSync(folder, { recursive: true }));

const read = (...args: string[]) => {
  const command = readArguments(['a.com', ...args], {});
  assert.ok(command.kind === 'measure');
  return command.wanted.assertions;
};
const textsOf = (...args: string[]) => read(...args).map(({ text }) => text);
const faultsOf = (...args: string[]) => usageFaultsOf(() => readArguments(['a.com', ...args], {}));

test('every line of every preset parses, and --help lists every preset', () => {
  for (const name of presetNames) {
    assert.ok(read('--assert-preset', name, '--strategy', 'both').length === presets[name].length, name);
    assert.ok(toHelp('measure').includes(name), name);
  }
});

test('good-vitals has the thresholds of the measured strategy', () => {
  assert.deepEqual(textsOf('--assert-preset', 'good-vitals'), [...['LCP<=2500', 'TBT<=200', 'CLS<=0.1']]);
  assert.deepEqual(textsOf('--assert-preset', 'good-vitals', '--strategy', 'desktop'), [
    ...['LCP<=1200', 'TBT<=150', 'CLS<=0.1'],
  ]);
  const both = read('--assert-preset', 'good-vitals', '--strategy', 'both');
  const metric = { value: 2000, unit: 'millisecond' };
  const columns = strategies.map(strategy => ({
    source: 'lighthouse',
    strategy,
    part: { ok: true, result: { scores: {}, metrics: { largest_contentful_paint: metric } } },
  })) as unknown as Column[];
  const checks = both.slice(0, 4).flatMap(assertion => checkAssertion(assertion, 'http://a/', columns));
  assert.deepEqual(
    checks.filter(({ measured }) => measured !== null).map(({ strategy, passed }) => [strategy, passed]),
    [
      ['mobile', true],
      ['desktop', false],
    ],
  );
});

test('good-scores covers the measured categories', () => {
  assert.deepEqual(textsOf('--assert-preset', 'good-scores', '--categories', 'seo,performance'), [
    ...['performance>=90', 'seo>=90'],
  ]);
});

test('presets combine with assertions, may warn, may apply to some pages, and may come from a file', () => {
  const file = join(folder, 'assertions.txt');
  writeFileSync(file, '# budgets\nwarn /shop/* preset budget-light\nPRESET no-errors\nperformance>=50\n');
  const assertions = read('--assert', 'LCP<=2s', '--assert-preset', '/news/* good-vitals', '--assert-file', file);
  assert.deepEqual(
    assertions.map(({ text }) => text),
    [
      ...['LCP<=2s', '/news/* LCP<=2500', '/news/* TBT<=200'],
      ...['/news/* CLS<=0.1', 'warn /shop/* total-size<=1MB'],
      ...presets['budget-light'].slice(1).map(({ text }) => `warn /shop/* ${text}`),
      ...presets['no-errors'].map(({ text }) => `${text}`),
      'performance>=50',
    ],
  );
  assert.deepEqual(
    assertions.slice(3, 5).map(({ pages, isWarning }) => [pages, isWarning]),
    [
      ['/news/*', false],
      ['/shop/*', true],
    ],
  );
  assert.equal(
    read('--assert-preset', 'warn good-scores').every(({ isWarning }) => isWarning),
    true,
  );
});

test('an unknown name is rejected with the most similar one, or with all names', () => {
  for (const [given, words] of [
    ['good-vital', /unknown preset good-vital; did you mean good-vitals\?/],
    ['good', /did you mean good-vitals or good-scores\?/],
    ['budget', /did you mean budget-light\?/],
    ['perfect', /choose from good-vitals, good-scores, no-errors, budget-light/],
    ['toString', /unknown preset toString/],
  ] as const)
    assert.match(faultsOf('--assert-preset', given).join(), words);
  assert.match(faultsOf('--assert', 'preset budgets').join(), /--assert 'preset budgets': .*budget-light/);
  assert.match(faultsOf('--assert-preset').join(), /--assert-preset needs a value/);
});

test('a preset about something not measured is rejected', () => {
  assert.deepEqual(faultsOf('--assert-preset', 'budget-light', '--compare'), [
    '--assert-preset budget-light: a comparison does not contain the lists of requests and audits; measure one side',
  ]);
  assert.deepEqual(faultsOf('--assert-preset', 'good-vitals', '--categories', 'seo'), [
    '--assert-preset good-vitals: it needs the category performance, which --categories omits',
  ]);
  assert.equal(faultsOf('--assert-preset', 'no-errors', '--categories', 'seo').length, 2);
  assert.match(
    faultsOf('--assert', 'script-size<=1KB', '--categories', 'seo').join(),
    /needs the category performance/,
  );
});
