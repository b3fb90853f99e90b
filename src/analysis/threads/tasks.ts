/**
 * What is done to whole Lighthouse results: up to 10 MB of JSON that is read, judged, compared or drawn. Pure functions
 * of plain data; threads.ts runs them in a thread of their own, because each can take longer than a request should wait.
 */
import { zstdDecompressSync } from 'node:zlib';
import type { Static } from 'typebox';
import type { CompareResult } from '../../contract/analysis/answers.ts';
import type { Comparison } from '../../contract/analysis/comparison.ts';
import { AnalysisError } from '../../contract/errors.ts';
import type { Strategy } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import { compareKept as compareKeptSides, type KeptOrder } from '../../explain/builds/compare-kept.ts';
import { type Circumstances, compareSides } from '../../explain/compare/compare-sides.ts';
import type { ReadSide } from '../../explain/compare/sides/side.ts';
import { planWhatIf as toWhatIfPlan, type WhatIfPlan } from '../../explain/what-if/plan.ts';
import { type AuditEntries, toAuditEntries } from '../../measure/lhr/audit-entries.ts';
import { toDisturbances } from '../../measure/lhr/disturbances.ts';
import { type Reading, toReading } from '../../measure/lhr/facts/side-facts.ts';
import { isLhr, type Lhr } from '../../measure/lhr/lhr.ts';
import type { Bytes, Failed, Measured, ReadFacts } from '../../measure/lhr/measured.ts';
import { toMetrics } from '../../measure/lhr/metrics.ts';
import { assertMeasured, assertNoRuntimeError } from '../../measure/lhr/page-failure.ts';
import { type HostConditions, toEnvironment, toResult } from '../../measure/lhr/to-result.ts';
import { toFieldVitals } from '../../measure/psi/wire/field-data.ts';
import { applyFieldMask, type FieldMask } from '../../measure/psi/wire/field-mask.ts';
import { isPsiResult, toPsiResult } from '../../measure/psi/wire/wire-result.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import type { FullResult } from '../../storage/results/store.ts';
import { comparisonPolicy, renderComparison } from '../../web/report/render-comparison.ts';
import { renderReport, reportPolicy } from '../../web/report/render-report.ts';
import { renderStrategies, strategiesPolicy } from '../../web/report/render-strategies.ts';

/** An HTML file, and the policy that stands in it. */
export type ReportFile = { readonly html: string; readonly policy: string };

const toText = (bytes: Bytes): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

const parse = (bytes: Bytes): unknown => {
  try {
    return JSON.parse(toText(bytes));
  } catch {
    return undefined;
  }
};

const failed = (error: AnalysisError, isNonsense = false): Failed => ({ failure: error.toPlain(), isNonsense });

/** @throws what is no AnalysisError: a fault of our own */
const toFailed = (error: unknown): Failed => {
  if (error instanceof AnalysisError) return failed(error);
  throw error;
};

const documentUrlOf = ({ mainDocumentUrl, finalUrl }: Lhr, url: string): string => mainDocumentUrl ?? finalUrl ?? url;

const unknownShape = () =>
  failed(new AnalysisError('lighthouse_unavailable', 'Lighthouse returned an invalid result.'), true);

