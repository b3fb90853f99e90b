import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildAudit,
  buildCategory,
  buildLhr,
  buildMeasuredLhr,
  buildPlainLhr,
} from '../../../test/support/builders/lhr.ts';
import { isLhr } from './lhr.ts';

const lhrWith = (fields: Record<string, unknown>) => ({ ...buildLhr(), ...fields });
const lhrWithAudit = (fields: Record<string, unknown>) => lhrWith({ audits: { x: { ...buildAudit('x'), ...fields } } });
const lhrWithCategory = (fields: Record<string, unknown>) =>
  lhrWith({ categories: { seo: { ...buildCategory('seo'), ...fields } } });

test('a Lighthouse result is recognized, full or with many fields omitted', () => {
  assert.ok(isLhr(buildPlainLhr()));
  assert.ok(isLhr(buildMeasuredLhr()));
  assert.ok(isLhr({ lighthouseVersion: '13.4.1', fetchTime: '2026-08-22T13:20:17.672Z', audits: {}, categories: {} }));
});

test('anything other than an object is not a result', () => {
  for (const value of [undefined, null, 0, 1, '', 'lhr', true, [], [buildLhr()], () => {}])
    assert.equal(isLhr(value), false);
});

test('a result without an essential part is invalid', () => {
  for (const key of ['lighthouseVersion', 'fetchTime', 'audits', 'categories']) {
    assert.equal(isLhr(lhrWith({ [key]: undefined })), false, key);
    assert.equal(isLhr(lhrWith({ [key]: null })), false, key);
    assert.equal(isLhr(lhrWith({ [key]: 7 })), false, key);
    assert.equal(isLhr(lhrWith({ [key]: [] })), false, key);
  }
  assert.equal(isLhr(lhrWith({ fetchTime: 'yesterday' })), false);
});

test('an audit without id, title or display mode, or with a part of the wrong type, makes the result invalid', () => {
  assert.equal(isLhr(lhrWith({ audits: { x: null } })), false);
  assert.equal(isLhr(lhrWith({ audits: { x: 'audit' } })), false);
  const wrong: Record<string, unknown[]> = {
    id: [undefined, null, 7],
    title: [undefined, null, {}],
    scoreDisplayMode: [undefined, 1],
    score: ['1', {}, -0.5, 1.5, 95],
    description: [1, []],
    displayValue: [1, ['%d', 3]],
    numericValue: ['1', {}],
    metricSavings: ['LCP', [1], { LCP: '100' }],
    errorMessage: [{ message: 'x' }],
  };
  for (const [key, values] of Object.entries(wrong))
    for (const value of values)
      assert.equal(isLhr(lhrWithAudit({ [key]: value })), false, `${key}: ${JSON.stringify(value)}`);
});

test('null stands for a number that JSON cannot represent, and for no score', () => {
  assert.ok(isLhr(lhrWithAudit({ score: null })));
  assert.ok(isLhr(lhrWithAudit({ score: 0 })));
  assert.ok(isLhr(lhrWithAudit({ numericValue: null, metricSavings: { LCP: null, CLS: 0 } })));
  assert.ok(isLhr(lhrWithCategory({ score: null })));
});

test('a category with an invalid score or invalid references makes the result invalid', () => {
  assert.equal(isLhr(lhrWith({ categories: { seo: [] } })), false);
  const wrong: Record<string, unknown[]> = {
    score: ['1', 80],
    auditRefs: [undefined, null, {}, [null], [{}], [{ id: 'x' }], [{ weight: 1 }], [{ id: 'x', weight: '1' }]],
  };
  for (const [key, values] of Object.entries(wrong))
    for (const value of values)
      assert.equal(isLhr(lhrWithCategory({ [key]: value })), false, `${key}: ${JSON.stringify(value)}`);
});

test('warnings, runtime error, URLs and environment must have their types if present', () => {
  const wrong: Record<string, unknown[]> = {
    runWarnings: ['careful', [null], [{}], {}],
    runtimeError: ['NO_FCP', [], {}, { code: 1 }, { code: 'NO_FCP', message: 1 }],
    finalUrl: [1],
    finalDisplayedUrl: [{}],
    userAgent: [1],
    environment: ['x', { hostUserAgent: 1 }, { benchmarkIndex: '900' }],
    configSettings: [
      'x',
      { throttlingMethod: 1 },
      { throttling: 'none' },
      { throttling: { cpuSlowdownMultiplier: '4' } },
    ],
  };
  for (const [key, values] of Object.entries(wrong))
    for (const value of values)
      assert.equal(isLhr(lhrWith({ [key]: value })), false, `${key}: ${JSON.stringify(value)}`);
  assert.ok(isLhr(lhrWith({ runtimeError: { code: 'NO_ERROR' }, environment: {}, configSettings: {} })));
});
