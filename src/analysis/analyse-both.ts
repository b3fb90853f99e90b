import { hostname, networkInterfaces } from 'node:os';
import type { Comparison } from '../contract/analysis/comparison.ts';
import { toProblem } from '../contract/problem.ts';
import type { Result } from '../contract/result/result.ts';
import { planFor, type ReadRun } from '../explain/compare/compare-sides.ts';
import type { ReAuditStep } from '../explain/compare/re-audits/plan-re-audits.ts';
import type { ReAuditOutcome } from '../explain/compare/re-audits/step-points.ts';
import { withOtherHalf } from '../explain/compare/side.ts';
import { unpackJson } from '../measure/lhr/packed-json.ts';
import type { LocalAnalyser } from '../measure/lighthouse/pool.ts';
import { toConditionsId } from '../measure/shown-conditions.ts';
import type { AnalyseLocal, LocalAnalysis, LocalRequest } from './analyse-local.ts';
import type { AnalyseRemote, RemoteAnalysis, RemoteOptions } from './analyse-remote.ts';
import { type Outcome, settle } from './outcome.ts';
import type { Recorder } from './records/recorder.ts';
import type { Threads } from './threads/threads.ts';

const toSide = (url: string, outcome: Outcome<Result>) =>
  outcome.ok ? outcome.value : { url, error: toProblem(outcome.error) };

/**
 * Returns both sides and their differences as the response contains them. Stores them if at least one side succeeded.
 */
export async function toComparedBody(
  request: Pick<LocalRequest, 'url' | 'strategy' | 'profile' | 'label'> & Partial<LocalRequest>,
  { psi, lighthouse, comparison }: BothAnalyses,
  recorder: Pick<Recorder, 'comparison'>,
) {
  const { url, strategy, profile, label } = request;
  const compared = { url, strategy, psi: toSide(url, psi), lighthouse: toSide(url, lighthouse), comparison };
  return psi.ok || lighthouse.ok
    ? recorder.comparison(compared, { profile, label, conditions: toConditionsId(request) })
    : compared;
}

const withoutPort = (host: string): string => /^\[(.+)\](:\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, '');

/**
 * Returns whether a host, with or without a port, is this machine: by a loopback address, one of its own addresses, or
 * its name.
 */
export function isOwnAddress(host: string | undefined): boolean {
  if (host === undefined) return false;
  const name = withoutPort(host).toLowerCase();
  if (/^127(\.\d+){3}$|^localhost$|^::1$/.test(name) || name === hostname().toLowerCase()) return true;
  return Object.values(networkInterfaces()).some(addresses => addresses?.some(({ address }) => address === name));
}

export type BothAnalyses = {
  psi: Outcome<Result>;
  lighthouse: Outcome<Result>;
  /** The differences; null if a side failed. */
  comparison: Comparison | null;
};

export type BothSources = {
  /** Threads that read whole results, which are large, and compare them. */
  threads: Pick<Threads, 'readCached' | 'compare'>;
  analyseRemote: AnalyseRemote;
  analyseLocal: AnalyseLocal;
  local: Pick<LocalAnalyser, 'reAudit'>;
  now?: () => number;
};

export type BothOptions = Omit<RemoteOptions, 'detailed'>;

const toRemote = ({ json, ...analysis }: RemoteAnalysis) => ({
  ...analysis,
  result: JSON.parse(json.toString('utf8')) as Result,
});
type Remote = ReturnType<typeof toRemote>;

/** Returns the facts of the PSI side. If a different request measured it, its Lighthouse result is parsed, once. */
async function readRemote({ result, reading, lighthouseResult }: Remote, threads: Pick<Threads, 'readCached'>) {
  if (reading) return { result, ...reading };
  if (!lighthouseResult) throw new Error('a remote analysis without its Lighthouse result');
  return { result, ...(await threads.readCached({ result, lighthouseResult: await unpackJson(lighthouseResult) })) };
}

