/** Runs one command from its arguments to its exit code. Everything external is passed in. */
import { serviceVersion } from '../contract/version.ts';
import { SettingsError } from '../settings/settings.ts';
import { describeFault, StoreFaultError } from '../storage/database/fault.ts';
import { CommandFailure } from './ask-json.ts';
import { exitCodes, openResultOutput, type Running, type Surroundings, write } from './command-context.ts';
import { type Command, readArguments, type Wanted } from './input/arguments.ts';
import { commands } from './input/command-table.ts';
import { UsageError } from './input/usage-error.ts';

/** Commands that measure several times: the results before a cancellation may be stored. */
const repeating: ReadonlySet<Command['kind']> = new Set(['ci', 'compare-builds', 'experiment']);

type Ran = Extract<Command, { readonly wanted: unknown }>;

/** The runner of each command, which is imported on demand. */
const runners: {
  readonly [Name in Ran['kind']]: () => Promise<(wanted: Wanted<Name>, around: Running) => Promise<number>>;
} = {
  measure: async () => (await import('./run-measure.ts')).runMeasure,
  'compare-builds': async () => (await import('./run-builds.ts')).runBuilds,
  experiment: async () => (await import('./run-experiment.ts')).runExperiment,
  'what-if': async () => (await import('./run-stored.ts')).runWhatIf,
  history: async () => (await import('./run-stored.ts')).runHistory,
  site: async () => (await import('./run-stored.ts')).runSite,
  note: async () => (await import('./run-stored.ts')).runNote,
  show: async () => (await import('./run-stored.ts')).runShow,
  ci: async () => (await import('./ci/run-ci.ts')).runCi,
  mcp: async () => (await import('./run-mcp.ts')).runMcp,
  store: async () => (await import('./run-store.ts')).runStore,
  import: async () => (await import('./run-import.ts')).runImport,
};

async function runOne(command: Command, around: Running): Promise<number> {
  if ('wanted' in command) {
    const run = (await runners[command.kind]()) as (wanted: Ran['wanted'], around: Running) => Promise<number>;
    return run(command.wanted, around);
  }
  await around.results.write(`${command.kind === 'help' ? command.text : serviceVersion}\n`);
  return exitCodes.fine;
}

function toEnd(error: unknown, [first = '']: readonly string[]): readonly [text: string, exitCode: number] | undefined {
  if (error instanceof CommandFailure) return [`${error.message}\n`, error.exitCode];
  if (error instanceof StoreFaultError) return [`${describeFault(error)}\n`, exitCodes.analysisFailed];
  if (error instanceof SettingsError) return [`${error.message}\n`, exitCodes.usage];
  if (!(error instanceof UsageError)) return undefined;
  const faults = error.faults.map(fault => `rangelight: ${fault}\n`).join('');
  const command = Object.hasOwn(commands, first) ? `${first} ` : '';
  return [`${faults}rangelight ${command}--help explains it.\n`, exitCodes.usage];
}

async function runWords(args: readonly string[], around: Running): Promise<number> {
  const { stderr, signal } = around;
  let kind: Command['kind'] | undefined;
  try {
    const command = readArguments(args, around.env);
    ({ kind } = command);
    return await runOne(command, around);
  } catch (error) {
    const end = toEnd(error, args);
    if (!end) {
      if (signal.aborted) await write(stderr, kind && repeating.has(kind) ? 'Cancelled.\n' : 'Nothing was measured.\n');
      throw error;
    }
    const [text, exitCode] = end;
    await write(stderr, text);
    return exitCode;
  }
}

/**
 * @returns the exit code
 * @throws the signal's reason if the command was cancelled without a result, and unexpected errors
 */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  const results = openResultOutput(around.stdout);
  const code = await runWords(args, { ...around, results });
  const fault = results.faultOf();
  if (fault === undefined) return code;
  await write(around.stderr, `The result cannot be written to standard output: ${fault}\n`);
  return exitCodes.analysisFailed;
}
