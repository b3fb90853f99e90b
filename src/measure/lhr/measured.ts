/** Data extracted from a whole Lighthouse result, and the two functions that read it. */
import type { ErrorCode, PlainError } from '../../contract/errors.ts';
import type { Result } from '../../contract/result/result.ts';
import type { Reading } from './facts/side-facts.ts';
import type { ResultFacts } from './to-result.ts';

/** JSON as UTF-8. A Buffer becomes plain bytes when it is passed between threads. */
export type Bytes = Uint8Array;

/** A measured page: the result, and its whole Lighthouse result (LHR). */
export type Measured = {
  result: Result;
  /** The LHR as JSON. */
  lighthouseResult: Bytes;
  /** Exact URL of the measured document, which CrUX needs. */
  documentUrl: string;
  /** Facts for a comparison. */
  reading: Reading;
};

/** A failure, which the caller throws as an AnalysisError. `isNonsense`: the bytes contained no Lighthouse result. */
export type Failed = { failure: PlainError; isNonsense: boolean };

export type ReadFacts = Omit<ResultFacts, 'field'> & {
  /** Error code for a failure that is not the page's fault. */
  otherwise: ErrorCode;
};

/** Reads up to 10 MB of JSON in a separate thread (`analysis/threads/`). */
export type LhrReader = {
  /** Reads an LHR that Lighthouse wrote on this machine. The caller retains the bytes. */
  readLhr(order: { bytes: Bytes; facts: ReadFacts }): Promise<Omit<Measured, 'lighthouseResult'> | Failed>;
  /** Reads the answer of a PSI v5 server. The bytes are empty afterwards. */
  readWireAnswer(order: { bytes: Bytes; facts: ReadFacts }): Promise<Measured | Failed>;
};
