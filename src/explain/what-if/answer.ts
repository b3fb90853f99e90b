/** Converts a simulation to the answer. */
import type { Strategy } from '../../contract/names.ts';
import type { PredictedValues, WhatIf } from '../../contract/stored/what-if.ts';
import type { Removal, Simulated, WhatIfFacts } from '../../contract/stored/what-if-order.ts';
import { titleOfCost } from '../../measure/lhr/findings.ts';
import { measuredErrors } from './measured-errors.ts';
import { cpuMultipliers, networkNames, networks, thresholds, type WhatIfPlan } from './plan.ts';

const limits: readonly string[] = [
  'Lighthouse simulates FCP, LCP, TBT and Speed Index. CLS is unchanged, except by a fix of layout shifts, which counts as if nothing shifted.',
  'Removing a script removes the requests and the work that the trace attributes to it, but not its changes to the page: a page that a script renders would be empty without it.',
  'Smaller scripts do not run faster in the simulation: they only download faster.',
  'The simulation assumes that a change of order (preload, priority, defer) works as intended. Measure such a change with applied throttling.',
];

const higherIfSlower =
  'Some slower devices have the higher score: TBT counts blocking only after FCP, and FCP is later there.';

const toTenth = (value: number): number => Math.round(value * 10) / 10 + 0;
const pointsBetween = (before: Simulated, after: Simulated): number => toTenth(100 * (after.score - before.score));

/** Rounds as Lighthouse rounds a category score. */
const toWhole = (score: number): number => Math.round(score * 100);

const toValues = ({ score, ...times }: Simulated): PredictedValues => ({
  score: toWhole(score),
  ...(Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Math.round(ms)])) as typeof times),
});

/** Orders removals by gain; those without a prediction are last, the heaviest first. */
function toRemovals(removals: readonly Removal[], kind: Removal['kind'], base: Simulated) {
  const gainOf = ({ without }: Removal) => ('reason' in without ? Number.NEGATIVE_INFINITY : without.score);
  return removals
    .filter(removal => removal.kind === kind)
    .toSorted((one, other) => gainOf(other) - gainOf(one) || other.bytes - one.bytes)
    .map(({ name, category, requests, bytes, mainThreadMs, takesWith, without }) => ({
      name,
      category,
      requests,
      bytes: Math.round(bytes),
      main_thread_ms: Math.round(mainThreadMs),
      takes_with: [...takesWith],
      predicted: 'reason' in without ? null : { points: pointsBetween(base, without), without: toValues(without) },
      reason: 'reason' in without ? `Not predicted: ${without.reason}.` : null,
    }));
}

/** Returns whether the score is higher with the next slower CPU or network, because less blocking counts. */
const gainsIfSlower = (cells: WhatIfFacts['cells']): boolean =>
  cells.some((slower, at) =>
    [at % cpuMultipliers.length > 0 ? cells[at - 1] : undefined, cells[at - cpuMultipliers.length]].some(
      faster =>
        faster &&
        slower.total_blocking_time < faster.total_blocking_time &&
        toWhole(slower.score) > toWhole(faster.score),
    ),
  );

function toMap({ own, base, cells, breakPoints }: WhatIfFacts): WhatIf['map'] {
  const conditions = networkNames.flatMap(network =>
    cpuMultipliers.map(cpu => ({ cpu, network, ...networks[network] })),
  );
  return {
    error: measuredErrors.condition,
    networks: networkNames.map(name => ({
      name,
      rtt_ms: networks[name].rttMs,
      throughput_kbps: networks[name].throughputKbps,
    })),
    own_score: toWhole(base.score),
    cells: conditions.map(({ cpu, network, rttMs, throughputKbps }, at) => ({
      cpu_slowdown_multiplier: cpu,
      network,
      score: toWhole(cells[at]?.score ?? 0),
      is_own: cpu === own.cpu && rttMs === own.rttMs && throughputKbps === own.throughputKbps,
    })),
    break_points: thresholds.flatMap((score, at) => {
      const found = breakPoints[at];
      if (!found) return [];
      const { cpu, network } = found;
      return [
        {
          score,
          slowest_cpu: cpu.at,
          is_slowest_cpu_tried: cpu.isSlowest,
          slowest_network: network.at && { rtt_ms: network.at.rttMs, throughput_kbps: network.at.throughputKbps },
          is_slowest_network_tried: network.isSlowest,
        },
      ];
    }),
  };
}

function toFixSteps(
  { base, fixes, unusable }: WhatIfFacts,
  { titles, notPredicted, documentUrl }: WhatIfPlan,
): WhatIf['fixes'] {
  const titleAt = (at: number): string => {
    const { id = '', after = base } = fixes[at] ?? {};
    const before = fixes[at - 1]?.after ?? base;
    const saved = {
      first_contentful_paint: before.first_contentful_paint - after.first_contentful_paint,
      total_blocking_time: before.total_blocking_time - after.total_blocking_time,
    };
    return titles[id] ?? titleOfCost(id, documentUrl, saved) ?? id;
  };
  const best = fixes.reduce(
    (most, { after }, at) => (after.score > most.after.score ? { after, count: at + 1 } : most),
    { after: base, count: 0 },
  );
  const pointsAt = (at: number): number => pointsBetween(fixes[at - 1]?.after ?? base, fixes[at]?.after ?? base);
  // The fixes are in order of gain: once one loses points, the others do too.
  const firstLoss = fixes.findIndex((_, at) => at >= best.count && pointsAt(at) < 0);
  const shown = firstLoss === -1 ? fixes : fixes.slice(0, firstLoss);
  const toUnpredicted = (id: string, reason: string) => ({ id, title: titles[id] ?? id, reason });
  return {
    error: measuredErrors.fix,
    steps: shown.map(({ id, after }, at) => ({
      id,
      title: titleAt(at),
      points: pointsAt(at),
      after: toValues(after),
    })),
    reachable: { points: pointsBetween(base, best.after), fixes: best.count, values: toValues(best.after) },
    not_predicted: [
      ...notPredicted,
      ...unusable.map(id => toUnpredicted(id, 'The audit lists no request of the simulation.')),
      ...fixes.slice(shown.length).map(({ id }, at) => ({
        id,
        title: titleAt(shown.length + at),
        reason: 'The simulation shows no gain after the other fixes.',
      })),
    ],
  };
}

const ofDisturbedLoad =
  'This load was disturbed, and the predictions contain the time that it lost. Measure the page again for better ones.';
const ofCorrectedLoad = 'This load waited for a CPU. The predictions are for the load without that wait.';

export function toWhatIf(
  { id, url, strategy, disturbed }: { id: string; url: string; strategy: Strategy; disturbed: boolean | null },
  plan: WhatIfPlan,
  facts: WhatIfFacts,
): WhatIf {
  const { own, base, removals } = facts;
  return {
    id,
    url,
    strategy,
    basis: 'predicted',
    disturbed,
    settings: { cpu_slowdown_multiplier: own.cpu, rtt_ms: own.rttMs, throughput_kbps: own.throughputKbps },
    base: toValues(base),
    third_parties: { error: measuredErrors.third_party, items: toRemovals(removals, 'third_party', base) },
    scripts: { error: measuredErrors.script, items: toRemovals(removals, 'script', base) },
    map: toMap(facts),
    fixes: toFixSteps(facts, plan),
    limits: [
      ...(disturbed ? [plan.order.withoutWait ? ofCorrectedLoad : ofDisturbedLoad] : []),
      ...(gainsIfSlower(facts.cells) ? [higherIfSlower] : []),
      ...limits,
    ],
    links: { result: `/results/${id}` },
  };
}
