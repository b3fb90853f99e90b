/** Conditions of a load in words, for page, report and terminal. */
import type { Result } from '../contract/result/result.ts';
import { counted } from './numbers.ts';

type ShownAccess = NonNullable<NonNullable<Result['conditions']>['access']>;

/** A stored access shows only its name: what it expects is not known here. */
const sayAccess = ({ name, kinds, expect }: ShownAccess): string =>
  [...(name === undefined ? [] : [name]), ...(kinds ?? []), ...(!kinds || expect ? [] : ['nothing expected'])].join(
    ', ',
  );

/** Says under which conditions a result was measured, one clause for each; none for a page as any visitor gets it. */
export function sayConditions({ conditions }: Pick<Result, 'conditions'>): string[] {
  if (!conditions) return [];
  const { access, block = [], hosts = {}, certificates } = conditions;
  return [
    ...(access ? [`with access: ${sayAccess(access)}`] : []),
    ...block.map(({ pattern, requests }) => `${pattern} blocked (${counted(requests, 'request')})`),
    ...Object.entries(hosts).map(([name, address]) => `${name} at ${address}`),
    ...(certificates?.ca ? ['own CA trusted'] : []),
    ...(certificates?.ignore_errors ? ['certificate errors ignored'] : []),
  ];
}
