import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildAudit, buildCategory, buildRef } from '../../../../test/support/builders/lhr.ts';
import { buildSide } from '../../../../test/support/builders/side.ts';
import { findAuditCauses } from '../causes/audit-causes.ts';
import { compareAudits } from './compare-audits.ts';

type Scores = readonly (number | null | undefined)[];
const sideOf = (...auditScores: Scores) => buildSide({ auditScores }).lhr;

test('equal audits are not a cause', () => {
  assert.deepEqual(compareAudits(sideOf(0, 1, 1), sideOf(0, 1, 1)), { flipped: [], only_psi: [], only_lighthouse: [] });
  assert.deepEqual(findAuditCauses(sideOf(0, 1, 1), sideOf(0, 1, 1)), []);
});

test('an audit that flipped names the side with the failure', () => {
  const { flipped } = compareAudits(sideOf(0, 1, 1), sideOf(1, 1, 0));
  assert.deepEqual(
    flipped.map(({ id, psi, lighthouse, fault_on }) => [id, psi, lighthouse, fault_on]),
    [
      ['image-alt', 0, 100, 'psi'],
      ['label', 100, 0, 'lighthouse'],
    ],
  );
});

test('the title of a flipped audit is that of its failure', () => {
  const side = sideOf(0, 1, 1);
  const psi = {
    ...side,
    audits: { ...side.audits, 'image-alt': buildAudit('image-alt', { score: 0, title: 'No [alt]' }) },
  };
  for (const { flipped } of [compareAudits(psi, sideOf(1, 1, 1)), compareAudits(sideOf(1, 1, 1), psi)])
    assert.equal(flipped[0]?.title, 'No [alt]');
});

test('the points of an audit are its weight', () => {
  const [cause, ...rest] = findAuditCauses(sideOf(0, 1, 1), sideOf(1, 1, 1));
  assert.deepEqual(rest, []);
  assert.deepEqual([cause?.cause, cause?.category, cause?.points], ['audits', 'accessibility', 41.7]);
  assert.deepEqual(cause?.evidence, [{ fact: 'audit', of: 'image-alt', psi: 0, lighthouse: 100 }]);
});

test('an audit that only one side counted is a cause, with its effect on all other weights', () => {
  const [psi, lighthouse] = [sideOf(0, 1, undefined), sideOf(0, 1, 1)];
  assert.deepEqual(compareAudits(psi, lighthouse).only_lighthouse, ['label']);
  const [cause] = findAuditCauses(psi, lighthouse);
  assert.deepEqual([cause?.cause, cause?.points], ['one_sided_audits', 17.2]);
  assert.deepEqual(cause?.evidence, [{ fact: 'audit', of: 'label', psi: 'not counted', lighthouse: 'counted' }]);
});

test('an audit without a score flips without points', () => {
  const [cause] = findAuditCauses(sideOf(null, 1, 1), sideOf(1, 1, 1));
  assert.deepEqual([cause?.cause, cause?.points], ['audits', null]);
  assert.equal(compareAudits(sideOf(null, 1, 1), sideOf(1, 1, 1)).flipped[0]?.fault_on, null);
});

test('an audit of two categories flips once and is named in both', () => {
  const withSeo = (score: number) => {
    const side = sideOf(score, 1, 1);
    const seo = buildCategory('seo', [buildRef('image-alt', 1), buildRef('label', 1)], 1);
    return { ...side, categories: { ...side.categories, seo } };
  };
  assert.deepEqual(
    compareAudits(withSeo(0), withSeo(1)).flipped.map(({ categories }) => categories),
    [['accessibility', 'seo']],
  );
  assert.deepEqual(
    findAuditCauses(withSeo(0), withSeo(1)).map(({ category, points }) => [category, points]),
    [
      ['accessibility', 41.7],
      ['seo', 50],
    ],
  );
});

test('a category that one side did not run is ignored', () => {
  const { accessibility: _, ...categories } = sideOf(1, 1, 1).categories;
  const without = { ...sideOf(1, 1, 1), categories };
  assert.deepEqual(findAuditCauses(without, sideOf(0, 1, 1)), []);
  assert.deepEqual(compareAudits(sideOf(0, 1, 1), without).flipped, []);
});

test('any number of audits gives a short list', () => {
  const ids = Array.from({ length: 500 }, (_, at) => `audit-${at}`);
  const withAll = (score: number) => ({
    ...sideOf(1, 1, 1),
    audits: Object.fromEntries(ids.map(id => [id, buildAudit(id, { score, title: 'x'.repeat(1000) })])),
    categories: {
      seo: buildCategory(
        'seo',
        ids.map(id => buildRef(id)),
      ),
    },
  });
  const { flipped } = compareAudits(withAll(0), withAll(1));
  assert.equal(flipped.length, 60);
  assert.ok(JSON.stringify(flipped).length < 30_000);
  const [cause] = findAuditCauses(withAll(0), withAll(1));
  assert.deepEqual([cause?.evidence.length, cause?.points], [60, 100]);
});

test('names invented by a remote answer stay short', () => {
  const ids = Array.from({ length: 500 }, (_, at) => `${at}${'x'.repeat(5000)}`);
  const psi = {
    ...sideOf(1, 1, 1),
    audits: Object.fromEntries(ids.map(id => [id, buildAudit(id)])),
    categories: {
      accessibility: buildCategory(
        'accessibility',
        ids.map(id => buildRef(id)),
      ),
    },
  };
  const size = (value: unknown) => JSON.stringify(value).length;
  assert.ok(size(compareAudits(psi, sideOf(1, 1, 1))) < 8000);
  assert.ok(size(findAuditCauses(psi, sideOf(1, 1, 1))) < 16_000);
});

const audit = fc.constantFrom(0, 0.5, 1, undefined);
const audits = fc.tuple(audit, audit, audit);

test('the points of all causes make up the difference of a category', () => {
  fc.assert(
    fc.property(audits, audits, (one, other) => {
      const [psi, lighthouse] = [buildSide({ auditScores: one }), buildSide({ auditScores: other })];
      const [theirs, ours] = [psi, lighthouse].map(({ result }) => result.scores.accessibility ?? null);
      const causes = findAuditCauses(psi.lhr, lighthouse.lhr);
      if (typeof theirs !== 'number' || typeof ours !== 'number') return;
      const sum = causes.reduce((total, { points }) => total + (points ?? 0), 0);
      assert.ok(Math.abs(sum - (ours - theirs)) <= 1.2, `${sum} ${ours} ${theirs}`);
    }),
  );
});

test('swapping the sides swaps their audits', () => {
  const other = { psi: 'lighthouse', lighthouse: 'psi' } as const;
  fc.assert(
    fc.property(audits, audits, (one, two) => {
      const [psi, lighthouse] = [sideOf(...one), sideOf(...two)];
      const [forward, backward] = [compareAudits(psi, lighthouse), compareAudits(lighthouse, psi)];
      assert.deepEqual(backward.only_psi, forward.only_lighthouse);
      assert.deepEqual(
        backward.flipped.map(({ id, fault_on }) => [id, fault_on]),
        forward.flipped.map(({ id, fault_on }) => [id, fault_on && other[fault_on]]),
      );
    }),
  );
});
