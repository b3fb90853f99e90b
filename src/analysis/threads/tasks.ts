/**
 * Tasks on whole Lighthouse results: up to 10 MB of JSON to read, compare or render. They are pure functions of plain
 * data; threads.ts runs them in a separate thread, because each can take longer than a request should block.
 */

import type { Static } from 'typebox';
import type { CompareResult } from '../../contract/analysis/answers.ts';
import type { Comparison } from '../../contract/analysis/comparison.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { findExcess, resultBounds } from '../../contract/json-bounds.ts';
import type { Strategy } from '../../contract/names.ts';
import { isObject, rowsOf } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import { compareKept as compareKeptSides, type KeptOrder } from '../../explain/change/compare-stored-sides.ts';
import { type Circumstances, compareSides } from '../../explain/compare/compare-sides.ts';
import type { ReadSide } from '../../explain/compare/side.ts';
import type { SentRequest } from '../../explain/experiments/predict.ts';
import { planWhatIf as toWhatIfPlan, type WhatIfPlan } from '../../explain/what-if/plan.ts';
import { type AuditEntries, toAuditEntries } from '../../measure/lhr/audit-entries.ts';
import { toDisturbances } from '../../measure/lhr/disturbances.ts';
import { type Reading, toReading } from '../../measure/lhr/facts/side-facts.ts';
import { isLhr, type Lhr } from '../../measure/lhr/lhr.ts';
import type { Bytes, Failed, Measured, ReadFacts } from '../../measure/lhr/measured.ts';
import { toMetrics } from '../../measure/lhr/metrics.ts';
import { assertMeasured, assertNoRuntimeError } from '../../measure/lhr/page-failure.ts';
import { readJson, readPacked } from '../../measure/lhr/read-json.ts';
import { type HostConditions, toEnvironment, toResult } from '../../measure/lhr/to-result.ts';
import { toFieldVitals } from '../../measure/psi/wire/field-data.ts';
import { applyFieldMask, type FieldMask } from '../../measure/psi/wire/field-mask.ts';
import { isPsiResult, toPsiResult } from '../../measure/psi/wire/wire-result.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import type { FullResult } from '../../storage/results/store.ts';
import { renderReport, reportPolicy } from '../../web/report/render-report.ts';
import { comparisonPolicy, renderComparison, renderStrategies } from '../../web/report/render-strategies.ts';

/** Returns the requests of a stored load, each with its entity; empty if the result is damaged. */
export function readRequests({ full }: { full: FullResult }): SentRequest[] {
  const lhr = readPacked(full);
  if (!isObject(lhr)) return [];
  return rowsOf(lhr, 'network-requests').flatMap(({ url, entity }) =>
    typeof url === 'string' ? [{ url, entity: typeof entity === 'string' ? entity : null }] : [],
  );
}

type Strategies = Parameters<typeof renderStrategies>[0];

/** An HTML file as UTF-8, and its content security policy. */
export type ReportFile = { readonly html: Bytes; readonly policy: string };

const failed = (error: AnalysisError, isNonsense = false): Failed => ({ failure: error.toPlain(), isNonsense });

/** @throws any error that is not an AnalysisError: it is a bug */
const toFailed = (error: unknown): Failed => {
  if (error instanceof AnalysisError) return failed(error);
  throw error;
};

const documentUrlOf = ({ mainDocumentUrl, finalUrl }: Lhr, url: string): string => mainDocumentUrl ?? finalUrl ?? url;

const unknownShape = () =>
  failed(new AnalysisError('lighthouse_unavailable', 'Lighthouse returned an invalid result.'), true);

/** Reads an LHR that Lighthouse wrote on this machine. The caller can still use the bytes afterwards. */
export function readLhr({
  bytes,
  facts,
}: {
  bytes: Bytes;
  facts: ReadFacts;
}): Omit<Measured, 'lighthouseResult'> | Failed {
  const lhr = readJson(bytes);
  if (!isLhr(lhr)) return unknownShape();
  try {
    assertMeasured(lhr, facts.otherwise);
    const result = toResult(lhr, { ...facts, field: null });
    return { result, documentUrl: documentUrlOf(lhr, facts.url), reading: toReading(lhr, result) };
  } catch (error) {
    return toFailed(error);
  }
}

const noResult = () =>
  failed(new AnalysisError('psi_bad_response', 'The response of the PSI server contains no Lighthouse result.'), true);

const tooMuch = (excess: string) =>
  failed(new AnalysisError('psi_bad_response', `The response of the PSI server cannot be read: ${excess}.`));

/**
 * Reads the answer of a PSI v5 server. A successful response may still report a failure: a `runtimeError`, or the score
 * of an error page.
 */
export function readWireAnswer({ bytes, facts }: { bytes: Bytes; facts: ReadFacts }): Measured | Failed {
  const excess = findExcess(bytes, resultBounds);
  if (excess !== undefined) return tooMuch(excess);
  const body = readJson(bytes);
  if (!isPsiResult(body)) return noResult();
  const { lighthouseResult: lhr, loadingExperience, originLoadingExperience } = body;
  try {
    assertMeasured(lhr, facts.otherwise);
    const field = toFieldVitals(loadingExperience, originLoadingExperience);
    const lighthouseResult = Buffer.from(JSON.stringify(lhr));
    const result = toResult(lhr, { ...facts, field });
    return { result, lighthouseResult, documentUrl: documentUrlOf(lhr, facts.url), reading: toReading(lhr, result) };
  } catch (error) {
    return toFailed(error);
  }
}

