/** What the time until the largest paint is made of, as Lighthouse saw it. */

export const lcpPhases = ['first_byte', 'load_delay', 'load_duration', 'render_delay'] as const;
export type LcpPhase = (typeof lcpPhases)[number];

const phaseOf: Readonly<Record<string, LcpPhase>> = {
  timeToFirstByte: 'first_byte',
  resourceLoadDelay: 'load_delay',
  resourceLoadDuration: 'load_duration',
  elementRenderDelay: 'render_delay',
};

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const itemsOf = (value: unknown): Json[] =>
  isObject(value) && Array.isArray(value.items) ? value.items.filter(isObject) : [];

type WithAudits = { readonly audits?: Readonly<Record<string, { readonly details?: unknown } | undefined>> };

/** In time's order; empty where the audit is absent. Text has no resource, so two of the four are missing. */
export const lcpPhasesOf = ({ audits }: WithAudits): { readonly phase: LcpPhase; readonly durationMs: number }[] =>
  itemsOf(audits?.['lcp-breakdown-insight']?.details)
    .flatMap(itemsOf)
    .flatMap(({ subpart, duration }) => {
      const phase = typeof subpart === 'string' && Object.hasOwn(phaseOf, subpart) ? phaseOf[subpart] : undefined;
      return phase && typeof duration === 'number' && duration >= 0 ? [{ phase, durationMs: duration }] : [];
    });
