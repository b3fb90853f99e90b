/** A v5 answer of this service says which machine measured; Google's clients read no headers. */
export const machineHeader = 'x-rangelight-machine';

/** @returns undefined where another server answered, or something else stands there */
export const readMachineHeader = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && /^[0-9a-f]{16}$/.test(value) ? value : undefined;
