/** The phases of the time until the largest paint, as Lighthouse saw them. The page reads them: there is no schema here. */
import { itemsOf, rowsOf } from './details.ts';

export const lcpPhases = ['first_byte', 'load_delay', 'load_duration', 'render_delay'] as const;
export type LcpPhase = (typeof lcpPhases)[number];

const phaseOf: Readonly<Record<string, LcpPhase>> = {
  timeToFirstByte: 'first_byte',
  resourceLoadDelay: 'load_delay',
  resourceLoadDuration: 'load_duration',
  elementRenderDelay: 'render_delay',
};

/** In time's order; empty where the audit is absent. Text has no resource, so two of the four are missing. */
export const lcpPhasesOf = (
  whole: Parameters<typeof rowsOf>[0],
): { readonly phase: LcpPhase; readonly durationMs: number }[] =>
  rowsOf(whole, 'lcp-breakdown-insight')
    .flatMap(itemsOf)
    .flatMap(({ subpart, duration }) => {
      const phase = typeof subpart === 'string' && Object.hasOwn(phaseOf, subpart) ? phaseOf[subpart] : undefined;
      return phase && typeof duration === 'number' && duration >= 0 ? [{ phase, durationMs: duration }] : [];
    });
