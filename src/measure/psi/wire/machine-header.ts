/** Header of v5 answers that names the machine that measured. Google's clients ignore it. */
export const machineHeader = 'x-rangelight-machine';

export type Machine = { id: string; processors: number };

/** Writes the header's value, such as `3f6c0e9a1b7d2548; processors=2`. */
export const writeMachineHeader = ({ id, processors }: Machine): string =>
  `${id}; processors=${Number(processors.toFixed(3))}`;

/** @returns undefined if another server answered, or the value is invalid */
export function readMachineHeader(value: string | string[] | undefined): Machine | undefined {
  const [, id, processors] = /^([0-9a-f]{16}); processors=(\d{1,5}(?:\.\d{1,3})?)$/.exec(String(value)) ?? [];
  return id !== undefined && Number(processors) > 0 ? { id, processors: Number(processors) } : undefined;
}
