/** Runs one command from its arguments to its exit code. Everything external is passed in. */
import { serviceVersion } from '../contract/version.ts';
import { SettingsError } from '../settings/settings.ts';
import { exitCodes, openResultOutput, type Running, type Surroundings, write } from './command-context.ts';
import { type Command, readArguments } from './input/arguments.ts';
import { UsageError } from './input/usage-error.ts';
import { runBuilds } from './run-builds.ts';
import { runExperiment } from './run-experiment.ts';
import { runKept } from './run-kept.ts';
import { runMeasure } from './run-measure.ts';
import { runWhatIf } from './run-what-if.ts';

/** Runs a command about pages or stored results; undefined for others. */
function runMeasuring(command: Command, around: Running): Promise<number> | undefined {
  if (command.kind === 'measure') return runMeasure(command.wanted, around);
  if (command.kind === 'builds') return runBuilds(command.wanted, around);
  if (command.kind === 'experiment') return runExperiment(command.wanted, around);
  if (command.kind === 'what-if') return runWhatIf(command.wanted, around);
  return command.kind === 'kept' ? runKept(command.wanted, around) : undefined;
}

/** Commands that measure several times: the results before a cancellation may be stored. */
const repeating: ReadonlySet<Command['kind']> = new Set(['ci', 'builds', 'experiment']);

async function runOther(command: Command, around: Running): Promise<number> {
  // These modules are imported on demand, because other commands do not need them.
  if (command.kind === 'store') return (await import('./run-store.ts')).runStore(command.args, around);
  if (command.kind === 'import') return (await import('./run-import.ts')).runImport(command.args, around);
  if (command.kind === 'ci') return (await import('./ci/run-ci.ts')).runCi(command.args, around);
  if (command.kind === 'mcp') return (await import('./run-mcp.ts')).runMcp(command.args, around);
  await around.results.write(`${command.kind === 'help' ? command.text : serviceVersion}\n`);
  return exitCodes.fine;
}

async function runWords(args: readonly string[], around: Running): Promise<number> {
  const { stderr, signal } = around;
  let command: Command | undefined;
  try {
    command = readArguments(args, around.env);
    return await (runMeasuring(command, around) ?? runOther(command, around));
  } catch (error) {
    if (error instanceof SettingsError) await write(stderr, `${error.message}\n`);
    else if (error instanceof UsageError)
      await write(
        stderr,
        `${error.faults.map(fault => `rangelight: ${fault}`).join('\n')}\nrangelight --help explains it.\n`,
      );
    else {
      const hasStarted = command !== undefined && repeating.has(command.kind);
      if (signal.aborted) await write(stderr, hasStarted ? 'Cancelled.\n' : 'Nothing was measured.\n');
      throw error;
    }
    return exitCodes.usage;
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
