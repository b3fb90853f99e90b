/** Finds faults of conditions that their schema cannot describe. */
import { type Judging, type MeasuredBy, refusalOf } from '../../analysis/assert-target.ts';
import type { Conditions } from '../../contract/conditions/conditions.ts';
import { matchesPattern } from '../../contract/experiments/url-patterns.ts';
import { isStorableText } from '../../contract/fields.ts';
import { conditionNames, pickConditions } from '../../contract/measuring-options.ts';
import { toFingerprints } from '../../measure/shown-conditions.ts';
import { toMapped, toMappedName } from '../../measure/targets/mapped-hosts.ts';
import { findAccessFaults } from './access-faults.ts';
import { ValidationFailure, valueError } from './validation-error.ts';

export type FieldFault = { field: (string | number)[]; fault: string };

const withoutFragment = (url: string): string => url.replace(/#.*$/s, '');

/** Explains why a pattern is refused for a page. */
export function patternFault(pattern: string, page: string): string | undefined {
  if (!isStorableText(pattern)) return 'it must not contain U+0000 or half of a surrogate pair';
  if (/^[*?/:.\s]*$/.test(pattern)) return 'this pattern matches every URL: name a host or a path';
  return matchesPattern(withoutFragment(page), pattern) ? `this pattern matches the page itself` : undefined;
}

/** Explains why a name is not measured at an address. An address that is a name itself is judged when it resolves. */
function hostFault(judging: Judging, name: string, address: string): string | undefined {
  if (toMappedName(name) === undefined) return 'this is not a host name';
  const mapped = toMapped(address);
  if (!mapped) return 'the address must be an IP address or a host name, with or without a port';
  const host = mapped.host.includes(':') ? `[${mapped.host}]` : mapped.host;
  return refusalOf(judging, 'lighthouse', `http://${host}:${mapped.port ?? 80}/`)?.message;
}

function caFault(ca: string | null | undefined): string | undefined {
  try {
    if (typeof ca === 'string') toFingerprints(ca);
    return undefined;
  } catch {
    return 'it must be one or more certificates in PEM form, without a key';
  }
}

const elsewhere = 'PageSpeed Insights loads the page itself, without this condition: measure with `lighthouse`';

const kindFault = ({ analyser }: Judging, kind: MeasuredBy): string | undefined =>
  kind === 'psi' || (kind === 'compare' && analyser.kind !== 'embedded') ? elsewhere : undefined;

/** Finds conditions in a request of PageSpeed Insights, whose other unknown fields are ignored. */
export const findForeignConditions = (isGiven: (name: string) => boolean) =>
  conditionNames.filter(isGiven).map(field => ({ field, fault: elsewhere }));

/**
 * Refuses conditions in a query, where secrets would be in every log, and the others would have no effect.
 * @throws ValidationFailure
 */
export function assertNoConditions(query: URLSearchParams): void {
  const faults = conditionNames
    .filter(name => query.has(name))
    .map(name => valueError('this belongs in the body of a POST, never in a URL')(['query', name]));
  if (faults.length > 0) throw new ValidationFailure(faults);
}

const toFaults = (fault: string | undefined, ...field: FieldFault['field']): FieldFault[] =>
  fault === undefined ? [] : [{ field, fault }];

/**
 * @param kind the analysis of the pages
 * @param pages URLs of the pages that are measured under these conditions
 */
export function conditionFaults(
  judging: Judging,
  kind: MeasuredBy,
  given: Partial<Conditions>,
  pages: readonly string[],
): FieldFault[] {
  const names = Object.keys(given.hosts ?? {});
  return [
    ...Object.keys(pickConditions(given)).flatMap(name => toFaults(kindFault(judging, kind), name)),
    ...(given.access !== undefined && given.access !== null
      ? findAccessFaults(given.access, pages).map(({ path, fault }) => ({ field: ['access', ...path], fault }))
      : []),
    ...(given.block ?? []).flatMap((pattern, at) =>
      toFaults(
        pages.map(page => patternFault(pattern, page)).find(fault => fault !== undefined),
        ...['block', at],
      ),
    ),
    ...toFaults(caFault(given.certificates?.ca), 'certificates', 'ca'),
    ...Object.entries(given.hosts ?? {}).flatMap(([name, address], at) => {
      const isTwice = names.findIndex(other => toMappedName(other) === toMappedName(name)) < at;
      const fault =
        hostFault(judging, name, address) ?? (isTwice ? 'this name has another address already' : undefined);
      return toFaults(fault, 'hosts', name);
    }),
  ];
}
