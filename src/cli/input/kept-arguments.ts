/** Reads the commands about stored results: `history URL` and `show ID`. */
import { type Category, categoryNames, type MetricName, type Strategy, strategies } from '../../contract/names.ts';
import { toHint } from '../../contract/nearest-name.ts';
import { metricWords } from '../../presentation/metric-range.ts';
import { findSubject } from './assertion.ts';
import { toPageUrls } from './gather-pages.ts';
import { type Given, type OptionName, readChoice, readGiven, readKey, readServer } from './parse-command-line.ts';
import { UsageError } from './usage-error.ts';

type Where = {
  /** URL of a running service, ending with a slash; undefined for a service of the command's own. */
  readonly server: string | undefined;
  readonly apiKey: string | undefined;
  readonly format: 'table' | 'json';
  readonly hasColor: boolean | undefined;
};

export type HistoryWanted = Where & {
  readonly command: 'history';
  readonly url: string;
  readonly metric: Category | MetricName;
  readonly strategy: Strategy;
  readonly source: 'lighthouse' | 'psi';
  readonly label: string | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
};

type ShowWanted = Where & {
  readonly command: 'show';
  readonly id: string;
  /** Whether to list every finding with its tables. */
  readonly isAll: boolean;
};

export type KeptWanted = HistoryWanted | ShowWanted;

const shared: readonly OptionName[] = ['server', 'api-key', 'json', 'no-color'];
const allowed: Readonly<Record<KeptWanted['command'], readonly OptionName[]>> = {
  history: [...shared, 'metric', 'strategy', 'source', 'label', 'since', 'until'],
  show: [...shared, 'all'],
};

function faultsOf(command: KeptWanted['command'], { flags, values, assertions, pages }: Given): string[] {
  const given = [
    ...flags,
    ...(Object.keys(values) as OptionName[]),
    ...new Set(assertions.map(({ option }) => option)),
  ];
  const unknown = given.filter(name => !(allowed[command] as readonly string[]).includes(name));
  const what = command === 'history' ? 'the URL of one page' : 'the id of one result';
  return [
    ...unknown.map(name => `rangelight ${command} has no option --${name}`),
    ...(pages.length === 1 ? [] : [`rangelight ${command} needs ${what}`]),
  ];
}

/** Reads a metric, including the short names of assertions. */
function readMetric(text: string | undefined, faults: string[]): Category | MetricName {
  if (text === undefined) return 'performance';
  const subject = findSubject(text);
  if (subject && subject.kind !== 'fraction') return subject.name;
  const names = [...categoryNames, ...Object.keys(metricWords)];
  faults.push(`unknown score or metric ${text}${toHint(text, names)}`);
  return 'performance';
}

/** @throws UsageError */
export function readKeptArguments(
  command: KeptWanted['command'],
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): KeptWanted {
  const faults: string[] = [];
  const given = readGiven(args, faults);
  const { flags, values, pages } = given;
  faults.push(...faultsOf(command, given));
  const where: Where = {
    server: readServer(values.server, faults),
    apiKey: readKey(values['api-key'], env.RANGELIGHT_API_KEY, faults),
    format: flags.has('json') ? 'json' : 'table',
    hasColor: flags.has('no-color') ? false : undefined,
  };
  const history = {
    metric: readMetric(values.metric, faults),
    strategy: readChoice('strategy', values.strategy, strategies, faults) ?? 'mobile',
    source: readChoice('source', values.source, ['lighthouse', 'psi'] as const, faults) ?? 'lighthouse',
  };
  if (faults.length > 0) throw new UsageError(faults);
  const [subject = ''] = pages;
  if (command === 'show') return { command, ...where, id: subject, isAll: flags.has('all') };
  const { label, since, until } = values;
  return { command, ...where, ...history, url: toPageUrls([subject])[0] ?? '', label, since, until };
}
