import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBuildsArguments } from './builds-arguments.ts';
import { UsageError } from './usage-error.ts';

const read = (...args: string[]) => readBuildsArguments(args, {});

test('two URLs are read in order, with the smallest effects', () => {
  const wanted = read('localhost:3000', 'https://preview.example.com/', '--min-effect', '3 points', '--strict');
  assert.deepEqual(
    [wanted.before, wanted.after, wanted.minEffect, wanted.isStrict, wanted.strategy, wanted.format],
    ['http://localhost:3000/', 'https://preview.example.com/', { min_effect_points: '3' }, true, 'mobile', 'table'],
  );
  assert.equal(read('a.test', 'b.test', '--strategy', 'desktop', '--json').strategy, 'desktop');
});

test('one URL, three URLs, or an option of another command is rejected', () => {
  const faultsOf = (...args: string[]): string => {
    try {
      read(...args);
    } catch (error) {
      if (error instanceof UsageError) return error.faults.join('\n');
    }
    return assert.fail('accepted');
  };
  assert.match(faultsOf('a.test'), /needs two URLs/);
  assert.match(faultsOf('a.test', 'b.test', 'c.test'), /needs two URLs/);
  assert.match(faultsOf('a.test', 'b.test', '--label', 'x'), /compare-builds has no option --label/);
  assert.match(faultsOf('a.test', 'b.test', '--strategy', 'both'), /--strategy/);
});
