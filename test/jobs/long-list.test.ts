import { test } from 'node:test';
import { assertFlat, whyNot } from './long-list.ts';

test('a list of 500 pages takes the memory of a few', { skip: whyNot }, t => assertFlat(t, 500, 180 * 2 ** 20));
