/** What is read out of a whole Lighthouse result, and the two functions that read it. */
import type { ErrorCode, PlainError } from '../../contract/errors.ts';
import type { Result } from '../../contract/result/result.ts';
import type { Reading } from './facts/side-facts.ts';
import type { ResultFacts } from './to-result.ts';

/** JSON as UTF-8. Between threads a Buffer arrives as plain bytes. */
export type Bytes = Uint8Array;

/** A measured page: the result, and the whole Lighthouse result (LHR) that it was made of. */
export type Measured = {
  result: Result;
  /** The LHR as JSON. */
  lighthouseResult: Bytes;
  /** URL of the measured document, to the letter; CrUX knows pages by it. */
  documentUrl: string;
  /** For a comparison. */
  reading: Reading;
};

/** The caller throws `failure` as an AnalysisError. `isNonsense`: the bytes contained no Lighthouse result at all. */
export type Failed = { failure: PlainError; isNonsense: boolean };

export type ReadFacts = Omit<ResultFacts, 'field'> & {
  /** Code of a failure that says nothing about the page. */
  otherwise: ErrorCode;
};

type Order = { bytes: Bytes; facts: ReadFacts };

/** Reads up to 10 MB of JSON. The service does it in a thread of its own (`analysis/threads/`). */
export type LhrReader = {
  /** Reads an LHR that Lighthouse wrote on this machine. The bytes stay with the caller. */
  readLhr(order: Order): Promise<Omit<Measured, 'lighthouseResult'> | Failed>;
  /** Reads the answer of a PSI v5 server. The bytes are empty afterwards. */
  readWireAnswer(order: Order): Promise<Measured | Failed>;
};
