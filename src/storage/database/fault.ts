/** The faults of a database, independent of its engine. */

const faultCodes = [
  'locked',
  'disk_full',
  'read_only',
  'corrupt',
  'unavailable',
  'newer_database',
  'not_acceptable',
  'invalid_input',
  'closed',
] as const;
export type FaultCode = (typeof faultCodes)[number];

/** The database cannot be used, for a reason outside this program. */
export class StoreFaultError extends Error {
  readonly code: FaultCode;
  /** The file or database and its error message, for the log. It contains no password. */
  readonly detail: string | undefined;

  constructor(
    code: FaultCode,
    message: string,
    { cause, detail }: { cause?: unknown; detail?: string | undefined } = {},
  ) {
    super(message, { cause });
    this.name = 'StoreFaultError';
    this.code = code;
    this.detail = detail;
  }
}

/** Returns whether a fault is permanent: a retry with the same entry cannot succeed. */
export const isLasting = (code: FaultCode): boolean =>
  code === 'not_acceptable' || code === 'invalid_input' || code === 'closed';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const toFaultError = (error: unknown): StoreFaultError =>
  error instanceof StoreFaultError
    ? error
    : new StoreFaultError('not_acceptable', 'The database refused a statement.', {
        cause: error,
        detail: messageOf(error),
      });

/** Returns the message for an operator at a terminal, including the file or host. */
export const describeFault = ({ message, detail }: Pick<StoreFaultError, 'message' | 'detail'>): string =>
  detail === undefined ? message : `${message} ${detail}`;
