/** The bodies of the service, sorted into what the page draws: columns of Reports, or comparisons of two. */
import type { Static } from 'typebox';
import type { CompareReport, Failure, StrategiesReport } from '../http/schemas.ts';
import type { Report, Strategy } from '../report/report.ts';
import { isProblem, type Trouble } from './trouble.ts';

export type Source = Report['source'];

type ComparedBody = Static<typeof CompareReport>;
type PairBody = Static<typeof StrategiesReport>;

/** A Report, or what came in its place. */
export type Part =
  | { readonly ok: true; readonly report: Report }
  | { readonly ok: false; readonly url: string; readonly trouble: Trouble };

export type Column = { readonly source: Source; readonly strategy: Strategy; readonly part: Part };

export type Pairing = {
  readonly strategy: Strategy;
  readonly psi: Part;
  readonly lighthouse: Part;
  readonly comparison: ComparedBody['comparison'];
};

export type Result =
  | { readonly kind: 'reports'; readonly columns: readonly Column[] }
  | { readonly kind: 'comparisons'; readonly pairings: readonly Pairing[] };

const hasMembers = <K extends string>(body: unknown, ...names: K[]): body is Record<K, unknown> =>
  typeof body === 'object' && body !== null && names.every(name => name in body);

const toPart = (body: Report | Failure): Part =>
  'error' in body
    ? { ok: false, url: body.url, trouble: { kind: 'problem', problem: body.error } }
    : { ok: true, report: body };

const isPair = (body: unknown): body is PairBody => hasMembers(body, 'mobile', 'desktop');
const isComparison = (body: unknown): body is ComparedBody => hasMembers(body, 'psi', 'lighthouse');
const isReport = (body: unknown): body is Report => hasMembers(body, 'scores', 'metrics', 'strategy');
const isFailure = (body: unknown): body is Failure => hasMembers(body, 'url', 'error') && isProblem(body.error);

/** Where a body of this shape goes; `strategy` for a body that does not say it. Undefined for what we do not know. */
export function toResult(body: unknown, asked: { source: Source; strategy: Strategy }): Result | undefined {
  // A Problem of two failed halves carries both: so it is read before whether it is one.
  if (isPair(body)) {
    const column = (strategy: Strategy) => ({ source: asked.source, strategy, part: toPart(body[strategy]) });
    return { kind: 'reports', columns: [column('mobile'), column('desktop')] };
  }
  if (isComparison(body)) {
    const { psi, lighthouse, comparison = null } = body;
    const strategy = body.strategy ?? asked.strategy;
    return {
      kind: 'comparisons',
      pairings: [{ strategy, psi: toPart(psi), lighthouse: toPart(lighthouse), comparison }],
    };
  }
  if (isReport(body)) {
    const { source, strategy } = body;
    return { kind: 'reports', columns: [{ source, strategy, part: toPart(body) }] };
  }
  return isFailure(body) ? { kind: 'reports', columns: [{ ...asked, part: toPart(body) }] } : undefined;
}

/** Several results of one request as one: what was asked for apart stands side by side. */
export function joinResults(results: readonly Result[]): Result {
  const pairings = results.flatMap(result => (result.kind === 'comparisons' ? result.pairings : []));
  const columns = results.flatMap(result => (result.kind === 'reports' ? result.columns : []));
  return pairings.length > 0 ? { kind: 'comparisons', pairings } : { kind: 'reports', columns };
}

/** Every part of a result with the side it belongs to. */
export const columnsOf = (result: Result): readonly Column[] =>
  result.kind === 'reports'
    ? result.columns
    : result.pairings.flatMap(({ strategy, psi, lighthouse }) => [
        { source: 'psi' as const, strategy, part: psi },
        { source: 'lighthouse' as const, strategy, part: lighthouse },
      ]);
