/**
 * `rangelight ci`: checks the configuration, starts the site, measures each page, compares it with its baseline, and
 * writes files for the pipeline. An undecided verdict fails it only with `--strict`.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../../contract/errors.ts';
import { pickConditions } from '../../contract/measuring-options.ts';
import type { KeptFacts } from '../../contract/stored/kept.ts';
import { type Asking, addNote, ask, CommandFailure } from '../ask-json.ts';
import { exitCodes, type Running, write } from '../command-context.ts';
import type { Wanted } from '../input/arguments.ts';
import { loadConditions } from '../input/load-conditions.ts';
import { UsageError } from '../input/usage-error.ts';
import { withService } from '../open-service.ts';
import { toPlainBody, toPlainJson, toPlainLine } from '../text/terminal/plain-text.ts';
import { readScreen } from '../text/terminal/screen.ts';
import { storeBaseline, sweepStore } from './baseline-file.ts';
import { type CiPage, findBaseline, sayUnlike } from './baselines.ts';
import { CiConfig } from './config/config-schema.ts';
import { type ReadConfig, readConfig } from './config/read-config.ts';
import { sayDryRun, toDryRun } from './dry-run.ts';
import { sayPattern } from './judge-runs.ts';
import { createMask, maskTexts } from './mask.ts';
import { allRuns, judgePage } from './measure-page.ts';
import { readNames } from './names.ts';
import { isFailing, type Report, type Row, type RowCheck } from './outputs/report.ts';
import { sayRow, toAnnotations, toText } from './outputs/text.ts';
import { type OutputFiles, toJsonReport, tryToWrite, writeOutputs, writeResults } from './outputs/write-outputs.ts';
import { type Plan, toPlan } from './plan.ts';
import { type StartedServer, startServerCommand } from './server-command.ts';

const toExitCode = ({ rows, unused, isStrict }: Report): number => {
  if (rows.some(({ state }) => state === 'failed')) return exitCodes.analysisFailed;
  if (unused.length > 0) return exitCodes.usage;
  return rows.some(row => isFailing(row, isStrict)) ? exitCodes.assertionFailed : exitCodes.fine;
};

/** Returns the assertions of a lighthouserc if none of their patterns matched a page: nothing was asserted. */
const findUnused = ({ lhci }: Plan, rows: readonly Row[]): RowCheck[] =>
  rows.some(({ state, checks }) => state === 'failed' || checks.some(({ text }) => text !== allRuns))
    ? []
    : [...new Set(lhci.map(({ pattern }) => (pattern ? sayPattern(pattern) : '.*')))].map(source => ({
        text: `matchingUrlPattern ${source}`,
        measured: 'no page matches',
        passed: false,
        isWarning: false,
      }));

const startSite = async (
  { config: { server }, folder, isLighthouserc }: ReadConfig,
  { conditions }: Pick<Plan, 'conditions'>,
  { env, signal }: Pick<Running, 'env' | 'signal'>,
  tell: (line: string) => Promise<unknown>,
): Promise<StartedServer | undefined> => {
  if (!server) return undefined;
  // The site does not need the API key of the service.
  const { RANGELIGHT_API_KEY: _, ...rest } = env;
  // Lighthouse CI starts the server in the working folder.
  const around = { cwd: isLighthouserc ? process.cwd() : folder, env: rest, signal };
  const started = await startServerCommand({ ...server, conditions, mayRun: isLighthouserc }, around).catch(error => {
    signal.throwIfAborted();
    throw new CommandFailure(messageOf(error));
  });
  if (!started) await tell(`Note: ${server.url} responds already, so the server command is not started.`);
  return started;
};

function makeFolder(path: string): void {
  try {
    if (mkdirSync(path, { recursive: true })) writeFileSync(join(path, '.gitignore'), '*\n');
  } catch (error) {
    throw new CommandFailure(`The results cannot be stored: ${messageOf(error)}`);
  }
}

/** @returns the rows, and a sentence if their results cannot be written. @throws CommandFailure, the signal's reason */
async function measureAll(
  read: ReadConfig,
  plan: Plan,
  wanted: Wanted<'ci'>,
  around: Running,
  { tell, mask }: { tell(line: string): Promise<unknown>; mask(text: string): string },
): Promise<{ rows: Row[]; faults: string[] }> {
  const { env, signal, stderr } = around;
  if (plan.server === undefined) makeFolder(plan.store);
  if (plan.file) await storeBaseline(plan.file, plan.store);
  const measured = await withService(
    { server: plan.server, apiKey: wanted.apiKey },
    { stderr, signal, env: { ...env, DATA_DIR: plan.store, RANGELIGHT_DATABASE_URL: '' } },
    async asking => {
      const jobs = await findBaselines(plan, asking, tell);
      const site = await startSite(read, plan, around, tell);
      try {
        if (plan.server !== undefined) await noteCommit(plan, asking, tell);
        const rows: Row[] = [];
        for (const [at, { page, baseline }] of jobs.entries()) {
          const place = `${at + 1} of ${jobs.length}`;
          if (!wanted.quiet) await tell(`${place} · measuring ${page.url} (${page.strategy}) …`);
          const row = await judgePage(page, baseline, { plan, asking });
          rows.push(row);
          if (!wanted.quiet) await tell(`${place} · ${sayRow(row)}`);
        }
        const path = read.config.output?.results;
        if (path === undefined) return { rows, faults: [] };
        const file = resolve(read.folder, path);
        const faults = await tryToWrite(file, () => writeResults(file, rows, { asking, mask }));
        signal.throwIfAborted();
        return { rows, faults };
      } finally {
        await site?.stop();
      }
    },
  );
  // A failed sweep does not fail the run: the next one sweeps again.
  if (plan.server === undefined) await sweepStore(plan.store, env).catch(() => {});
  return measured;
}

