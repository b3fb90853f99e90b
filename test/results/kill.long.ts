import { test } from 'node:test';
import { killWriters } from './kill-rounds.ts';

test('fifty kills while entries are written lose nothing that was acknowledged', t => killWriters(t, 50));
