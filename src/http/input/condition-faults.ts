/** Finds faults of conditions that their schema cannot describe. */

import type { Conditions } from '../../contract/conditions/conditions.ts';
import { matchesPattern } from '../../contract/experiments/url-patterns.ts';
import { isStorableText } from '../../contract/fields.ts';
import { findAccessFaults } from './access-faults.ts';

type Fault = { field: (string | number)[]; fault: string };

const withoutFragment = (url: string): string => url.replace(/#.*$/s, '');

/** Explains why a pattern is refused for a page. */
export function patternFault(pattern: string, page: string): string | undefined {
  if (!isStorableText(pattern)) return 'it must not contain U+0000 or half of a surrogate pair';
  if (/^[*?/:.\s]*$/.test(pattern)) return 'this pattern matches every URL: name a host or a path';
  return matchesPattern(withoutFragment(page), pattern) ? `this pattern matches the page itself` : undefined;
}

const blockFaults = (block: readonly string[], pages: readonly string[]): Fault[] =>
  block.flatMap((pattern, at) => {
    const fault = pages.map(page => patternFault(pattern, page)).find(found => found !== undefined);
    return fault === undefined ? [] : [{ field: ['block', at], fault }];
  });

/** @param pages URLs of the pages that are measured under these conditions */
export const conditionFaults = ({ access, block }: Partial<Conditions>, pages: readonly string[]): Fault[] => [
  ...(access ? findAccessFaults(access, pages).map(({ path, fault }) => ({ field: ['access', ...path], fault })) : []),
  ...blockFaults(block ?? [], pages),
];
