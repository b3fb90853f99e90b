/** Element and phases of the largest contentful paint. */

import { detailsOf, isObject, itemsOf, type Json } from '../../contract/result/details.ts';
import { type LcpPhase, lcpPhases, lcpPhasesOf } from '../../contract/result/lcp-phases.ts';
import { toElementPicture } from './pictures.ts';
import { textOf, type Whole } from './read.ts';

export const phaseWords: Readonly<Record<LcpPhase, readonly [label: string, meaning: string]>> = {
  first_byte: ['Time to first byte', 'until the document started to arrive'],
  load_delay: ['Load delay', 'until its resource was requested'],
  load_duration: ['Load duration', 'while its resource was loaded'],
  render_delay: ['Render delay', 'from there until it was shown'],
};

/** Returns the element. The newer audit lists it next to the phases, the older one in a separate table. */
const elementOf = (whole: Whole): Json | undefined => {
  const newer = itemsOf(detailsOf(whole, 'lcp-breakdown-insight'));
  const older = itemsOf(detailsOf(whole, 'largest-contentful-paint-element')).flatMap(itemsOf);
  const nodes = [...newer, ...older.map(({ node }) => node)];
  return nodes.filter(isObject).find(({ type }) => type === 'node');
};

export type PhaseTime = ReturnType<typeof toPhases>[number];

/** Returns phases with their share of the whole, 0 to 1. */
function toPhases(whole: Whole) {
  const known = lcpPhasesOf(whole);
  const sum = known.reduce((total, { durationMs }) => total + durationMs, 0);
  if (sum === 0) return [];
  return lcpPhases.flatMap(phase =>
    known.filter(entry => entry.phase === phase).map(entry => ({ ...entry, share: entry.durationMs / sum })),
  );
}

export type Lcp = NonNullable<ReturnType<typeof toLcp>>;

/** Reads the largest contentful paint; undefined if Lighthouse reports neither the element nor the phases. */
export function toLcp(whole: Whole) {
  const element = elementOf(whole);
  const phases = toPhases(whole);
  if (!element && phases.length === 0) return undefined;
  return {
    label: textOf(element?.nodeLabel),
    selector: textOf(element?.selector),
    snippet: textOf(element?.snippet),
    picture: toElementPicture(whole, element?.lhId),
    phases,
  };
}