/** Max number of runs to audit again: enough to estimate the variation of a setting's effect. */
const mostReAudited = 5;

/** Audits a local load again with the settings of the PSI side. If that fails, the comparison has no attribution. */
async function auditAgain(
  local: BothSources['local'],
  steps: readonly ReAuditStep[],
  artifacts: string | undefined,
  signal: AbortSignal,
): Promise<ReAuditOutcome> {
  const settings = steps.flatMap(step => step.settings ?? []);
  if (settings.length < steps.length) return { reason: 'its throttling cannot be simulated' };
  if (steps.length === 0) return { results: [] };
  if (artifacts === undefined) return { reason: 'its artifacts were not stored' };
  const again = await settle(local.reAudit(artifacts, [{}, ...settings], signal), signal);
  return again.ok ? { results: again.value } : { reason: 'it took too long or failed' };
}

/** Audits the displayed load again, then the others in sequence, because each takes a slot. */
async function auditAllAgain(
  local: BothSources['local'],
  steps: readonly ReAuditStep[],
  { artifacts, others }: LocalAnalysis,
  signal: AbortSignal,
) {
  const outcome = await auditAgain(local, steps, artifacts, signal);
  const again: ReadRun[] = [];
  for (const [at, { result, reading, artifacts: own }] of others.entries()) {
    const isTaken = at + 1 < mostReAudited && 'results' in outcome;
    again.push({
      result,
      ...reading,
      outcome: isTaken ? await auditAgain(local, steps, own, signal) : { reason: 'there were enough others' },
    });
  }
  return { outcome, others: again };
}

/**
 * Measures a page with both sides, in parallel or in sequence, and explains their differences.
 * @throws only when the client disconnected
 */
export async function analyseBoth(
  { analyseRemote, analyseLocal, local, threads, now = Date.now }: BothSources,
  request: LocalRequest,
  { fresh, client, isBatch, signal, onProgress }: BothOptions,
): Promise<BothAnalyses> {
  const askedAtMs = now();
  const remote = analyseRemote(request, { detailed: true, fresh, client, isBatch, signal, onProgress });
  const keepArtifacts = request.categories.includes('performance');
  const measureHere = () =>
    analyseLocal(request, signal, { keepArtifacts, withoutFullPageScreenshot: true, client, isBatch, onProgress });
  const own = request.exclusive ? settle(remote, signal).then(measureHere) : measureHere();
  try {
    const [psi, lighthouse] = await Promise.all([settle(remote.then(toRemote), signal), settle(own, signal)]);
    const compare = async (remoteSide: Remote, ownSide: LocalAnalysis) => {
      // The PSI result is read after both loads, which need the processors until then.
      const theirs = await readRemote(remoteSide, threads);
      const ours = { result: ownSide.result, ...ownSide.reading };
      const isOwn = isOwnAddress(remoteSide.result.analyser.host);
      const steps = planFor(theirs, ours, isOwn);
      const again = await auditAllAgain(local, steps, ownSide, signal);
      return threads.compare({ psi: theirs, lighthouse: ours, isOwnAddress: isOwn, ...again, askedAtMs });
    };
    const comparison = psi.ok && lighthouse.ok ? await compare(psi.value, lighthouse.value) : null;
    if (!psi.ok || !lighthouse.ok)
      return {
        psi: psi.ok ? { ok: true, value: psi.value.result } : psi,
        lighthouse: lighthouse.ok ? { ok: true, value: lighthouse.value.result } : lighthouse,
        comparison,
      };
    const named = withOtherHalf(psi.value.result, lighthouse.value.result);
    return {
      psi: { ok: true, value: named.psi },
      lighthouse: { ok: true, value: named.lighthouse },
      comparison,
    };
  } finally {
    // The artifacts are released even if the local side ends after its client has disconnected.
    own.then(({ release }) => release()).catch(() => {});
  }
}
