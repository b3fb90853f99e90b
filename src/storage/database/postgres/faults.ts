import { type FaultCode, StoreFaultError } from '../fault.ts';

/**
 * Faults by SQLSTATE. Exact codes precede their class. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const codes: Readonly<Record<string, FaultCode>> = {
  '53100': 'disk_full',
  '25006': 'read_only',
  '42501': 'read_only',
  '55P03': 'locked',
  '40001': 'locked',
  '40P01': 'locked',
  XX001: 'corrupt',
  XX002: 'corrupt',
  '57014': 'unavailable',
  // The tables or their schema were removed. The next try creates them again.
  '42P01': 'unavailable',
  '3F000': 'unavailable',
  // Data exceptions, such as U+0000 in a text. The input is at fault, not the database.
  '22': 'invalid_input',
  '08': 'unavailable',
  '28': 'unavailable',
  '3D': 'unavailable',
  '53': 'unavailable',
  '57': 'unavailable',
  '58': 'unavailable',
};

const sentences: Readonly<Record<FaultCode, string>> = {
  locked: 'Another client has locked the tables of the database',
  disk_full: 'The disk of the database is full',
  read_only: 'The database does not let this user write',
  corrupt: 'The database is corrupt',
  unavailable: 'The database cannot be reached',
  newer_database: 'The database has a newer version',
  not_acceptable: 'The database refused a statement',
  invalid_input: 'The database cannot store this input',
  closed: 'The store is closed',
};

type PostgresError = { code?: string; severity?: string; message?: string };

/** Returns the SQLSTATE. An error without a severity comes from the connection, rather than from the server. */
const codeOf = ({ code = '', severity }: PostgresError): FaultCode =>
  severity === undefined ? 'unavailable' : (codes[code] ?? codes[code.slice(0, 2)] ?? 'not_acceptable');

/**
 * Converts an error of PostgreSQL. Messages of client and server contain no password. The connection string contains
 * it, and is never included.
 */
export function toPostgresFault(error: unknown, location: string): StoreFaultError {
  if (error instanceof StoreFaultError) return error;
  const known = (error ?? {}) as PostgresError;
  const code = codeOf(known);
  // An AggregateError for several IP addresses has no message of its own.
  const detail = `${location}: ${known.message || known.code}`;
  return new StoreFaultError(code, `${sentences[code]}.`, { cause: error, detail });
}
