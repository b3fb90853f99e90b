/** Measures one page: its calls run in parallel, their progress is shown as lanes, their replies form one answer. */
import { type Answer, joinAnswers, type Part, toAnswer } from '../presentation/answer.ts';
import { type FailureReason, isStopping, wantsKey } from '../presentation/errors-in-words.ts';
import { type ReadBody, unreadable } from './ask-json.ts';
import { type AskOptions, askForPage, type ProgressUpdate, type Reply, withJobKey } from './ask-service.ts';
import type { PageRequest } from './page-request.ts';
import { planPage, type ServiceCall } from './plan.ts';
import { advance, finishLane, isSameLane, type LaneState, startLane } from './progress.ts';

export type PageAnswer = {
  readonly answer: Answer;
  /** Response bodies as the service sent them. */
  readonly bodies: readonly unknown[];
};

/** Returns a failed call in the form of an answer. */
function toFailedAnswer(url: string, { lanes }: ServiceCall, failure: FailureReason): Answer {
  const part: Part = { ok: false, url, failure };
  const [first] = lanes;
  const sources = new Set(lanes.map(({ source }) => source));
  if (first && sources.size > 1)
    return {
      kind: 'comparisons',
      pairings: [{ strategy: first.strategy, psi: part, lighthouse: part, comparison: null }],
    };
  return { kind: 'results', columns: lanes.map(lane => ({ ...lane, part })) };
}

const readReply = (call: ServiceCall, reply: Reply): { answer: Answer } | { failure: FailureReason } => {
  const [asked] = call.lanes;
  // A failed comparison contains both failures, each with its own reason.
  const answer = asked && toAnswer(reply.body, asked);
  if (answer) return { answer };
  return { failure: reply.ok ? unreadable : reply.failure };
};

function toOutcome(url: string, calls: readonly ServiceCall[], replies: readonly Reply[]): ReadBody<PageAnswer> {
  const read = calls.map((call, at) => readReply(call, replies[at] as Reply));
  const failures = read.flatMap(entry => ('failure' in entry ? [entry.failure] : []));
  const [first] = failures;
  const isAnswer = first?.kind === 'problem' && !isStopping(first);
  const isNothing = failures.length === calls.length && (calls.length === 1 || !isAnswer);
  if (first && (isNothing || failures.some(wantsKey))) return { ok: false, failure: failures.find(wantsKey) ?? first };
  const answers = calls.flatMap((call, at) => {
    const entry = read[at];
    if (!entry) return [];
    return 'answer' in entry ? [entry.answer] : [toFailedAnswer(url, call, entry.failure)];
  });
  return { ok: true, body: { answer: joinAnswers(answers), bodies: replies.flatMap(reply => reply.body ?? []) } };
}

/**
 * Measures one page as requested.
 * @param onLanes called for every step
 * @throws only the signal's reason
 */
export async function runPage(
  { url, detailed, ...wanted }: Omit<PageRequest, 'urls'> & { readonly url: string; readonly detailed: boolean },
  onLanes: (lanes: readonly LaneState[]) => void,
  options: AskOptions,
): Promise<ReadBody<PageAnswer>> {
  const calls = planPage(url, wanted, detailed);
  let lanes = calls.flatMap(call => call.lanes).map(startLane);
  const change = (toNext: (lane: LaneState) => LaneState) => {
    lanes = lanes.map(toNext);
    onLanes(lanes);
  };
  const hear = (update: ProgressUpdate) => change(lane => (isSameLane(lane, update) ? advance(lane, update) : lane));
  onLanes(lanes);
  const replies = await Promise.all(
    calls.map(async (call, at) => {
      const reply = await askForPage(call, hear, withJobKey(options, at));
      change(lane => (call.lanes.some(own => isSameLane(own, lane)) ? finishLane(lane) : lane));
      return reply;
    }),
  );
  return toOutcome(url, calls, replies);
}