/** Reads an LHR that Lighthouse wrote on this machine. The bytes stay with who has them. */
export function readLhr({
  bytes,
  facts,
}: {
  bytes: Bytes;
  facts: ReadFacts;
}): Omit<Measured, 'lighthouseResult'> | Failed {
  const lhr = parse(bytes);
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

const tooDeep = () =>
  failed(new AnalysisError('psi_bad_response', 'The response of the PSI server is nested too deeply.'));

/** What can be read is not always to be written again: it may be nested thousands of times. */
const toBytes = (value: unknown): Bytes | undefined => {
  try {
    return Buffer.from(JSON.stringify(value));
  } catch {
    return undefined;
  }
};

/** Reads the answer of a PSI v5 server. A success may still be a failure: a `runtimeError`, or the score of an error page. */
export function readWireAnswer({ bytes, facts }: { bytes: Bytes; facts: ReadFacts }): Measured | Failed {
  const body = parse(bytes);
  if (!isPsiResult(body)) return noResult();
  const { lighthouseResult: lhr, loadingExperience, originLoadingExperience } = body;
  try {
    assertMeasured(lhr, facts.otherwise);
    const field = toFieldVitals(loadingExperience, originLoadingExperience);
    const lighthouseResult = toBytes(lhr);
    if (!lighthouseResult) return tooDeep();
    const result = toResult(lhr, { ...facts, field });
    return { result, lighthouseResult, documentUrl: documentUrlOf(lhr, facts.url), reading: toReading(lhr, result) };
  } catch (error) {
    return toFailed(error);
  }
}

const pwaWarning = 'The category PWA was skipped: Lighthouse no longer has audits for it.';

/** The answer of a PSI v5 server, and what says whether other work disturbed the load. */
export type WireAnswer = { answer: Bytes; result: Pick<Result, 'disturbance' | 'environment' | 'metrics'> };

/** Writes an LHR as a PSI v5 server answers it. The format has no mark of a disturbed load: `runWarnings` say it. */
export function writeWireAnswer(order: {
  bytes: Bytes;
  strategy: Strategy;
  conditions: HostConditions;
  fields: FieldMask;
  isPwaAsked: boolean;
  indent: number;
}): WireAnswer | Failed {
  const lhr = parse(order.bytes);
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

/** Reads what a comparison needs of a result that came from a cache. @param lighthouseResult the LHR as JSON */
export const readCached = (order: { result: Result; lighthouseResult: Bytes }): Reading =>
  toReading(parse(order.lighthouseResult) as Lhr, order.result);

export const compare = ({
  psi,
  lighthouse,
  ...circumstances
}: { psi: ReadSide; lighthouse: ReadSide } & Circumstances): Comparison => compareSides(psi, lighthouse, circumstances);

/** Draws one result, or both strategies. @param bytes the answer of `/psi` or `/lighthouse` with full data */
export function drawReport({ bytes }: { bytes: Bytes }): ReportFile {
  const body = parse(bytes) as Result & Parameters<typeof renderStrategies>[0];
  return 'mobile' in body
    ? { html: renderStrategies(body), policy: strategiesPolicy() }
    : { html: renderReport(body), policy: reportPolicy() };
}

/** Draws a comparison. @param body the answer of `/compare` */
export const drawComparison = (order: { body: Static<typeof CompareResult>; names: SideNames }): ReportFile => ({
  html: renderComparison(order.body, order.names),
  policy: comparisonPolicy,
});

export { readRequests } from './read-requests.ts';
export { readUpload } from './read-upload.ts';
export { writeHistory } from './write-history.ts';

/** The changes between two sides of stored results, as JSON. */
export const compareKept = (order: KeptOrder): Bytes => Buffer.from(JSON.stringify(compareKeptSides(order)));

/** What is simulated of a load, by its whole Lighthouse result; undefined when that says too little. */
export function planWhatIf({ full }: { full: FullResult }): WhatIfPlan | undefined {
  if (full.coding !== 'zstd') return undefined;
  return toWhatIfPlan(parse(zstdDecompressSync(full.bytes)));
}

const screenshotTypes = ['image/jpeg', 'image/png', 'image/webp'];

/** The picture of the page at the end of its load, where the result has one. */
export function readScreenshot({ bytes }: { bytes: Bytes }): { type: string; bytes: Bytes } | undefined {
  const lhr = parse(bytes) as Lhr | undefined;
  const details = lhr?.audits?.['final-screenshot']?.details as { data?: unknown } | undefined;
  const [, type = '', data = ''] = /^data:([\w/]+);base64,([\w+/=]+)$/.exec(String(details?.data ?? '')) ?? [];
  return screenshotTypes.includes(type) ? { type, bytes: Buffer.from(data, 'base64') } : undefined;
}

/** Undefined if the result has no such audit. @param bytes the answer of `/results/{id}` with full data */
export const readAudit = ({ bytes, audit }: { bytes: Bytes; audit: string }): AuditEntries | undefined =>
  toAuditEntries(parse(bytes), audit);
