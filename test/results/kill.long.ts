import { test } from 'node:test';
import { killWriters } from './kill-rounds.ts';

test('fifty kills during writes lose no acknowledged entry', t => killWriters(t, 50));
