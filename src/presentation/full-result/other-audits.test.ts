import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { categoryNames } from '../../contract/names.ts';
import { toFailedAudits } from '../../measure/lhr/failed-audits.ts';
import { isLhr } from '../../measure/lhr/lhr.ts';
import { ofKind, toOtherAudits } from './other-audits.ts';
import type { Whole } from './read.ts';

const ref = (id: string, group?: string) => ({ id, weight: 1, group });
const whole = (audits: Record<string, unknown>, refs = Object.keys(audits).map(id => ref(id))) =>
  ({ audits, categories: { performance: { auditRefs: refs } } }) as Whole;
const kindsOf = (value: Whole) =>
  toOtherAudits(value, ['performance']).flatMap(({ audits }) => audits.map(({ id, kind }) => [id, kind]));

test("an audit has Lighthouse's text, and failed audits are not among the others", () => {
  const audit = (scoreDisplayMode: string, score: number | null) => ({ title: 'x', scoreDisplayMode, score });
  assert.deepEqual(
    kindsOf(
      whole({
        'binary-1': audit('binary', 1),
        'binary-0': audit('binary', 0),
        'numeric-0.9': audit('numeric', 0.9),
        'numeric-0.89': audit('numeric', 0.89),
        'savings-1': audit('metricSavings', 1),
        'savings-0.5': audit('metricSavings', 0.5),
        'no-score': audit('metricSavings', null),
        informative: audit('informative', 1),
        absent: audit('notApplicable', null),
        manual: audit('manual', null),
        error: audit('error', null),
        other: audit('something-new', 1),
      }),
    ),
    [
      ['binary-1', 'passed'],
      ['numeric-0.9', 'passed'],
      ['savings-1', 'passed'],
      ['no-score', 'informative'],
      ['informative', 'informative'],
      ['absent', 'not_applicable'],
      ['manual', 'manual'],
    ],
  );
});

test('metrics and hidden audits are shown elsewhere, and audits of two categories once', () => {
  const audits = { a: { scoreDisplayMode: 'binary', score: 1 }, b: { scoreDisplayMode: 'binary', score: 1 } };
  assert.deepEqual(kindsOf(whole(audits, [ref('a', 'metrics'), ref('b', 'hidden'), ref('missing')])), []);
  const both = {
    audits,
    categories: { accessibility: { auditRefs: [ref('a')] }, seo: { auditRefs: [ref('a'), ref('b')] } },
  };
  assert.deepEqual(
    toOtherAudits(both as Whole, ['accessibility', 'seo']).map(({ category, audits: found }) => [
      category,
      found.map(({ id }) => id),
    ]),
    [
      ['accessibility', ['a']],
      ['seo', ['b']],
    ],
  );
  assert.deepEqual(
    toOtherAudits(both as Whole, ['seo']).map(({ audits: found }) => found.length),
    [2],
  );
});

test('a result with missing parts is read without an error', () => {
  const odd: readonly unknown[] = [
    {},
    { audits: null, categories: null },
    {
      audits: { a: null, b: 3 },
      categories: { performance: { auditRefs: [ref('a'), ref('b'), ref('toString'), null, 3] } },
    },
    {
      audits: { a: { scoreDisplayMode: 'binary', score: 1, title: 5 } },
      categories: { performance: { auditRefs: 'x' } },
    },
  ];
  for (const value of odd) assert.deepEqual(kindsOf(value as Whole), []);
});

const recorded = new URL('../../../../shared/data/psi-responses/mobile-field-full.json', import.meta.url);

test('together with the failed ones they are all audits of a recorded result', t => {
  if (!existsSync(recorded)) return t.skip('skipped: there are no recorded responses next to this project');
  const lhr = JSON.parse(readFileSync(recorded, 'utf8')).lighthouseResult as unknown;
  assert.ok(isLhr(lhr));
  const others = toOtherAudits(lhr as Whole, categoryNames);
  const failed = toFailedAudits(lhr, categoryNames).map(({ id }) => id);
  const shown = others.flatMap(({ audits }) => audits.map(({ id }) => id));
  const all = categoryNames.flatMap(name => lhr.categories[name]?.auditRefs ?? []);
  const expected = all.filter(({ id, group }) => group !== 'hidden' && group !== 'metrics' && lhr.audits[id]);
  assert.deepEqual(new Set([...shown, ...failed]), new Set([...expected.map(({ id }) => id), ...failed]));
  assert.equal(
    shown.some(id => failed.includes(id)),
    false,
  );
  for (const kind of ['passed', 'informative', 'not_applicable', 'manual'] as const)
    assert.ok(
      others.some(entry => ofKind(entry, kind).length > 0),
      kind,
    );
});
