import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeOptions } from '../../contract/measuring-options.ts';
import type { Job } from '../job.ts';
import { chooseJobs } from './dispatcher.ts';

const jobOf = (id: string, total = 2): Job => ({
  id,
  client: id.slice(0, 1),
  total,
  done: 0,
  failed: 0,
  attempt: 0,
  owner: null,
  beat: 0,
  state: 'queued',
  request: { kind: 'psi', strategy: 'mobile', categories: [], label: null, fresh: false },

  createdAtMs: 0,
  startedAtMs: null,
  endedAtMs: null,
  error: null,
  callback: null,
  scheduleId: null,
  policy: null,
});

const many = (client: string, count: number, total = 2) =>
  Array.from({ length: count }, (_, at) => jobOf(`${client}${at}`, total));

const idsOf = (jobs: readonly Job[]) => jobs.map(({ id }) => id);

test('clients take turns, including those with running jobs', () => {
  assert.deepEqual(idsOf(chooseJobs([...many('a', 3), jobOf('b0')], [])), ['a0', 'b0', 'a1', 'a2']);
  assert.deepEqual(idsOf(chooseJobs([jobOf('a1'), jobOf('b0')], [jobOf('a0')])), ['b0', 'a1']);
});

test('jobs of lists are limited, and jobs of single pages have slots of their own', () => {
  const chosen = chooseJobs([...many('a', 100), ...many('s', 100, 1)], []);
  assert.equal(chosen.filter(({ total }) => total > 1).length, 32);
  assert.equal(chosen.filter(({ total }) => total === 1).length, 64);
  assert.equal(chosen[0]?.total, 1);
  assert.deepEqual(idsOf(chooseJobs(many('a', 5), many('b', 32))), []);
});

test('lists that wait for the PSI server leave room for lists of local audits', () => {
  const request = { ...completeOptions('page', {}), kind: 'lighthouse' } as const;
  const local = { ...jobOf('l0'), request };
  assert.deepEqual(idsOf(chooseJobs([...many('a', 1), local], many('b', 32))), ['l0']);
});
