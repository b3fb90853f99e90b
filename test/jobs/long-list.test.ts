import { test } from 'node:test';
import { assertFlat, whyNot } from './long-list.ts';

test('a list of 500 pages takes the memory of a few', { skip: whyNot }, t => assertFlat(t, 500, 120 * 2 ** 20));
