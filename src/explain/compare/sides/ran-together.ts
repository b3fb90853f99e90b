import type { Result } from '../../../contract/result/result.ts';

/** On one machine each of two audits takes time of the other; not where one waited, or came from a cache. */
export const ranTogether = (results: readonly [Result, Result]): boolean => {
  const [first, second] = results
    .map(({ fetched_at, duration_ms }) => ({ from: Date.parse(fetched_at), ms: duration_ms ?? 0 }))
    .toSorted((a, b) => a.from - b.from);
  return first !== undefined && second !== undefined && second.from < first.from + first.ms;
};
