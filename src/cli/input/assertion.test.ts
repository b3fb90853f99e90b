import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from '../../presentation/answer.ts';
import { checkAssertion, readAssertion, sayMeasured, sayValue } from './assertion.ts';

const metric = (value: number | null, unit = 'millisecond') => ({ value, unit, display_value: null, score: null });

const toColumn = (source: 'psi' | 'lighthouse', performance: number | null, lcpMs: number | null): Column =>
  ({
    source,
    strategy: 'mobile',
    part: {
      ok: true,
      result: {
        scores: { performance },
        metrics: { largest_contentful_paint: metric(lcpMs), cumulative_layout_shift: metric(0, 'unitless') },
      },
    },
  }) as unknown as Column;

const failed = {
  source: 'lighthouse',
  strategy: 'mobile',
  part: { ok: false, url: 'http://a/', failure: { kind: 'cut' } },
} as const satisfies Column;

const check = (text: string, ...columns: Column[]) =>
  checkAssertion(readAssertion(text), 'http://a/', columns).map(({ source, passed }) => [source, passed]);

test('an assertion about a disturbed load is judged without the disturbance, or fails only with --strict', () => {
  const disturbed = (performance: number | null): Column => {
    const column = toColumn('lighthouse', 62, 4000);
    const disturbance = { kinds: [], denied: ['largest_contentful_paint'], performance, total_blocking_time: null };
    const lighthouse_result = { audits: { 'largest-contentful-paint': { score: 0.2 } } };
    const result = {
      ...(column.part as unknown as { result: object }).result,
      disturbed: true,
      disturbance,
      lighthouse_result,
    };
    return { ...column, part: { ok: true, result } } as unknown as Column;
  };
  const judge = (text: string, column: Column, isStrict = false) => {
    const [found] = checkAssertion(readAssertion(text), 'http://a/', [column], isStrict);
    return found && [found.passed, found.isWarning, sayMeasured(found)];
  };
  assert.deepEqual(judge('performance>=80', disturbed(87)), [true, false, '87 without the disturbance']);
  assert.deepEqual(judge('performance>=90', disturbed(87)), [false, false, '87 without the disturbance']);
  assert.deepEqual(judge('performance>=80', disturbed(null)), [false, true, '62, disturbed']);
  assert.deepEqual(judge('performance>=80', disturbed(null), true), [false, false, '62, disturbed']);
  assert.deepEqual(judge('LCP<=2.5s', disturbed(87)), [false, true, '4.0\u00a0s, disturbed']);
  assert.deepEqual(judge('CLS<=0', disturbed(null)), [true, false, '0']);
  assert.deepEqual(judge('largest-contentful-paint-score>=90', disturbed(87)), [false, true, '20, disturbed']);
});

test('short and long names, in either spelling and case, are the same metric', () => {
  for (const name of ['LCP', 'lcp', 'largest-contentful-paint', 'largest_contentful_paint', 'Largest-Contentful-Paint'])
    assert.deepEqual(readAssertion(`${name}<=2500`).subject, { kind: 'metric', name: 'largest_contentful_paint' });
  const shorts = { FCP: 'first_contentful_paint', TBT: 'total_blocking_time', SI: 'speed_index' };
  for (const [short, name] of Object.entries(shorts)) assert.equal(readAssertion(`${short}<1`).subject.name, name);
  assert.equal(readAssertion('CLS<0.1').subject.name, 'cumulative_layout_shift');
  assert.equal(readAssertion('best_practices>=90').subject.name, 'best-practices');
});

test('times are in milliseconds, or in the given unit', () => {
  for (const [text, limit] of [
    ['LCP<=2500', 2500],
    ['LCP<=2500ms', 2500],
    ['LCP <= 2.5 s', 2500],
    ['LCP<=2.01s', 2010],
    ['LCP<=.5S', 500],
    ['CLS<0.1', 0.1],
    ['performance>=90', 90],
    ['performance>0', 0],
  ] as const)
    assert.equal(readAssertion(text).limit, limit, text);
});

test('an ambiguous abbreviation lists its meanings', () => {
  for (const [text, meant] of [
    ['perf>90', 'performance'],
    ['acc>=90', 'accessibility'],
    ['largest<2s', 'largest-contentful-paint'],
    ['contentful<2s', 'first-contentful-paint or largest-contentful-paint'],
  ] as const)
    assert.throws(() => readAssertion(text), { message: new RegExp(`; did you mean ${meant}\\?$`) });
});

test('an invalid assertion is rejected with a reason', () => {
  for (const [text, reason] of [
    ['performance', /quotes/],
    ['performance>=', /form/],
    ['performance=90', /form/],
    ['performance==90', /form/],
    ['performance>=-1', /form/],
    ['>=90', /form/],
    ['', /form/],
    ['perfromance>=90', /unknown score or metric perfromance; did you mean performance\?/],
    ['toString>=1', /unknown score or metric/],
    ['constructor>=1', /unknown score or metric/],
    ['google.performance>=90', /not google/],
    ['LCP<=2.5m', /must be ms or s, not m/],
    ['CLS<=1ms', /no unit/],
    ['performance>=90%', /no unit/],
    ['performance>=900', /at most 100/],
    ['performance>=0.9', /from 0 to 100/],
  ] as const)
    assert.throws(() => readAssertion(text), reason, text);
});