const pwaWarning = 'The category PWA was skipped: Lighthouse no longer has audits for it.';

/** The answer of a PSI v5 server, and the facts that show whether other work disturbed the load. */
export type WireAnswer = { answer: Bytes; result: Pick<Result, 'disturbance' | 'environment' | 'metrics'> };

/** Writes an LHR as a PSI v5 answer. The format has no field for a disturbed load, so `runWarnings` mention it. */
export function writeWireAnswer(order: {
  bytes: Bytes;
  strategy: Strategy;
  conditions: HostConditions;
  fields: FieldMask;
  isPwaAsked: boolean;
  indent: number;
}): WireAnswer | Failed {
  const lhr = readJson(order.bytes);
  if (!isLhr(lhr)) return unknownShape();
  try {
    assertNoRuntimeError(lhr, 'lighthouse_unavailable');
  } catch (error) {
    return toFailed(error);
  }
  const environment = toEnvironment(lhr, { conditions: order.conditions });
  const { disturbance, sentences } = toDisturbances(lhr, environment);
  const warnings = [...sentences, ...(lhr.runWarnings ?? []), ...(order.isPwaAsked ? [pwaWarning] : [])];
  const answer = applyFieldMask(order.fields, toPsiResult({ ...lhr, runWarnings: warnings }));
  return {
    answer: Buffer.from(JSON.stringify(answer, null, order.indent)),
    result: { environment, metrics: toMetrics(lhr, order.strategy), ...(disturbance ? { disturbance } : {}) },
  };
}

/** Returns the facts of a cached result for a comparison. @param lighthouseResult the LHR as JSON */
export const readCached = (order: { result: Result; lighthouseResult: Bytes }): Reading =>
  toReading(readJson(order.lighthouseResult) as Lhr, order.result);

export const compare = ({
  psi,
  lighthouse,
  ...circumstances
}: { psi: ReadSide; lighthouse: ReadSide } & Circumstances): Comparison => compareSides(psi, lighthouse, circumstances);

/** The answer of `/psi` or `/lighthouse` with full data, or a stored result with its whole Lighthouse result. */
type ReportOrder = { readonly bytes: Bytes } | { readonly summary: string; readonly full: FullResult };

/** Renders the report of one result, or of both strategies; undefined if it has no readable Lighthouse result. */
export function drawReport(order: ReportOrder): ReportFile | undefined {
  const body = 'bytes' in order ? readJson(order.bytes) : withFull(order.summary, order.full);
  if (!isObject(body)) return undefined;
  const html =
    'mobile' in body ? renderStrategies(body as unknown as Strategies) : renderReport(body as unknown as Result);
  return { html: Buffer.from(html), policy: reportPolicy() };
}

function withFull(summary: string, full: FullResult): unknown {
  const lhr = readPacked(full);
  return isLhr(lhr) ? { ...JSON.parse(summary), lighthouse_result: lhr } : undefined;
}

/** Renders the report of a comparison. @param body the answer of `/compare` */
export const drawComparison = (order: { body: Static<typeof CompareResult>; names: SideNames }): ReportFile => ({
  html: Buffer.from(renderComparison(order.body, order.names)),
  policy: comparisonPolicy,
});

export { readUpload } from './read-upload.ts';
export { writeHar } from './write-har.ts';
export { writeHistory } from './write-history.ts';

/** Returns the changes between two sides of stored results, as JSON. */
export const compareKept = (order: KeptOrder): Bytes => Buffer.from(JSON.stringify(compareKeptSides(order)));

/**
 * Returns which parts of a load can be simulated, from its whole Lighthouse result; undefined if it contains too
 * little.
 */
export function planWhatIf({ full, isDisturbed }: { full: FullResult; isDisturbed: boolean }): WhatIfPlan | undefined {
  return toWhatIfPlan(readPacked(full), isDisturbed);
}

const screenshotTypes = ['image/jpeg', 'image/png', 'image/webp'];

/** Returns the final screenshot of the page, if the result has one. */
export function readScreenshot({ full }: { full: FullResult }): { type: string; bytes: Bytes } | undefined {
  const lhr = readPacked(full) as Lhr | undefined;
  const details = lhr?.audits?.['final-screenshot']?.details as { data?: unknown } | undefined;
  const [, type = '', data = ''] = /^data:([\w/]+);base64,([\w+/=]+)$/.exec(String(details?.data ?? '')) ?? [];
  return screenshotTypes.includes(type) ? { type, bytes: Buffer.from(data, 'base64') } : undefined;
}

/** Returns one audit of a stored result; undefined if it is missing. */
export const readAudit = ({ full, audit }: { full: FullResult; audit: string }): AuditEntries | undefined =>
  toAuditEntries(readPacked(full), audit);
