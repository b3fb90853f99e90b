import type { FaultCode } from '../database/fault.ts';
import type { StoreFault } from './fault.ts';

const codes: Readonly<Record<string, FaultCode>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
};

/** Of an error that the operating system gave a file's name. */
export const faultCodeOf = (error: unknown): FaultCode | undefined =>
  codes[(error as { code?: string } | undefined)?.code ?? ''];

export const toSystemFault = (error: unknown, what: string): Omit<StoreFault, 'atMs'> => ({
  code: faultCodeOf(error) ?? 'unavailable',
  message: `${what}.`,
  detail: error instanceof Error ? error.message : String(error),
});
