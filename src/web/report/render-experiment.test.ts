import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildExperiment } from '../../../test/support/builders/experiment.ts';
import { renderExperiment, toExperimentReport } from './render-experiment.ts';

test('the report has each verdict, each pair and the answer, and no controls that need the service', () => {
  const { html, policy } = toExperimentReport(buildExperiment());
  const text = html.toString();
  assert.match(text, /Experiment on<\/span> <span class="url">https:\/\/harbour\.example\//);
  assert.match(text, /Better<\/p><p>Largest Contentful Paint is/);
  assert.equal(text.match(/<circle class="pair"/g)?.length, 18);
  assert.doesNotMatch(text, /<button|<a class="button"/);
  assert.ok(text.includes(policy));
  const [, json = ''] = /id="experiment">([^<]*)<\/script>/.exec(text) ?? [];
  assert.equal(JSON.parse(json).variants.length, 2);
});

test('text of a page or a client is text', () => {
  const [variant = assert.fail()] = buildExperiment().variants;
  const text = renderExperiment(buildExperiment({ variants: [{ ...variant, name: '<img src=x onerror=alert(1)>' }] }));
  assert.doesNotMatch(text, /<img/);
});
