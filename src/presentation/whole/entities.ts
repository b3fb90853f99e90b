/** Who a URL belongs to. */
import { listOf } from '../../contract/result/details.ts';
import { textOf, type Whole } from './read.ts';

export type Entity = { readonly name: string; readonly isThirdParty: boolean };

/** Of the URLs of one result; undefined where Lighthouse does not say. */
export function toEntityOf({ entities }: Whole): (url: string) => Entity | undefined {
  const known = listOf(entities).flatMap(({ name, isFirstParty, origins }) =>
    (Array.isArray(origins) ? origins : []).map((origin): [string, Entity] => [
      textOf(origin),
      { name: textOf(name), isThirdParty: isFirstParty !== true },
    ]),
  );
  const byOrigin = new Map(known);
  return url => (byOrigin.size > 0 ? byOrigin.get(URL.parse(url)?.origin ?? '') : undefined);
}
