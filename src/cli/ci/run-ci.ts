/**
 * `rangelight ci`: checks what was configured, starts the site, measures each page, compares it with its baseline, and
 * writes what pipelines read. It fails only on what is decided.
 */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type RequestCategory, type Strategy, strategies } from '../../contract/names.ts';
import type { ResultsComparison } from '../../contract/stored/change.ts';
import type { KeptPage } from '../../contract/stored/kept.ts';
import { type Assertion, checkAssertion, isOfPage } from '../input/assertion.ts';
import { faultsOfAssertions, readAssertions } from '../input/assertions.ts';
import { toPageUrls } from '../input/gather-pages.ts';
import { readServer } from '../input/given.ts';
import { type MinEffect, readMinEffect } from '../input/min-effect.ts';
import { UsageError } from '../input/usage-error.ts';
import type { Wanted } from '../input/wanted.ts';
import {
  columnsOfMeasurement,
  type FinishedMeasurement,
  type Measurement,
  runMeasurements,
  toMeasurements,
  wholeColumnsOf,
} from '../measurements.ts';
import { closeService, openService } from '../open-service.ts';
import { type Asking, askForJson, sayFailure } from '../run-kept.ts';
import { toKeptAt, toRowCheck } from '../show-results.ts';
import { exitCodes, type Running, write } from '../surroundings.ts';
import { toFailureCell } from '../text/cells.ts';
import { toPlainBody, toPlainJson, toPlainLine } from '../text/terminal/plain-text.ts';
import { type CiWanted, ciHelp, readCiArguments } from './ci-arguments.ts';
import { CiConfig } from './config-schema.ts';
import { createMask, type Names, readNames } from './names.ts';
import {
  byChange,
  isFailing,
  type Report,
  type Row,
  rowValuesOf,
  sayFile,
  sayVerdict,
  stateWords,
  toAnnotations,
} from './outputs.ts';
import { type ReadConfig, readConfig } from './read-config.ts';
import { type StartedServer, startServerCommand } from './server-command.ts';
import { toJsonReport, writeOutputs } from './write-outputs.ts';

/** How often a growing set of runs is compared: once, and again with five more runs if the first look leaves it open. */
const looks = 2;

type Baseline = { readonly label: string } | { readonly branch: string };

type Plan = {
  readonly urls: readonly string[];
  readonly strategies: readonly Strategy[];
  readonly categories: readonly RequestCategory[] | undefined;
  readonly runs: number | 'auto';
  readonly assertions: readonly Assertion[];
  readonly minEffect: MinEffect;
  readonly baseline: Baseline;
  readonly label: string;
  /** The label of a baseline that does not exist yet. */
  readonly firstLabel: string;
  readonly server: string | undefined;
  readonly store: string;
  readonly isStrict: boolean;
};

const toUrls = ({ urls, server }: CiConfig): string[] =>
  toPageUrls(urls.map(url => (url.startsWith('/') && server ? new URL(url, server.url).href : url)));

function toBaseline({ baseline }: CiConfig, wanted: CiWanted, names: Names): Baseline {
  if (wanted.baseline !== undefined) return { label: wanted.baseline };
  if (baseline?.label !== undefined && baseline.branch !== undefined)
    throw new UsageError(['baseline: give "branch" or "label", not both']);
  if (baseline?.label !== undefined) return { label: baseline.label };
  return { branch: baseline?.branch ?? names.target };
}

function toFirstLabel(baseline: Baseline, label: string, names: Names): string {
  if ('label' in baseline) return baseline.label;
  return label.startsWith(`${baseline.branch}@`) ? label : names.toLabel(baseline.branch);
}

