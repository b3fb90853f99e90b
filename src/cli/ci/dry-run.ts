/** `rangelight ci --dry-run`: prints what a configuration means, each part with its line, and measures nothing. */
import { categoryNames } from '../../contract/names.ts';
import { isObject } from '../../contract/result/details.ts';
import { UsageError } from '../input/usage-error.ts';
import { toPlainLine } from '../text/terminal/plain-text.ts';
import type { ReadConfig } from './config/read-config.ts';
import { matchesUrl, sayAssertion, sayPattern } from './judge-runs.ts';
import type { Plan } from './plan.ts';

/** `pages` is the regular expression of final URLs, `runs` says how their values become one. */
type PlacedAssertion = { text: string; at: string; pages?: string; runs?: string };

/** Says a condition without the secrets of an access and without the text of a CA. */
const sayCondition = (name: string, value: unknown): string =>
  isObject(value) && name !== 'hosts'
    ? Object.keys(value).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

/** @throws UsageError if the configuration asserts nothing about its pages */
export function toDryRun({ config, asserts, lhci, notes, lineOf }: ReadConfig, plan: Plan) {
  const isUsed = ({ pattern }: (typeof lhci)[number]) =>
    pattern === undefined || plan.urls.some(url => matchesUrl(pattern, url));
  const [first] = lhci;
  if (first && !lhci.some(isUsed))
    throw new UsageError([`${first.at}: no matchingUrlPattern matches a page; correct one, or name the final URLs`]);
  const { server } = config;
  const settingAt = (name: 'runs' | 'strategies' | 'categories') =>
    config[name] === undefined ? 'default' : lineOf(`/${name}`);
  return {
    pages: plan.urls.map((url, at) => ({ text: url, at: lineOf(`/urls/${at}`) })),
    settings: {
      runs: { text: String(plan.runs), at: settingAt('runs') },
      strategies: { text: plan.strategies.join(', '), at: settingAt('strategies') },
      categories: { text: (plan.categories ?? categoryNames).join(', '), at: settingAt('categories') },
      ...(server && {
        server: {
          text: `${server.command} (waits ${server.timeout ?? 60} s for ${server.url})`,
          at: lineOf('/server'),
        },
      }),
      ...Object.fromEntries(
        Object.entries(plan.conditions ?? {}).map(([name, value]) => [
          name,
          { text: sayCondition(name, value), at: lineOf(`/${name}`) },
        ]),
      ),
    },
    assertions: [
      ...asserts.map(({ text, at }): PlacedAssertion => ({ text, at })),
      ...lhci.flatMap(assertion =>
        assertion.limits.map(limit => ({
          text: sayAssertion(assertion, limit),
          at: assertion.at,
          ...(assertion.pattern && { pages: sayPattern(assertion.pattern) }),
          runs: assertion.method,
        })),
      ),
    ],
    left_out: [...notes, ...plan.notes],
  };
}

const toLines = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}\n${lines.map(line => `  ${toPlainLine(line)}\n`).join('')}\n`;

export const sayDryRun = ({ pages, settings, assertions, left_out: notes }: ReturnType<typeof toDryRun>): string =>
  [
    toLines(
      'Pages',
      pages.map(({ text, at }) => `${text} · ${at}`),
    ),
    toLines(
      'Settings',
      Object.entries(settings).map(([name, { text, at }]) => `${name}: ${text} · ${at}`),
    ),
    toLines(
      'Assertions',
      assertions.map(({ text, at, pages: pattern, runs }) =>
        [text, runs, pattern === undefined ? undefined : `pages ${pattern}`, at].filter(Boolean).join(' · '),
      ),
    ),
    toLines('Notes', notes),
  ]
    .join('')
    .trimEnd()
    .concat('\n');
