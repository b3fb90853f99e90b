/** Results that the service keeps: their ids in an address, and how they are shown again. */
import { isObject } from '../../contract/result/details.ts';
import { type Answer, columnsOf, joinAnswers, toAnswer } from '../../presentation/answer.ts';
import type { FailureReason } from '../../presentation/failure-reason.ts';
import type { Whole } from '../../presentation/whole/read.ts';
import { type AskOptions, askForPage } from '../ask-service.ts';
import type { PageRequest } from '../page-request.ts';
import type { ReportLink } from '../plan.ts';
import type { PageOutcome } from '../run-page.ts';

/** More are on no page. */
const maxIds = 4;
const parameter = 'result';

const idOf = (body: unknown): unknown => (isObject(body) ? body.id : undefined);

const partsOf = (body: unknown): unknown[] =>
  isObject(body) && 'mobile' in body && 'desktop' in body ? [body.mobile, body.desktop] : [body];

/** The ids under which all parts of an answer are kept; empty when one of them is not. */
export function idsOf(bodies: readonly unknown[]): readonly string[] {
  const ids = bodies.flatMap(partsOf).map(idOf);
  return ids.every(id => typeof id === 'string') ? ids : [];
}

/** An address that leads to these results. */
export const withIds = (address: string, ids: readonly string[]): string =>
  ids.length === 0 ? address : `${address}&${parameter}=${ids.join(',')}`;

/** The results that an address leads to; empty for an address that asks for a measurement. */
export function idsIn({ search, hash }: { search: string; hash: string }): readonly string[] {
  const [given = ''] = [search, hash].flatMap(part => new URLSearchParams(part.slice(1)).get(parameter) ?? []);
  return given
    .split(',')
    .filter(id => /^[\da-f-]{36}$/.test(id))
    .slice(0, maxIds);
}

const wordsOf = (answer: Answer): readonly string[] =>
  answer.kind === 'comparisons'
    ? answer.pairings.map(({ strategy }) => strategy)
    : answer.columns.map(({ strategy }) => strategy);

/** Their HTML reports, each of the very result. */
export const toReportLinks = (ids: readonly string[], answer: Answer): readonly ReportLink[] =>
  ids.map((id, at) => ({
    address: `results/${id}/report`,
    words: ids.length > 1 ? `HTML report, ${wordsOf(answer)[at] ?? at + 1}` : 'HTML report',
  }));

/** What DevTools read of local audits, as long as it is kept. */
const artifactWords = { trace: 'Trace', network_log: 'Network log' } as const;
type ArtifactLink = keyof typeof artifactWords;

export const toArtifactLinks = (answer: Answer): readonly ReportLink[] =>
  columnsOf(answer).flatMap(({ part, strategy }, _, columns) =>
    (Object.keys(artifactWords) as ArtifactLink[]).flatMap(name => {
      const link = part.ok ? part.result.links?.[name] : undefined;
      const words = columns.length > 1 ? `${artifactWords[name]}, ${strategy}` : artifactWords[name];
      return link === undefined ? [] : [{ address: link.replace(/^\//, ''), words }];
    }),
  );

/**
 * The whole Lighthouse result of a kept result.
 * @throws only the signal's reason
 */
export async function readWhole(
  id: string,
  options: AskOptions,
): Promise<{ ok: true; whole: Whole } | { ok: false; failure: FailureReason }> {
  const reply = await askForPage({ method: 'GET', path: `results/${id}?detailed=true`, lanes: [] }, () => {}, options);
  if (!reply.ok) return reply;
  const whole = isObject(reply.body) ? reply.body.lighthouse_result : undefined;
  return isObject(whole) ? { ok: true, whole } : { ok: false, failure: { kind: 'unreadable', status: 200 } };
}

/**
 * Reads results that are kept, without their full data: nothing is measured.
 * @throws only the signal's reason
 */
export async function readKept(
  ids: readonly string[],
  request: PageRequest,
  options: AskOptions,
): Promise<PageOutcome> {
  const lanes = [{ source: request.backend === 'local' ? 'lighthouse' : 'psi', strategy: 'mobile' }] as const;
  const replies = await Promise.all(
    ids.map(id => askForPage({ method: 'GET', path: `results/${id}`, lanes }, () => {}, options)),
  );
  const answers: Answer[] = [];
  for (const reply of replies) {
    const answer = reply.ok ? toAnswer(reply.body, lanes[0]) : undefined;
    const failure: FailureReason = reply.ok ? { kind: 'unreadable', status: 200 } : reply.failure;
    if (!answer) return { ok: false, failure };
    answers.push(answer);
  }
  return { ok: true, answer: joinAnswers(answers), bodies: replies.flatMap(reply => reply.body ?? []) };
}
