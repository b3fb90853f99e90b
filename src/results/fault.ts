/** What can go wrong with a store, in words that no engine has of its own. */

export const faultCodes = [
  'locked',
  'disk_full',
  'read_only',
  'corrupt',
  'unavailable',
  'newer_database',
  'not_acceptable',
  'closed',
] as const;
export type FaultCode = (typeof faultCodes)[number];

export type StoreFault = {
  code: FaultCode;
  /** One sentence for a person. Holds no password. */
  message: string;
  /** Milliseconds since the epoch. */
  atMs: number;
};

export type StoreEvent =
  | { event: 'fault'; fault: StoreFault }
  | { event: 'recovered' }
  /** A corrupt file now has another name, and a new one was begun. */
  | { event: 'moved_aside'; path: string }
  /** Somebody removed or replaced the file while it was open: what is at its path now is used. */
  | { event: 'file_gone'; path: string }
  /** An entry that waited is given up. */
  | { event: 'dropped'; id: string; reason: string };

/** The database cannot be used, for a reason that is no fault of the program. */
export class StoreFaultError extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreFaultError';
    this.code = code;
  }
}

/** The text of a cursor is none that a list gave. */
export class InvalidCursorError extends Error {
  constructor() {
    super('The cursor is not one that a list of results gave.');
    this.name = 'InvalidCursorError';
  }
}

/** They stay as they are however long one waits: trying again with the same entry is in vain. */
export const isLasting = (code: FaultCode): boolean => code === 'not_acceptable' || code === 'closed';

export const toFaultError = (error: unknown): StoreFaultError =>
  error instanceof StoreFaultError ? error : new StoreFaultError('not_acceptable', messageOf(error), error);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
