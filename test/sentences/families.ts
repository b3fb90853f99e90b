/** Every family of generated sentences, in the order of docs/internals/sentences.md. */
import type { Case } from './case.ts';
import { changeCases } from './changes.ts';
import { comparisonCases } from './comparisons.ts';
import { failureCases } from './failures.ts';
import { warningCases } from './warnings.ts';

/** Replaces non-breaking spaces in numbers and units, because cases are written with ordinary spaces. */
export const toPlain = (sentence: string | undefined): string => (sentence ?? '').replaceAll('\u00a0', ' ').trim();

export const families: readonly (readonly [heading: string, cases: readonly Case[]])[] = [
  ['Verdict and causes of a comparison', comparisonCases],
  ['Verdicts on change', changeCases],
  ['Errors', failureCases],
  ['Warnings, advice and progress', warningCases],
];
