/** `rangelight import`: imports the results of a Lighthouse CI server. */
import { type ImportCounts, importBuilds } from '../analysis/lhci/import-builds.ts';
import { AnalysisError } from '../contract/errors.ts';
import { openImporter } from '../service/open-importer.ts';
import { readSettings, secretsOf } from '../settings/settings.ts';
import { LhciFileError, openLhciFile } from '../storage/lhci/lhci-file.ts';
import { createLog } from '../telemetry/log.ts';
import { CommandFailure, sayStopped } from './ask-json.ts';
import { exitCodes, type Running, write } from './command-context.ts';
import type { Wanted } from './input/arguments.ts';
import { UsageError } from './input/usage-error.ts';

/** Exit code if some results cannot be imported. */
const incomplete = 1;
const runsPerLine = 100;
const maxNamed = 20;

function toText({ projects, builds, runs, skipped }: ImportCounts): string {
  const named = skipped.slice(0, maxNamed).map(({ id, reason }) => `skipped run ${id}: ${reason}\n`);
  const more = skipped.length > maxNamed ? `${skipped.length - maxNamed} more were skipped.\n` : '';
  return `projects ${projects}\nbuilds   ${builds}\nresults  ${runs}\nskipped  ${skipped.length}\n${named.join('')}${more}`;
}

async function importFile(path: string, quiet: boolean, { env, stderr, results, signal }: Running): Promise<number> {
  const settings = readSettings(env);
  const file = openLhciFile(path);
  try {
    const { store, ...importer } = await openImporter(settings, createLog('silent', secretsOf(settings)));
    try {
      if (!store) throw new UsageError(['DATA_DIR is none: name a place to import into']);
      const counts = await importBuilds({ ...importer, store }, file, {
        signal,
        async onRun({ runs }) {
          if (!quiet && runs % runsPerLine === 0) await write(stderr, `${runs} results\n`);
        },
      });
      await results.write(toText(counts));
      return counts.skipped.length > 0 ? incomplete : exitCodes.fine;
    } finally {
      await importer.close();
    }
  } finally {
    file.close();
  }
}

/** @returns the exit code. @throws CommandFailure, UsageError, SettingsError */
export async function runImport({ words, quiet }: Wanted<'import'>, around: Running): Promise<number> {
  const [path, ...rest] = words;
  if (path === undefined || rest.length > 0) throw new UsageError(['rangelight import takes one file']);
  try {
    return await importFile(path, quiet, around);
  } catch (error) {
    if (around.signal.aborted) throw new CommandFailure(sayStopped);
    if (error instanceof LhciFileError || error instanceof AnalysisError) throw new CommandFailure(error.message);
    throw error;
  }
}
