import type { Strategy } from '../../contract/names.ts';
import type { Lhr, LhrCategory } from '../../measure/lhr/lhr.ts';

/** A Lighthouse result with what its own report reads, beyond what we do. */
type ReadByReport = Lhr & {
  gatherMode?: string;
  categoryGroups?: Readonly<Record<string, unknown>>;
  i18n?: unknown;
  configSettings?: { screenEmulation?: unknown };
};

/** Its report writes the size as it stands. */
const unknownScreen = (strategy: Strategy) => ({
  mobile: strategy === 'mobile',
  disabled: false,
  width: '?',
  height: '?',
  deviceScaleFactor: '?',
});

/** An audit that was left out cannot be drawn. */
const withAudits = (categories: Lhr['categories'], audits: Lhr['audits']): Record<string, LhrCategory> =>
  Object.fromEntries(
    Object.entries(categories).map(([name, category]) => [
      name,
      { ...category, auditRefs: category.auditRefs.filter(({ id }) => Object.hasOwn(audits, id)) },
    ]),
  );

/** A group of audits without a description has its name for a title. */
const toGroups = ({ categories, categoryGroups = {} }: ReadByReport): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.values(categories).flatMap(({ auditRefs }) =>
      auditRefs.flatMap(({ group }) => (group === undefined ? [] : [[group, { title: group }]])),
    ),
  ),
  ...categoryGroups,
});

/**
 * The result as Lighthouse's report can draw it. The report requires parts that PageSpeed Insights and other servers
 * leave out. They are filled in as unknown where the report has a word for it.
 */
export function toWholeLhr(lhr: ReadByReport, strategy: Strategy): ReadByReport {
  const settings = lhr.configSettings;
  return {
    ...lhr,
    gatherMode: lhr.gatherMode ?? 'navigation',
    runWarnings: lhr.runWarnings ?? [],
    userAgent: lhr.userAgent ?? '',
    environment: {
      networkUserAgent: 'unknown',
      ...lhr.environment,
      // The report counts with it and knows no word for unknown.
      benchmarkIndex: lhr.environment?.benchmarkIndex ?? 0,
    },
    configSettings: { ...settings, screenEmulation: settings?.screenEmulation ?? unknownScreen(strategy) },
    categories: withAudits(lhr.categories, lhr.audits),
    categoryGroups: toGroups(lhr),
    i18n: lhr.i18n ?? { rendererFormattedStrings: {} },
  };
}
