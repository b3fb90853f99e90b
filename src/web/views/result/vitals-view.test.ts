import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSide } from '../../../../test/support/builders/side.ts';
import type { Result } from '../../../contract/result/result.ts';
import { toSideNames } from '../../../presentation/side-names.ts';
import { toHtml } from '../../report/template-html.ts';
import { vitalsView } from './vitals-view.ts';

test('a lab value has a mark in place of a rating if it is unknown without the disturbance', () => {
  const { result } = buildSide({ source: 'lighthouse' });
  const show = (fields: Partial<Result>) => toHtml(vitalsView([{ ...result, ...fields }], toSideNames(undefined)));
  const rowOf = (html: string, name: string) =>
    html.match(new RegExp(`<li class="vital"><span>${name}</span>.*?</li>`, 's'))?.[0];
  const disturbed = (blockingMs: number | null) =>
    show({
      disturbed: true,
      disturbance: {
        kinds: ['processor_wait'],
        performance: 87,
        total_blocking_time: blockingMs,
        denied: ['total_blocking_time'],
      },
    });
  assert.match(rowOf(disturbed(null), 'Total Blocking Time') ?? '', /disturbed/);
  assert.match(rowOf(disturbed(120), 'Total Blocking Time') ?? '', /good.*120/s);
  assert.doesNotMatch(rowOf(disturbed(null), 'Largest Contentful Paint') ?? 'disturbed', /disturbed/);
  assert.doesNotMatch(rowOf(show({}), 'Total Blocking Time') ?? 'disturbed', /disturbed/);
});

test('without field data, the reason is that of the analyser', () => {
  const say = (kind: Result['analyser']['kind'], source: Result['source'] = 'psi') =>
    toHtml(
      vitalsView([buildSide({ source, analyser: { kind, host: 'audits.example' } }).result], toSideNames(undefined)),
    );
  assert.match(say('google'), /Google has none for this page\./);
  assert.match(say('custom'), /No field data from the PSI server\./);
  assert.match(say('embedded'), /Set CRUX_API_KEY to show what Google has\./);
  assert.match(say('local', 'lighthouse'), /a local run has none/);
});
