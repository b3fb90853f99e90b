/** One page: its calls made at once, their progress as lanes, their answers as one result. */
import { joinResults, type Part, type Result, toResult } from './answer.ts';
import { type AskOptions, askForPage, type Reply, type Told } from './ask-service.ts';
import type { PageRequest } from './page-request.ts';
import { type Call, planPage } from './plan.ts';
import { advance, finishLane, isSameLane, type LaneState, startLane } from './progress.ts';
import { type Trouble, wantsKey } from './trouble.ts';

export type PageOutcome =
  | { readonly ok: true; readonly result: Result /** As the service sent them. */; readonly bodies: readonly unknown[] }
  | { readonly ok: false; readonly trouble: Trouble };

type Wanted = Omit<PageRequest, 'urls'> & { readonly url: string; readonly detailed: boolean };

/** A failed call in the places where its answer would stand. */
function toFailedResult(url: string, { lanes }: Call, trouble: Trouble): Result {
  const part: Part = { ok: false, url, trouble };
  const [first] = lanes;
  const sources = new Set(lanes.map(({ source }) => source));
  if (first && sources.size > 1)
    return {
      kind: 'comparisons',
      pairings: [{ strategy: first.strategy, psi: part, lighthouse: part, comparison: null }],
    };
  return { kind: 'reports', columns: lanes.map(lane => ({ ...lane, part })) };
}

const readReply = (call: Call, reply: Reply): { result: Result } | { trouble: Trouble } => {
  const [asked] = call.lanes;
  // A failure of two halves brings both, and each may have its own reason.
  const result = asked && toResult(reply.body, asked);
  if (result) return { result };
  return { trouble: reply.ok ? { kind: 'unreadable', status: 200 } : reply.trouble };
};

function toOutcome(url: string, calls: readonly Call[], replies: readonly Reply[]): PageOutcome {
  const read = calls.map((call, at) => readReply(call, replies[at] as Reply));
  const troubles = read.flatMap(entry => ('trouble' in entry ? [entry.trouble] : []));
  const [first] = troubles;
  const isNothing = troubles.length === calls.length && (calls.length === 1 || first?.kind !== 'problem');
  if (first && (isNothing || troubles.some(wantsKey))) return { ok: false, trouble: troubles.find(wantsKey) ?? first };
  const results = calls.flatMap((call, at) => {
    const entry = read[at];
    if (!entry) return [];
    return 'result' in entry ? [entry.result] : [toFailedResult(url, call, entry.trouble)];
  });
  return { ok: true, result: joinResults(results), bodies: replies.flatMap(reply => reply.body ?? []) };
}

/**
 * Measures one page as wanted.
 * @param onLanes told of every step, from the first moment on
 * @throws only the signal's reason
 */
export async function runPage(
  { url, detailed, ...wanted }: Wanted,
  onLanes: (lanes: readonly LaneState[]) => void,
  options: AskOptions,
): Promise<PageOutcome> {
  const calls = planPage(url, wanted, detailed);
  let lanes = calls.flatMap(call => call.lanes).map(startLane);
  const change = (toNext: (lane: LaneState) => LaneState) => {
    lanes = lanes.map(toNext);
    onLanes(lanes);
  };
  const hear = (told: Told) => change(lane => (isSameLane(lane, told) ? advance(lane, told) : lane));
  onLanes(lanes);
  const replies = await Promise.all(
    calls.map(async call => {
      const reply = await askForPage(call, hear, options);
      change(lane => (call.lanes.some(own => isSameLane(own, lane)) ? finishLane(lane) : lane));
      return reply;
    }),
  );
  return toOutcome(url, calls, replies);
}