test('whether a value at the limit passes depends on the operator', () => {
  const passes = (text: string) => check(text, toColumn('lighthouse', 90, 2500))[0]?.[1];
  assert.deepEqual(['performance>=90', 'performance<=90', 'performance>90', 'performance<90'].map(passes), [
    true,
    true,
    false,
    false,
  ]);
  assert.deepEqual(['LCP<=2.5s', 'LCP<2.5s', 'LCP<=2499.9', 'CLS<=0', 'CLS<0'].map(passes), [
    ...[true, false, false, true, false],
  ]);
});

test('a missing value never passes', () => {
  for (const text of ['performance<=100', 'performance>=0', 'LCP>=0', 'LCP<=99999', 'accessibility>=0', 'TBT>=0']) {
    assert.deepEqual(check(text, toColumn('lighthouse', null, null)), [['lighthouse', false]], text);
    assert.deepEqual(check(text, failed), [['lighthouse', false]], text);
  }
});

test('an assertion without a side must pass on both sides, one with a side on that side', () => {
  const sides = [toColumn('psi', 80, 1000), toColumn('lighthouse', 95, 3000)];
  assert.deepEqual(check('performance>=90', ...sides), [
    ['psi', false],
    ['lighthouse', true],
  ]);
  assert.deepEqual(check('lighthouse.performance>=90', ...sides), [['lighthouse', true]]);
  assert.deepEqual(check('PSI.LCP<=2.5s', ...sides), [['psi', true]]);
});

test('a measured value is rounded as on the page, but never to its limit', () => {
  assert.equal(sayValue(readAssertion('LCP<=2.5s'), 4380.5132), '4.4\u00a0s');
  assert.equal(sayValue(readAssertion('LCP<=4.4s'), 4380.5132), '4.38 s');
  assert.equal(sayValue(readAssertion('total-size<=1KiB'), 2000), '2 KiB');
  assert.equal(sayValue(readAssertion('CLS<=0.1'), 0.12345), '0.12');
  assert.equal(sayValue(readAssertion('LCP<=2500'), 2500.0004), '2500.0004 ms');
  assert.equal(sayValue(readAssertion('LCP<=2.5s'), 2500.4), '2.5004 s');
  assert.equal(sayValue(readAssertion('warn /shop/* psi.LCP<=2.5s'), 3000), '3.0\u00a0s');
  assert.equal(sayValue(readAssertion('total-size<=1.5MB'), 1_500_001), '1.500001 MB');
  assert.equal(sayValue(readAssertion('performance>=1'), 0), '0');
  assert.equal(sayValue(readAssertion('CLS<1'), null), 'not measured');
});

test('user timings and the CPU time of the main thread have limits in ms or s, with the name that the page gave', () => {
  const metrics = { 'main-thread': 900, 'mark:Hero shown': 1200, 'measure:a/b': 40, 'mark:__proto__': 1 };
  const column = { ...toColumn('lighthouse', 90, 1000) } as { part: { result: object } } & Column;
  const measured = { ...column, part: { ...column.part, result: { ...column.part.result, custom_metrics: metrics } } };
  const passes = (text: string) => check(text, measured as Column)[0]?.[1];
  for (const text of [
    ...['main-thread<=0.9s', 'Main_Thread<=900ms', 'mark:Hero shown<=1.2s', 'mark:Hero shown <= 1200'],
    ...['warn mark:Hero shown<=1.2s', '/* mark:Hero shown<=1.2s', 'lighthouse.mark:Hero shown<=1.2s'],
    ...['measure:a/b<=40ms', 'measure:a/b >= 40', 'http://a/* measure:a/b<=40', 'mark:__proto__<=1'],
  ])
    assert.equal(passes(text), true, text);
  for (const text of ['mark:Hero shown<1.2s', 'mark:hero shown<=9s', 'mark:toString<=9s', 'measure:Hero shown<=9s'])
    assert.equal(passes(text), false, text);
  assert.equal(passes('main-thread<=1s'), true);
  assert.deepEqual(check('main-thread<=9s', toColumn('lighthouse', 90, 1000)), [['lighthouse', false]]);
  assert.equal(sayValue(readAssertion('mark:Hero shown<=1.2s'), 1204), '1.204 s');
  for (const text of ['mark:<=1s', 'mark: <=1s', 'marks:a<=1s', 'mark:a<=1KB', `mark:${'x'.repeat(101)}<=1s`])
    assert.throws(() => readAssertion(text), Error, text);
});
