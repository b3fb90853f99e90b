/** Orders of the suite over all databases. */
import type { ScheduledRequest } from '../../src/jobs/job.ts';
import type { NewOrder } from '../../src/jobs/jobs.ts';
import type { Instance, openInstance } from './instance.ts';

export const noonMs = Date.parse('2026-11-22T12:00:00Z');

export const request: ScheduledRequest = {
  kind: 'psi',
  strategy: 'mobile',
  categories: ['performance'],
  label: null,
  fresh: false,
};

export const orderOf = (...urls: readonly string[]): NewOrder => ({
  client: 'a',
  request,
  callback: null,
  pages: urls.map(url => ({ url, error: null })),
});

type InstanceParts = Parameters<typeof openInstance>[2];

export type WithInstances = (
  what: string,
  count: number,
  body: (instances: Instance[], clock: { nowMs: number }) => Promise<void>,
  parts?: InstanceParts | ((index: number) => InstanceParts),
) => void;
