/** Converts responses of the service for display: columns of results, or comparisons of two. */

import type { Static } from 'typebox';
import type { CompareResult, Failure, StrategiesResult } from '../contract/analysis/answers.ts';
import type { Source } from '../contract/errors.ts';
import type { Strategy } from '../contract/names.ts';
import type { Result } from '../contract/result/result.ts';
import { type FailureReason, isProblem } from './errors-in-words.ts';

type ComparedBody = Static<typeof CompareResult>;
type PairBody = Static<typeof StrategiesResult>;

/** A result, or the reason why there is none. */
export type Part =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly url: string; readonly failure: FailureReason };

export type Column = { readonly source: Source; readonly strategy: Strategy; readonly part: Part };

export type Pairing = {
  readonly strategy: Strategy;
  readonly psi: Part;
  readonly lighthouse: Part;
  readonly comparison: ComparedBody['comparison'];
};

export type Answer =
  | { readonly kind: 'results'; readonly columns: readonly Column[] }
  | { readonly kind: 'comparisons'; readonly pairings: readonly Pairing[] };

export const hasMembers = <K extends string>(body: unknown, ...names: K[]): body is Record<K, unknown> =>
  typeof body === 'object' && body !== null && names.every(name => name in body);

const toPart = (body: Result | Failure): Part =>
  'error' in body
    ? { ok: false, url: body.url, failure: { kind: 'problem', problem: body.error } }
    : { ok: true, result: body };

const isPair = (body: unknown): body is PairBody => hasMembers(body, 'mobile', 'desktop');
const isComparison = (body: unknown): body is ComparedBody => hasMembers(body, 'psi', 'lighthouse');
const isResult = (body: unknown): body is Result => hasMembers(body, 'scores', 'metrics', 'strategy');
const isFailure = (body: unknown): body is Failure => hasMembers(body, 'url', 'error') && isProblem(body.error);

/** Reads a response; `asked` supplies missing facts. Undefined for an unknown shape. */
export function toAnswer(body: unknown, asked: { source: Source; strategy: Strategy }): Answer | undefined {
  // A Problem of two failed sides contains both, so the sides are read first.
  if (isPair(body)) {
    const column = (strategy: Strategy) => ({ source: asked.source, strategy, part: toPart(body[strategy]) });
    return { kind: 'results', columns: [column('mobile'), column('desktop')] };
  }
  if (isComparison(body)) {
    const { psi, lighthouse, comparison = null } = body;
    const strategy = body.strategy ?? asked.strategy;
    return {
      kind: 'comparisons',
      pairings: [{ strategy, psi: toPart(psi), lighthouse: toPart(lighthouse), comparison }],
    };
  }
  if (isResult(body)) {
    const { source, strategy } = body;
    return { kind: 'results', columns: [{ source, strategy, part: toPart(body) }] };
  }
  if (!isFailure(body)) return undefined;
  // A stored failure contains its own source and strategy.
  const { source, strategy } = { ...asked, ...body };
  return { kind: 'results', columns: [{ source, strategy, part: toPart(body) }] };
}

/** Joins several answers to one request: parts that were requested separately are displayed side by side. */
export function joinAnswers(answers: readonly Answer[]): Answer {
  const pairings = answers.flatMap(answer => (answer.kind === 'comparisons' ? answer.pairings : []));
  const columns = answers.flatMap(answer => (answer.kind === 'results' ? answer.columns : []));
  return pairings.length > 0 ? { kind: 'comparisons', pairings } : { kind: 'results', columns };
}

export const columnsOf = (answer: Answer): readonly Column[] =>
  answer.kind === 'results'
    ? answer.columns
    : answer.pairings.flatMap(({ strategy, psi, lighthouse }) => [
        { source: 'psi' as const, strategy, part: psi },
        { source: 'lighthouse' as const, strategy, part: lighthouse },
      ]);
