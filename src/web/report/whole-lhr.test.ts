import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildAudit, buildCategory, buildLhr, buildPlainLhr, buildRef } from '../../../test/support/builders/lhr.ts';
import type { Lhr } from '../../measure/lhr/lhr.ts';
import { toWholeLhr } from './render-report.ts';

test('a plain Lighthouse result is unchanged', () => {
  const plain = buildPlainLhr();
  const groups = { ...plain.categoryGroups, diagnostics: { title: 'D' }, 'a11y-names-labels': { title: 'N' } };
  const whole = { ...plain, categoryGroups: groups } as unknown as Lhr;
  assert.deepEqual(toWholeLhr(whole, 'mobile'), whole);
});

test('values that PageSpeed Insights omits are filled in as unknown', () => {
  const whole = toWholeLhr(buildLhr(), 'desktop');
  assert.equal(whole.gatherMode, 'navigation');
  assert.deepEqual(whole.configSettings?.screenEmulation, {
    mobile: false,
    disabled: false,
    width: '?',
    height: '?',
    deviceScaleFactor: '?',
  });
  assert.match(JSON.stringify(toWholeLhr(buildLhr(), 'mobile').configSettings), /"mobile":true/);
  assert.deepEqual(whole.environment, { networkUserAgent: 'unknown', benchmarkIndex: 0 });
  assert.deepEqual([whole.userAgent, whole.runWarnings], ['', []]);
  assert.deepEqual(whole.i18n, { rendererFormattedStrings: {} });
});

test('reported settings are preserved', () => {
  const { configSettings, environment } = toWholeLhr(
    buildLhr({ configSettings: { formFactor: 'desktop' }, environment: { benchmarkIndex: 12, hostUserAgent: 'x' } }),
    'desktop',
  );
  assert.equal(configSettings?.formFactor, 'desktop');
  assert.deepEqual(environment, { networkUserAgent: 'unknown', benchmarkIndex: 12, hostUserAgent: 'x' });
});

test('an audit that was not sent is removed from its category, and a group without a description gets its name', () => {
  const whole = toWholeLhr(
    buildLhr({
      audits: [buildAudit('there')],
      categories: [buildCategory('seo', [buildRef('there', 1, 'seo-content'), buildRef('gone')])],
    }),
    'mobile',
  );
  assert.deepEqual(
    whole.categories.seo?.auditRefs.map(({ id }) => id),
    ['there'],
  );
  assert.deepEqual(whole.categoryGroups, { 'seo-content': { title: 'seo-content' } });
});
