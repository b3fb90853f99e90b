/** A failure of one instance, told to those on others that waited for the same. */
import { AnalysisError, fromPlainError, type PlainError } from '../../../errors.ts';

/** What has no code is a defect of the one that ran into it: its log has it, with the cause. */
const defect = (): Error => new Error('The instance that produced it ran into a defect; its log says which.');

/**
 * A request that ended because its clients disconnected, or because its instance shuts down, says nothing of what was
 * wanted: another instance takes over.
 */
export const isForOthers = (error: unknown, signal: AbortSignal): boolean =>
  !signal.aborted && !(error instanceof AnalysisError && error.code === 'shutting_down');

export const toOutcome = (error: unknown): Buffer =>
  Buffer.from(JSON.stringify(error instanceof AnalysisError ? error.toPlain() : null));

const isPlainError = (value: unknown): value is PlainError =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value && 'facts' in value;

export function toFailure(content: Uint8Array): Error {
  const value: unknown = JSON.parse(Buffer.from(content).toString('utf8'));
  return isPlainError(value) ? fromPlainError(value) : defect();
}
