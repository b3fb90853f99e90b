/** Compares pages with themselves: nothing is planted, so every statement beyond noise is false. */
import type { Comparison } from '../../src/contract/analysis/comparison.ts';
import { isStatement } from '../../test/compare/laboratory/compare-plant.ts';
import { type RealPlant, realPlants } from '../../test/compare/laboratory/real-plants.ts';
import { urlOf } from '../../test/compare/laboratory/site.ts';
import { percentile } from '../measure.ts';
import type { Lines } from './lines.ts';

export type BlindPair = {
  kind: 'blind';
  page: string;
  /** Whether another audit ran on the machine at the same time. */
  isBeside: boolean;
  points: number | null;
  verdict: string;
  /** Stated causes other than noise and simulation. */
  stated: readonly string[];
};

export const blindPages = realPlants.filter(({ name }) => name.startsWith('same-'));

/**
 * Causes stated beyond noise. A difference between two simulations of one page is real, so `simulation` does not count.
 */
export const statedIn = ({ causes }: Comparison): string[] =>
  causes
    .filter(cause => cause.cause !== 'simulation' && isStatement(cause))
    .map(({ cause, points, certainty }) => `${cause} (${points ?? '?'}, ${certainty})`);

type Ask = <Body>(target: string) => Promise<Body>;

/** Keeps a second client busy with audits of another page. @returns a function that stops it */
function keepBusy(service: { url: string }, ask: Ask): () => Promise<void> {
  const end = new AbortController();
  const work = (async () => {
    const query = new URLSearchParams({ url: urlOf('same-many'), categories: 'performance' });
    while (!end.signal.aborted) await ask(`${service.url}/lighthouse?${query}`).catch(() => {});
  })();
  return () => {
    end.abort();
    return work;
  };
}

async function compareOne(service: { url: string }, plant: RealPlant, isBeside: boolean, ask: Ask): Promise<BlindPair> {
  const query = new URLSearchParams({ url: urlOf(plant.name), profile: 'psi' });
  const stop = isBeside ? keepBusy(service, ask) : async () => {};
  try {
    const { comparison } = await ask<{ comparison: Comparison }>(`${service.url}/compare?${query}`);
    const points = comparison.scores.performance?.difference ?? null;
    const told = { page: plant.name, isBeside, points, verdict: comparison.explanation, stated: statedIn(comparison) };
    return { kind: 'blind', ...told };
  } finally {
    await stop();
  }
}

/** Compares `count` pairs, the pages in turn, every second pair alongside other audits. */
export async function runBlindPairs(
  service: { url: string },
  { count, lines, ask }: { count: number; lines: Lines<BlindPair>; ask: Ask },
): Promise<void> {
  for (let pair = lines.all.length; pair < count; pair += 1) {
    const plant = blindPages[(pair >> 1) % blindPages.length];
    if (!plant) return;
    const found = await compareOne(service, plant, pair % 2 === 1, ask);
    lines.add(found);
    console.error(
      `  ${pair + 1} of ${count}: ${found.page}${found.isBeside ? ', beside another' : ''}: ${found.verdict}`,
    );
  }
}

const toCells = (pairs: readonly BlindPair[]): string => {
  const gaps = pairs.map(({ points }) => Math.abs(points ?? 0));
  const [half, most] = [0.5, 0.95].map(share => percentile(gaps, share));
  const wrong = pairs.filter(({ stated }) => stated.length > 0).length;
  return `${pairs.length} | ${half} | ${most} | ${Math.max(...gaps)} | ${wrong}`;
};

/** A Markdown table, followed by the false statements. */
export function toBlindTable(pairs: readonly BlindPair[]): string {
  const rows = blindPages.flatMap(({ name, planted }) =>
    [false, true].flatMap(isBeside => {
      const own = pairs.filter(pair => pair.page === name && pair.isBeside === isBeside);
      const where = isBeside ? 'beside other audits' : 'alone';
      return own.length === 0 ? [] : [`| ${planted.replace('nothing: ', '')} | ${where} | ${toCells(own)} |`];
    }),
  );
  const wrong = pairs.filter(({ stated }) => stated.length > 0);
  return [
    '| page | | pairs | points apart: median | 95 % | most | false statements |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    `| all | | ${toCells(pairs)} |`,
    '',
    `${pairs.length - wrong.length} of ${pairs.length} pairs without a false statement`,
    ...wrong.map(
      ({ page, isBeside, stated, verdict }) =>
        `- ${page}${isBeside ? ', beside other audits' : ''}: ${stated.join(', ')}: ${verdict}`,
    ),
  ].join('\n');
}
