/** The phases of the largest contentful paint in Lighthouse's result. The page reads them, so there is no schema. */
import { itemsOf, rowsOf } from './details.ts';

export const lcpPhases = ['first_byte', 'load_delay', 'load_duration', 'render_delay'] as const;
export type LcpPhase = (typeof lcpPhases)[number];

const phaseOf: Readonly<Record<string, LcpPhase>> = {
  timeToFirstByte: 'first_byte',
  resourceLoadDelay: 'load_delay',
  resourceLoadDuration: 'load_duration',
  elementRenderDelay: 'render_delay',
};

/** Returns the phases in order; empty if the audit is absent. Text has no resource, so it has only two of the four. */
export const lcpPhasesOf = (
  whole: Parameters<typeof rowsOf>[0],
): { readonly phase: LcpPhase; readonly durationMs: number }[] =>
  rowsOf(whole, 'lcp-breakdown-insight')
    .flatMap(itemsOf)
    .flatMap(({ subpart, duration }) => {
      const phase = typeof subpart === 'string' && Object.hasOwn(phaseOf, subpart) ? phaseOf[subpart] : undefined;
      return phase && typeof duration === 'number' && duration >= 0 ? [{ phase, durationMs: duration }] : [];
    });