/** Adds a note about the commit to the histories of each site. A service that cannot take it fails no pipeline. */
async function noteCommit({ urls, note }: Plan, asking: Asking, tell: (line: string) => Promise<unknown>) {
  for (const site of new Set(urls.map(url => new URL(url).origin)))
    try {
      await addNote({ ...note, site }, asking);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      return tell(`Note: the service took no note of this commit: ${error.message}`);
    }
}

/**
 * Returns every page with its baseline, if it has one.
 * @throws UsageError if a label was given, and no page has results under it; CommandFailure
 */
async function findBaselines(
  plan: Plan,
  asking: Asking,
  tell: (line: string) => Promise<unknown>,
): Promise<{ page: CiPage; baseline: KeptFacts | undefined }[]> {
  const { lighthouse } = toPlainBody(await ask('health', asking)) as { lighthouse: { version: string } };
  const found: { page: CiPage; baseline: KeptFacts | undefined }[] = [];
  for (const page of plan.urls.flatMap(url => plan.strategies.map(strategy => ({ url, strategy })))) {
    const baseline = await findBaseline(page, plan, asking);
    found.push({ page, baseline });
    if (baseline) for (const note of sayUnlike(page, baseline, lighthouse.version)) await tell(`Note: ${note}`);
  }
  if ('label' in plan.baseline && found.every(({ baseline }) => baseline === undefined))
    throw new UsageError([`no page has a result labelled '${plan.baseline.label}', the baseline; store one first`]);
  return found;
}

async function runMasked(wanted: Wanted<'ci'>, around: Running, mask: (text: string) => string): Promise<number> {
  const { env, results, stderr } = around;
  if (wanted.printSchema) {
    await results.write(`${JSON.stringify(CiConfig, undefined, 2)}\n`);
    return exitCodes.fine;
  }
  const tell = (line: string) => write(stderr, `${mask(line.split('\n').map(toPlainLine).join('\n'))}\n`);
  const read = await readConfig(wanted.config, process.cwd());
  if (!wanted.dryRun) for (const note of read.notes) await tell(`Note: ${note}`);
  const conditions = await loadConditions(wanted, env, pickConditions(read.config), {
    at: read.lineOf('/access'),
    folder: read.folder,
  });
  const names = readNames(env, read.folder, Date.now().toString(36));
  const plan: Plan = { ...toPlan(read, wanted, names, env), conditions };
  if (wanted.dryRun) {
    const planned = maskTexts(toDryRun(read, plan), mask);
    await results.write(wanted.json ? `${toPlainJson(planned, 2)}\n` : sayDryRun(planned));
    return exitCodes.fine;
  }
  for (const note of plan.notes) await tell(`Note: ${note}`);
  if (plan.server === undefined && env.RANGELIGHT_DATABASE_URL)
    await tell(`Note: RANGELIGHT_DATABASE_URL is not used: the results are stored in ${plan.store}.`);
  let measured: Awaited<ReturnType<typeof measureAll>>;
  try {
    measured = await measureAll(read, plan, wanted, around, { tell, mask });
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    await tell(error.message);
    return exitCodes.analysisFailed;
  }
  const unused = findUnused(plan, measured.rows);
  const report: Report = maskTexts({ rows: measured.rows, unused, isStrict: plan.isStrict }, mask);
  const { junit, markdown, gitlab } = wanted;
  const outputs = { ...inFolder(read), ...given({ junit, markdown, gitlab }) };
  const faults = [...measured.faults];
  const exitCode = await show(report, wanted, { ...around, outputs, faults });
  for (const fault of faults) await tell(fault);
  return faults.length > 0 ? exitCodes.analysisFailed : exitCode;
}

/** Prints the report before it writes files. @param faults receives a sentence for each file that cannot be written */
async function show(
  report: Report,
  wanted: Wanted<'ci'>,
  { env, results, stdout, stderr, outputs, faults }: Running & { outputs: Readonly<OutputFiles>; faults: string[] },
): Promise<number> {
  const exitCode = toExitCode(report);
  const columns = stdout.isTTY || env.COLUMNS ? readScreen(false, env, stdout).columns : undefined;
  await results.write(wanted.json ? `${toPlainJson(toJsonReport(report, exitCode), 2)}\n` : toText(report, columns));
  if (env.GITHUB_ACTIONS === 'true')
    await write(wanted.json ? stderr : stdout, `${toAnnotations(report).join('\n')}\n`);
  faults.push(...(await writeOutputs(report, outputs, { env, exitCode })));
  return exitCode;
}

/** @returns the exit code. @throws UsageError, SettingsError, the signal's reason */
export async function runCi(wanted: Wanted<'ci'>, around: Running): Promise<number> {
  const mask = createMask(around.env);
  try {
    return await runMasked(wanted, around, mask);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(error.faults.map(mask));
    throw error;
  }
}

const given = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

const inFolder = ({ config, folder }: ReadConfig) =>
  Object.fromEntries(
    Object.entries(config.output ?? {})
      .filter(([name]) => name !== 'results')
      .map(([name, path]) => [name, resolve(folder, path)]),
  );