/** Everything that can be wrong before anything is started. @throws UsageError with every fault */
function toPlan({ config, folder }: ReadConfig, wanted: CiWanted, names: Names): Plan {
  const faults: string[] = [];
  const measured = { strategies: config.strategies ?? strategies, categories: config.categories };
  const texts = (config.assert ?? []).map(text => ({ option: 'assert' as const, text }));
  const assertions = readAssertions({ assertions: texts, values: {} }, measured, faults);
  faults.push(...faultsOfAssertions({ ...measured, assertions, backend: 'local' }));
  const label = wanted.label ?? config.label ?? names.toLabel(names.branch ?? 'local');
  const baseline = toBaseline(config, wanted, names);
  if (/[\p{Cc}]/u.test(label)) faults.push('label: it is one line without control characters');
  if ('label' in baseline && baseline.label === label)
    faults.push(`label: results of this run and its baseline are both '${label}'; give them different labels`);
  const plan: Plan = {
    urls: toUrls(config),
    ...measured,
    runs: config.runs ?? 'auto',
    assertions,
    minEffect: readMinEffect(config.minEffect, faults),
    baseline,
    label,
    firstLabel: toFirstLabel(baseline, label, names),
    server: wanted.server ?? readServer(config.service, faults),
    store: resolve(folder, config.store ?? '.rangelight'),
    isStrict: wanted.isStrict || config.strict === true,
  };
  const unused = assertions.filter(assertion => !plan.urls.some(url => isOfPage(assertion, url)));
  faults.push(...unused.map(({ text }) => `assert: '${text}' fits no page of "urls"`));
  if (faults.length > 0)
    throw new UsageError(faults.map(fault => fault.replace(/^--assert '/, "assert: '").replace(/^--/, '')));
  return plan;
}

/** A service that cannot be used, before anything was measured. */
class CiFailure extends Error {}

const ask = async (path: string, asking: Asking): Promise<unknown> => {
  const reply = await askForJson(path, asking);
  if (!reply.ok) throw new CiFailure(sayFailure(reply));
  return toPlainBody(reply.body);
};

/** The label of the baseline of one page; undefined where there is none yet. */
async function findBaseline(job: Measurement, { baseline, label }: Plan, asking: Asking) {
  const { url, strategy } = job;
  const query = new URLSearchParams({ url, strategy, source: 'lighthouse', kind: 'result', limit: '1000' });
  if ('label' in baseline) query.set('label', baseline.label);
  const { results } = (await ask(`results?${query}`, asking)) as KeptPage;
  if ('label' in baseline) return results[0];
  return results.find(({ label: name }) => name !== label && name?.startsWith(`${baseline.branch}@`));
}

type Found = NonNullable<Awaited<ReturnType<typeof findBaseline>>>;

/** What will keep the two sides from being compared, said before minutes of measuring. */
function sayUnlike({ url, strategy }: Measurement, { profile, analyser }: Found, version: string): string[] {
  const about = `${url} (${strategy})`;
  const measuredWith = analyser.lighthouse_version;
  return [
    ...(profile !== null && profile !== 'lighthouse'
      ? [`${about}: the baseline was measured with profile ${profile}; the results cannot be compared.`]
      : []),
    ...(measuredWith !== null && measuredWith !== version
      ? [
          `${about}: the baseline was measured with Lighthouse ${measuredWith}, this service has ${version}; its stored loads are audited again if they are still here.`,
        ]
      : []),
  ];
}

type Outcome = Pick<Row, 'state' | 'explanation' | 'runs' | 'points' | 'files'>;

const nothing = { runs: undefined, points: null, files: [] } as const;

/** Files that changed: those of the simulated loads with their effects, else those of two single runs. */
function filesOf({ alike, requests }: ResultsComparison): Row['files'] {
  if (alike && alike.files.length > 0) return alike.files;
  const none = { before: 0, after: 0 };
  type Sides = typeof none;
  const toFile = (kind: 'added' | 'removed' | 'size', url: string, bytes: Sides, type: string | null) => ({
    kind,
    url,
    type: type ?? '',
    bytes,
    cpu_ms: none,
    requests: none,
  });
  return [
    ...(requests?.added ?? []).map(({ url, bytes, type }) => toFile('added', url, { before: 0, after: bytes }, type)),
    ...(requests?.removed ?? []).map(({ url, bytes, type }) =>
      toFile('removed', url, { before: bytes, after: 0 }, type),
    ),
    ...(requests?.changed ?? []).map(({ url, before, after, type }) =>
      toFile('size', url, { before: before.bytes, after: after.bytes }, type),
    ),
  ].toSorted((a, b) => Math.abs(b.bytes.after - b.bytes.before) - Math.abs(a.bytes.after - a.bytes.before));
}

async function compare(
  before: string,
  { url, strategy }: Measurement,
  { label, minEffect }: Plan,
  asking: Asking,
): Promise<Outcome & { isOpen: boolean }> {
  const query = new URLSearchParams({
    before,
    after: label,
    url,
    strategy,
    source: 'lighthouse',
    looks: `${looks}`,
    ...minEffect,
  });
  const reply = await askForJson(`compare-results?${query}`, asking);
  if (!reply.ok) return { ...nothing, state: 'not_compared', explanation: sayFailure(reply), isOpen: false };
  const body = toPlainBody(reply.body) as ResultsComparison;
  const { verdict, scores, alike } = body;
  const decided =
    (verdict.judged_by === 'simulated_alike' ? alike?.scores.performance : undefined) ?? scores.performance;
  return {
    state: verdict.status,
    explanation: verdict.explanation,
    runs: [body.before.runs, body.after.runs],
    points: decided?.difference ?? null,
    files: filesOf(body),
    isOpen: verdict.status === 'undecided' && verdict.more_runs !== null,
  };
}

type Context = { readonly plan: Plan; readonly asking: Asking; readonly baselines: ReadonlyMap<Measurement, Found> };

const measureOne = async (job: Measurement, { plan, asking }: Context, label: string, runs: number | 'auto') => {
  const wanted: Wanted = {
    pages: [],
    file: undefined,
    backend: 'local',
    strategies: [job.strategy],
    categories: plan.categories,
    runs,
    profile: undefined,
    cpu: undefined,
    isExclusive: false,
    label,
    baseline: undefined,
    minEffect: {},
    isStrict: false,
    server: plan.server,
    apiKey: undefined,
    format: 'json',
    html: undefined,
    junit: undefined,
    markdown: undefined,
    assertions: plan.assertions,
    isAll: false,
    isQuiet: true,
    hasColor: false,
  };
  const [finished] = await runMeasurements(toMeasurements([job.url], wanted), {
    ...asking,
    atOnce: 1,
    onProgress: () => {},
    onDone: () => {},
  });
  asking.signal.throwIfAborted();
  return finished;
};

function toRow(
  measured: FinishedMeasurement | undefined,
  job: Measurement,
  { plan }: Context,
  outcome: Outcome,
  baseline: string | undefined,
): Row {
  const [column] = measured ? columnsOfMeasurement(measured) : [];
  const shared = { url: job.url, strategy: job.strategy, source: 'lighthouse' } as const;
  if (!measured || !column?.part.ok) {
    const explanation =
      column && !column.part.ok ? toPlainLine(toFailureCell(column.part.failure)) : 'The page was not measured.';
    return {
      ...shared,
      ...nothing,
      state: 'failed',
      explanation,
      baseline,
      scores: {},
      metrics: {},
      checks: [],
      id: undefined,
      link: undefined,
    };
  }
  const { result } = column.part;
  const checks = plan.assertions.flatMap(assertion =>
    checkAssertion(assertion, job.url, wholeColumnsOf(measured)).map(toRowCheck),
  );
  const kept = toKeptAt({ server: plan.server, backend: 'local', categories: plan.categories }, measured);
  // Without a service they are in the store of the project, which is no default of the command.
  const link = kept !== undefined && plan.server === undefined ? `DATA_DIR=${plan.store} ${kept}` : kept;
  return { ...shared, ...outcome, ...rowValuesOf(result), baseline, checks, id: result.id, link };
}

/** Measures one page until it is decided, or the last look. */
async function judge(job: Measurement, context: Context): Promise<Row> {
  const { plan, baselines, asking } = context;
  const before = baselines.get(job)?.label ?? undefined;
  const label = before === undefined ? plan.firstLabel : plan.label;
  const measured = await measureOne(job, context, label, plan.runs);
  const isMeasured = measured !== undefined && columnsOfMeasurement(measured).some(({ part }) => part.ok);
  const created: Outcome = {
    ...nothing,
    state: 'created',
    explanation: `No baseline existed; these results are stored as '${label}'.`,
  };
  if (before === undefined || !isMeasured) return toRow(measured, job, context, created, before);
  let outcome = await compare(before, job, plan, asking);
  if (outcome.isOpen) {
    await measureOne(job, context, label, 5);
    outcome = await compare(before, job, plan, asking);
  }
  const { isOpen: _, ...said } = outcome;
  return toRow(measured, job, context, said, before);
}

const sayRow = (row: Row): string => {
  const missed = row.checks
    .filter(({ passed }) => !passed)
    .map(({ text, measured }) => `${text}, measured ${measured}`);
  const details = row.state === 'no_difference' || row.state === 'created' ? [] : [row.explanation];
  return [`${stateWords[row.state]}: ${row.url} (${row.strategy})`, ...details, ...missed].join(' · ');
};

/** The verdict first, then one paragraph for each result that is not as before. */
function toText(report: Report): string {
  const told = byChange(report.rows, report.isStrict).filter(
    row => row.state !== 'no_difference' || row.checks.some(({ passed }) => !passed),
  );
  const paragraphs = told.map(row => [
    `${stateWords[row.state]}: ${row.url} (${row.strategy})${row.baseline === undefined ? '' : ` against ${row.baseline}`}`,
    `  ${row.explanation}`,
    ...row.files.slice(0, 3).map(file => `  ${sayFile(file)}`),
    ...row.checks
      .filter(({ passed }) => !passed)
      .map(check => `  ${check.isWarning ? 'warning' : 'budget missed'}: ${check.text}, measured ${check.measured}`),
    ...(row.link === undefined ? [] : [`  ${row.link}`]),
  ]);
  return `${[sayVerdict(report), ...paragraphs.map(lines => lines.join('\n'))].join('\n\n')}\n`;
}

const toExitCode = ({ rows, unused, isStrict }: Report): number => {
  if (rows.some(({ state }) => state === 'failed')) return exitCodes.analysisFailed;
  const fails = rows.some(row => isFailing(row, isStrict)) || unused.some(({ isWarning }) => !isWarning);
  return fails ? exitCodes.assertionFailed : exitCodes.fine;
};

type Site = { readonly config: CiConfig; readonly folder: string };

const startSite = async (
  { config, folder }: Site,
  { env, signal }: Pick<Running, 'env' | 'signal'>,
): Promise<StartedServer | undefined> => {
  if (!config.server) return undefined;
  // The site has no use for the key of the service.
  const { RANGELIGHT_API_KEY: _, ...rest } = env;
  return startServerCommand(config.server, { cwd: folder, env: rest, signal }).catch(error => {
    signal.throwIfAborted();
    throw new CiFailure(error instanceof Error ? error.message : String(error));
  });
};

async function measureAll(
  read: ReadConfig,
  plan: Plan,
  wanted: CiWanted,
  around: Running,
  tell: (line: string) => Promise<unknown>,
): Promise<Row[]> {
  const { env, signal, stderr } = around;
  if (plan.server === undefined) mkdirSync(plan.store, { recursive: true });
  const service = await openService(
    { server: plan.server },
    { stderr, env: { ...env, DATA_DIR: plan.store, RANGELIGHT_DATABASE_URL: '' } },
  );
  try {
    const asking = { baseUrl: service.baseUrl, apiKey: plan.server ? wanted.apiKey : undefined, signal };
    const { lighthouse } = (await ask('health', asking)) as { lighthouse: { version: string } };
    const jobs = plan.urls
      .flatMap(url => plan.strategies.map(strategy => ({ url, strategy })))
      .map(
        (job, index): Measurement => ({
          index,
          ...job,
          call: { method: 'GET', path: '', lanes: [{ source: 'lighthouse', strategy: job.strategy }] },
        }),
      );
    const baselines = new Map<Measurement, Found>();
    for (const job of jobs) {
      const found = await findBaseline(job, plan, asking);
      if (!found) continue;
      baselines.set(job, found);
      for (const note of sayUnlike(job, found, lighthouse.version)) await tell(`Note: ${note}`);
    }
    const site = await startSite(read, around);
    try {
      const rows: Row[] = [];
      for (const [at, job] of jobs.entries()) {
        const row = await judge(job, { plan, asking, baselines });
        rows.push(row);
        if (!wanted.isQuiet) await tell(`${at + 1} of ${jobs.length} · ${sayRow(row)}`);
      }
      return rows;
    } finally {
      await site?.stop();
    }
  } finally {
    await closeService(service, around);
  }
}

/** @returns the exit code. @throws UsageError, SettingsError, the signal's reason */
export async function runCi(args: readonly string[], around: Running): Promise<number> {
  const { env, results, stderr } = around;
  const wanted = readCiArguments(args, env);
  if (wanted.shows !== undefined) {
    await results.write(wanted.shows === 'help' ? ciHelp : `${JSON.stringify(CiConfig, undefined, 2)}\n`);
    return exitCodes.fine;
  }
  const mask = createMask(env);
  const tell = (line: string) => write(stderr, `${mask(line.split('\n').map(toPlainLine).join('\n'))}\n`);
  const read = await readConfig(wanted.config, process.cwd());
  for (const note of read.notes) await tell(`Note: ${note}`);
  const plan = toPlan(read, wanted, readNames(env, read.folder, Date.now().toString(36)));
  let rows: Row[];
  try {
    rows = await measureAll(read, plan, wanted, around, tell);
  } catch (error) {
    if (!(error instanceof CiFailure)) throw error;
    await tell(error.message);
    return exitCodes.analysisFailed;
  }
  const report: Report = { rows, unused: [], isStrict: plan.isStrict };
  const exitCode = toExitCode(report);
  const files = { ...inFolder(read), ...given(wanted.files) };
  await writeOutputs(report, files, { env, mask, exitCode });
  await results.write(mask(wanted.isJson ? `${toPlainJson(toJsonReport(report, exitCode), 2)}\n` : toText(report)));
  if (env.GITHUB_ACTIONS === 'true')
    await write(wanted.isJson ? stderr : around.stdout, mask(`${toAnnotations(report).join('\n')}\n`));
  return exitCode;
}

const given = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

const inFolder = ({ config, folder }: ReadConfig) =>
  Object.fromEntries(Object.entries(config.output ?? {}).map(([name, path]) => [name, resolve(folder, path)]));
