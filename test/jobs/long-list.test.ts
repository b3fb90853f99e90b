import { test } from 'node:test';
import { assertFlat, whyNot } from './long-list.ts';

test('a list of 500 pages needs as much memory as a few pages', { skip: whyNot }, t =>
  assertFlat(t, 500, 180 * 2 ** 20),
);
