/** Runs one command from its arguments to its exit code. Everything external is passed in. */
import { serviceVersion } from '../contract/version.ts';
import { SettingsError } from '../settings/settings.ts';
import { CommandFailure } from './ask-json.ts';
import { exitCodes, openResultOutput, type Running, type Surroundings, write } from './command-context.ts';
import { type Command, readArguments } from './input/arguments.ts';
import { UsageError } from './input/usage-error.ts';
import { runBuilds } from './run-builds.ts';
import { runExperiment } from './run-experiment.ts';
import { runMeasure } from './run-measure.ts';
import { runNote } from './run-note.ts';
import { runSite } from './run-site.ts';
import { runHistory, runShow, runWhatIf } from './run-stored.ts';

/** Commands that measure several times: the results before a cancellation may be stored. */
const repeating: ReadonlySet<Command['kind']> = new Set(['ci', 'compare-builds', 'experiment']);

async function runOne(command: Command, around: Running): Promise<number> {
  switch (command.kind) {
    case 'measure':
      return runMeasure(command.wanted, around);
    case 'compare-builds':
      return runBuilds(command.wanted, around);
    case 'experiment':
      return runExperiment(command.wanted, around);
    case 'what-if':
      return runWhatIf(command.wanted, around);
    case 'history':
      return runHistory(command.wanted, around);
    case 'site':
      return runSite(command.wanted, around);
    case 'note':
      return runNote(command.wanted, around);
    case 'show':
      return runShow(command.wanted, around);
    // These modules are imported on demand, because other commands do not need them.
    case 'ci':
      return (await import('./ci/run-ci.ts')).runCi(command.wanted, around);
    case 'mcp':
      return (await import('./run-mcp.ts')).runMcp(command.wanted, around);
    case 'store':
      return (await import('./run-store.ts')).runStore(command, around);
    case 'import':
      return (await import('./run-import.ts')).runImport(command, around);
    default:
      await around.results.write(`${command.kind === 'help' ? command.text : serviceVersion}\n`);
      return exitCodes.fine;
  }
}

/** Returns the text and the exit code of an error that is a sentence for the user. */
function toEnd(error: unknown): readonly [text: string, exitCode: number] | undefined {
  if (error instanceof CommandFailure) return [`${error.message}\n`, error.exitCode];
  if (error instanceof SettingsError) return [`${error.message}\n`, exitCodes.usage];
  if (!(error instanceof UsageError)) return undefined;
  const faults = error.faults.map(fault => `rangelight: ${fault}\n`).join('');
  return [`${faults}rangelight --help explains it.\n`, exitCodes.usage];
}

async function runWords(args: readonly string[], around: Running): Promise<number> {
  const { stderr, signal } = around;
  let kind: Command['kind'] | undefined;
  try {
    const command = readArguments(args, around.env);
    ({ kind } = command);
    return await runOne(command, around);
  } catch (error) {
    const end = toEnd(error);
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
