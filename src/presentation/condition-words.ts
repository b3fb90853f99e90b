/** Conditions of a load: in words, for page, report and terminal, and as a request states them. */
import type { Conditions } from '../contract/conditions/conditions.ts';
import type { Result } from '../contract/result/result.ts';
import { counted } from './numbers.ts';

type Conditioned = Pick<Result, 'conditions'>;
type ShownAccess = NonNullable<NonNullable<Result['conditions']>['access']>;

/** A stored access shows only its name: what it expects is not known here. */
const sayAccess = ({ name, kinds, expect }: ShownAccess): string =>
  [...(name === undefined ? [] : [name]), ...(kinds ?? []), ...(!kinds || expect ? [] : ['nothing expected'])].join(
    ', ',
  );

/** Says under which conditions a result was measured, one clause for each; none for a page as any visitor gets it. */
export function sayConditions({ conditions }: Conditioned): string[] {
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

/**
 * Returns the conditions of a result as a request states them; a string says which one the result does not contain. A
 * stored access is its name; any other one has secrets.
 */
export function toStatedConditions({ conditions = { id: '' } }: Conditioned): Partial<Conditions> | string {
  const { access, block, hosts, certificates } = conditions;
  if (access?.kinds)
    return 'Its access is not stored. Store it with PUT /access/NAME, measure the page with this name, and watch that result.';
  if (certificates?.ca) return 'Its own CA is not stored. POST /schedules takes the certificate.';
  return {
    ...(access?.name === undefined ? {} : { access: access.name }),
    ...(block ? { block: block.map(({ pattern }) => pattern) } : {}),
    ...(hosts ? { hosts } : {}),
    ...(certificates?.ignore_errors ? { certificates: { ignore_errors: true } } : {}),
  };
}
