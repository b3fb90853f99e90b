/** Conditions as results show them, and the name that tells pages under different conditions apart. */
import { createHash, X509Certificate } from 'node:crypto';
import type { Access } from '../contract/access/access.ts';
import type { Conditions, ShownConditions } from '../contract/conditions/conditions.ts';

const isEmpty = (value: object | null | undefined): boolean => !value || Object.keys(value).length === 0;

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Returns the fingerprints of all certificates in a text.
 * @throws Error if it is not a certificate in PEM form, or contains anything else
 */
export function toFingerprints(text: string): string[] {
  const found = text.match(pem) ?? [];
  if (found.length === 0 || text.replaceAll(pem, '').includes('-----'))
    throw new Error('not a certificate in PEM form');
  return found.map(each => new X509Certificate(each).fingerprint256).sort();
}

function toCertificates(given: Partial<Conditions>['certificates']): Pick<ShownConditions, 'certificates'> {
  const shown = {
    ...(given?.ca ? { ca: toFingerprints(given.ca) } : {}),
    ...(given?.ignore_errors ? { ignore_errors: true } : {}),
  };
  return isEmpty(shown) ? {} : { certificates: shown };
}

/** Returns the fields of an access and what it expects: neither says anything about a secret. */
function toShownAccess(given: Access | string): NonNullable<ShownConditions['access']> {
  if (typeof given === 'string') return { name: given };
  const { name, expect, secrets: _, ...access } = given;
  return {
    ...(name === undefined ? {} : { name }),
    kinds: Object.keys(access).sort(),
    ...(expect ? { expect } : {}),
  };
}

/** Returns the conditions without secrets, in an order that does not depend on the request; undefined without any. */
export function toShownConditions(given: Partial<Conditions>): ShownConditions | undefined {
  const { access, block, hosts, certificates } = given;
  const shown = {
    ...(access ? { access: toShownAccess(access) } : {}),
    ...(isEmpty(block) ? {} : { block: [...new Set(block)].sort() }),
    ...toCertificates(certificates),
    ...(isEmpty(hosts) ? {} : { hosts: Object.fromEntries(Object.entries(hosts ?? {}).sort()) }),
  };
  const names = Object.keys(shown);
  if (names.length === 0) return undefined;
  // A name tells accesses apart alone: their fields may change, and the page of that user remains the same.
  const { name } = shown.access ?? {};
  const told = name === undefined ? shown : { ...shown, access: { name } };
  const digest = createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 10);
  return { id: `${names.join('+')}-${digest}`, ...shown };
}

/** Returns the name of the conditions; null for a page as any client gets it. */
export const toConditionsId = (given: Partial<Conditions>): string | null => toShownConditions(given)?.id ?? null;
