/** What an answer says that is none: a 422 in FastAPI's shape, any other failure as RFC 9457 has it. */
import Type, { type Static } from 'typebox';
import { type AnalysisError, errorTable } from './errors.ts';

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

export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Enum(Object.keys(errorTable), { type: 'string' }),
    retryable: Type.Boolean(),
    source: Type.Optional(Type.Enum(['psi', 'lighthouse'], { type: 'string' })),
    page_status: Type.Optional(Type.Integer()),
    lighthouse_code: Type.Optional(Type.String()),
    id: Type.Optional(Type.String({ description: 'Of a failure of the page that is kept' })),
    links: Type.Optional(Type.Object({ self: Type.String() })),
  },
  { $id: 'Problem', description: 'What went wrong, as RFC 9457 has it' },
);
export type Problem = Static<typeof Problem>;

/** The only place that turns an error into a status. */
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
    ...(error.id === undefined ? {} : { id: error.id, links: { self: `/results/${error.id}` } }),
  };
}
