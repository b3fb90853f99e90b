/** What can go wrong with a database, in words that no engine has of its own. */

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

/** The database cannot be used, for a reason that is no fault of the program. */
export class StoreFaultError extends Error {
  readonly code: FaultCode;
  /** For the log: which file or database, and its own words. Contains no password. */
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

/** These faults stay however long a caller waits: a retry with the same entry is in vain. */
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

/** For the operator, on a terminal: the sentence, and where. */
export const describeFault = ({ message, detail }: Pick<StoreFaultError, 'message' | 'detail'>): string =>
  detail === undefined ? message : `${message} ${detail}`;
