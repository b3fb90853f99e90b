/** Where a result is kept, for who wants to see it again: an address of a running service, or a command. */

import { toAddress } from '../api-client/page-request.ts';
import { idsOf, withIds } from '../api-client/stored/kept-result.ts';
import { categoryNames } from '../contract/names.ts';
import type { Wanted } from './input/wanted.ts';
import type { Measured } from './jobs.ts';
import { toPlainLine } from './text/terminal/plain-text.ts';

/**
 * Undefined for what is not kept. Of a service that ends with the command there is no address, and the store stays.
 */
export function toKeptAt(
  { server, backend, categories = categoryNames }: Pick<Wanted, 'server' | 'backend' | 'categories'>,
  { job, body }: Pick<Measured, 'job' | 'body'>,
): string | undefined {
  const [id] = idsOf([body]);
  if (id === undefined) return undefined;
  if (server === undefined) return `rangelight show ${toPlainLine(id)}`;
  const request = { urls: [job.url], backend, strategy: job.strategy, categories };
  return new URL(withIds(toAddress(request), [id]), server).href;
}
