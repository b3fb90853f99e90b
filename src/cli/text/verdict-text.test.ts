import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildExperiment } from '../../../test/support/builders/experiment.ts';
import { createScreen } from './terminal/screen.ts';
import { toExperimentText } from './verdict-text.ts';

test('disturbed loads of the page are named, because every pair contains one of its loads', () => {
  const { control, ...experiment } = buildExperiment();
  const toText = (disturbed: number) =>
    toExperimentText(createScreen(), { ...experiment, control: { ...control, disturbed_loads: disturbed } });
  assert.match(toText(4), /\n4 loads of the page were disturbed: they waited for a CPU, or painted late\.\n/);
  assert.doesNotMatch(toText(0), /of the page were disturbed/);
});
