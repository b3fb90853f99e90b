/** Conditions as results show them, and the name that tells pages under different conditions apart. */
import { createHash } from 'node:crypto';
import type { Conditions, ShownConditions } from '../../contract/conditions/conditions.ts';

const isEmpty = (value: object | null | undefined): boolean => !value || Object.keys(value).length === 0;

/** Returns the conditions without secrets, in an order that does not depend on the request; undefined without any. */
export function toShownConditions({ block, hosts }: Partial<Conditions>): ShownConditions | undefined {
  const shown = {
    ...(isEmpty(block) ? {} : { block: [...new Set(block)].sort() }),
    ...(isEmpty(hosts) ? {} : { hosts: Object.fromEntries(Object.entries(hosts ?? {}).sort()) }),
  };
  const names = Object.keys(shown);
  if (names.length === 0) return undefined;
  const digest = createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 10);
  return { id: `${names.join('+')}-${digest}`, ...shown };
}

/** Returns the name of the conditions; null for a page as any client gets it. */
export const toConditionsId = (given: Partial<Conditions>): string | null => toShownConditions(given)?.id ?? null;
