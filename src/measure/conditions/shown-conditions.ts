/** Conditions as results show them, and the name that tells pages under different conditions apart. */
import { createHash } from 'node:crypto';
import type { Access, Expect } from '../../contract/access/access.ts';
import type { Conditions } from '../../contract/conditions/conditions.ts';

/** What results show of the conditions, before the load. */
export type ShownConditions = {
  readonly id: string;
  readonly access?: ShownAccess;
  readonly block?: readonly string[];
};

/** The fields of an access, and what it expects: neither says anything about a secret. */
type ShownAccess = { readonly kinds: string[]; readonly expect?: Expect };

const toShownAccess = ({ expect, secrets: _, ...access }: Access): ShownAccess => ({
  kinds: Object.keys(access).sort(),
  ...(expect ? { expect } : {}),
});

/** Returns the conditions without secrets, in an order that does not depend on the request; undefined without any. */
export function toShownConditions({ access, block }: Partial<Conditions>): ShownConditions | undefined {
  const shown = {
    ...(access ? { access: toShownAccess(access) } : {}),
    ...(block && block.length > 0 ? { block: [...new Set(block)].sort() } : {}),
  };
  const names = Object.keys(shown);
  if (names.length === 0) return undefined;
  const digest = createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 10);
  return { id: `${names.join('+')}-${digest}`, ...shown };
}

/** Returns the name of the conditions; null for a page as any client gets it. */
export const toConditionsId = (given: Partial<Conditions>): string | null => toShownConditions(given)?.id ?? null;
