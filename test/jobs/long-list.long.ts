import { test } from 'node:test';
import { assertFlat, whyNot } from './long-list.ts';

test('a list of 10,000 pages needs as much memory as a few pages', { skip: whyNot }, t =>
  assertFlat(t, 10_000, 256 * 2 ** 20),
);
