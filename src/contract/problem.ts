/** Error responses: a 422 in FastAPI's shape, any other failure as RFC 9457 defines it. */
import Type, { type Static } from 'typebox';
import { Seen } from './access/seen.ts';
import { type AnalysisError, errorTable } from './errors.ts';
import { component, flag, text } from './fields.ts';

export const ValidationError = Type.Object(
  {
    loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), { title: 'Location' }),
    msg: Type.String({ title: 'Message' }),
    type: Type.String({ title: 'Error Type' }),
  },
  { $id: 'ValidationError', title: 'ValidationError' },
);
export type ValidationError = Static<typeof ValidationError>;

export const HTTPValidationError = Type.Object(
  { detail: Type.Optional(Type.Array(ValidationError, { title: 'Detail' })) },
  { $id: 'HTTPValidationError', title: 'HTTPValidationError' },
);

export const Problem = component('Problem', 'An error in the format of RFC 9457', {
  type: text('The code as a URN'),
  title: text('Meaning of the code, in a few words'),
  status: Type.Integer({ description: 'HTTP status' }),
  detail: text('Human-readable sentence; its wording may change'),
  code: Type.Enum(Object.keys(errorTable), {
    type: 'string',
    description: 'Stable, machine-readable name of the failure',
  }),
  retryable: flag('Whether the same request may succeed later'),
  source: Type.Optional(Type.Enum(['psi', 'lighthouse'], { type: 'string', description: 'Backend that failed' })),
  page_status: Type.Optional(Type.Integer({ description: 'HTTP status of the page, if it returned an error' })),
  lighthouse_code: Type.Optional(text('Lighthouse error code, if any')),
  seen: Type.Optional(Seen),
  id: Type.Optional(text('Id of the stored failure')),
  links: Type.Optional(Type.Object({ self: text('The stored failure') })),
});
export type Problem = Static<typeof Problem>;

/** The only function that turns an error into a status. */
export function toProblem(error: AnalysisError): Problem {
  const { status, retryable, title } = errorTable[error.code];
  return {
    type: `urn:rangelight:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    retryable,
    ...(error.source === undefined ? {} : { source: error.source }),
    ...(error.pageStatus === undefined ? {} : { page_status: error.pageStatus }),
    ...(error.lighthouseCode === undefined ? {} : { lighthouse_code: error.lighthouseCode }),
    ...(error.seen === undefined ? {} : { seen: error.seen }),
    ...(error.id === undefined ? {} : { id: error.id, links: { self: `/results/${error.id}` } }),
  };
}
