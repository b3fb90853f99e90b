/** Determines the owner of a finding: the site, or a third party in its rows. */
import { isObject, type Json, listOf, rowsOf } from '../../contract/result/details.ts';
import { textOf, type Whole } from './read.ts';
import { toEntityOf } from './requests.ts';

const urlOf = ({ url, source }: Json): string => {
  if (isObject(source) && typeof source.url === 'string') return source.url;
  return textOf(url);
};

/** Returns `first party`, a third party or their number, or both; undefined without a known owner. */
export function sayOwner(whole: Whole, id: string): string | undefined {
  const entityOf = toEntityOf(whole);
  const rows = rowsOf(whole, id).flatMap(row => [row, ...(isObject(row.subItems) ? listOf(row.subItems.items) : [])]);
  const entities = rows.map(urlOf).flatMap(url => entityOf(url) ?? []);
  const third = [...new Set(entities.filter(({ isThirdParty }) => isThirdParty).map(({ name }) => name))];
  if (entities.length === 0) return undefined;
  if (third.length === 0) return 'first party';
  const words = third.length === 1 ? `${third[0]}` : `${third.length} third parties`;
  return entities.some(({ isThirdParty }) => !isThirdParty) ? `first party, ${words}` : words;
}
