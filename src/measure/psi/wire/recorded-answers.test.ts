import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { Check } from 'typebox/value';
import { categoryNames, metricNames, type Strategy } from '../../../contract/names.ts';
import { Result } from '../../../contract/result/result.ts';
import { assertMeasured } from '../../lhr/page-failure.ts';
import { toResult } from '../../lhr/to-result.ts';
import { fromPsiFailure } from '../failure.ts';
import { toFieldVitals } from './field-data.ts';
import { isPsiResult, toPsiResult } from './wire-result.ts';

/** Recorded answers of the remote API. They are not part of the project, so they may be absent. */
const folder = new URL('../../../../../shared/data/psi-responses/', import.meta.url);

function readRecorded(t: TestContext, name: string): unknown {
  const file = new URL(name, folder);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  t.skip(`no recorded answer ${name}`);
  return undefined;
}

const recorded: { name: string; strategy: Strategy; url: string }[] = [
  { name: 'mobile-field-full.json', strategy: 'mobile', url: 'https://www.wikipedia.org/' },
  { name: 'desktop-basic.json', strategy: 'desktop', url: 'https://example.com/' },
];

const resultOf = (body: unknown, { strategy, url }: { strategy: Strategy; url: string }) => {
  assert.ok(isPsiResult(body));
  assertMeasured(body.lighthouseResult, 'psi_unavailable');
  return toResult(body.lighthouseResult, {
    source: 'psi',
    analyser: { kind: 'google', host: 'www.googleapis.com' },
    url,
    strategy,
    categories: categoryNames,
    field: toFieldVitals(body.loadingExperience),
    conditions: null,
    requestedAt: '2026-11-20T09:59:30.000Z',
  });
};

for (const answer of recorded) {
  test(`the recorded ${answer.name} becomes a valid result`, t => {
    const body = readRecorded(t, answer.name);
    if (body === undefined) return;
    const result = resultOf(body, answer);
    assert.ok(Check(Result, result));
    assert.ok(Buffer.byteLength(JSON.stringify(result)) < 40_000);
    assert.equal(result.final_url, answer.url);
    assert.equal(result.lighthouse_version, '13.4.1');
    for (const category of categoryNames) assert.ok(Number.isInteger(result.scores[category]), category);
    for (const metric of metricNames) assert.ok(Number.isFinite(result.metrics[metric].value), metric);
    assert.equal(result.metrics.total_blocking_time.value, 0);
    assert.equal(result.core_web_vitals.lab.total_blocking_time.rating, 'good');
    assert.ok(result.failed_audits.length > 0);
    assert.ok(
      result.failed_audits.every(({ id }) => id !== 'max-potential-fid'),
      'it is of the hidden group',
    );
    // PSI does not report its throttling.
    assert.equal(result.environment.cpu_slowdown_multiplier, null);
    assert.equal(result.environment.throttling_method, null);
    assert.equal(result.core_web_vitals.field?.assessment, 'passed');
  });

  test(`the recorded ${answer.name} equals what the service would write`, t => {
    const body = readRecorded(t, answer.name);
    if (body === undefined) return;
    assert.ok(isPsiResult(body));
    const written = JSON.parse(JSON.stringify(toPsiResult(body.lighthouseResult)));
    assert.deepEqual(written.lighthouseResult, body.lighthouseResult);
    assert.deepEqual(Object.keys(written.lighthouseResult), Object.keys(body.lighthouseResult));
    assert.equal(written.id, body.id);
    assert.equal(written.analysisUTCTimestamp, body.analysisUTCTimestamp);
  });
}

test('the recorded field data are read with the real layout shift and every share', t => {
  const [answer = assert.fail()] = recorded;
  const body = readRecorded(t, answer.name);
  if (body === undefined) return;
  assert.deepEqual(resultOf(body, answer).core_web_vitals.field, {
    scope: 'url',
    collected_by: 'psi',
    period: null,
    assessment: 'passed',
    largest_contentful_paint: { p75: 1223, unit: 'millisecond', rating: 'good', distribution: [0.9225, 0.048, 0.0296] },
    interaction_to_next_paint: { p75: 96, unit: 'millisecond', rating: 'good', distribution: [0.9396, 0.0481, 0.0123] },
    cumulative_layout_shift: { p75: 0, unit: 'unitless', rating: 'good', distribution: [0.9951, 0.0041, 0.0008] },
    first_contentful_paint: { p75: 1135, unit: 'millisecond', rating: 'good', distribution: [0.8767, 0.0775, 0.0458] },
    time_to_first_byte: { p75: 527, unit: 'millisecond', rating: 'good', distribution: [0.852, 0.1016, 0.0464] },
  });
});

test('the recorded failed audits have their savings, most useful first', t => {
  const [answer = assert.fail()] = recorded;
  const body = readRecorded(t, answer.name);
  if (body === undefined) return;
  const failed = resultOf(body, answer).failed_audits;
  assert.deepEqual(
    failed.map(({ id, savings }) => [id, savings]),
    [
      ['label', {}],
      ['image-delivery-insight', { largest_contentful_paint: 100 }],
      ['network-dependency-tree-insight', {}],
      // This insight speeds up later visits, not this load.
      ['cache-insight', {}],
    ],
  );
});

test('the recorded failure is a page that painted nothing', t => {
  const body = readRecorded(t, 'mobile-page-failed.400.json');
  if (body === undefined) return;
  assert.equal(isPsiResult(body), false);
  const { error: failure } = fromPsiFailure(400, body, { retryAfterSeconds: undefined, redact: text => text });
  assert.equal(failure.code, 'page_blank');
  assert.equal(failure.lighthouseCode, 'NO_FCP');
});
