/** `baseline.file`: results that an earlier run wrote. They are checked before any measurement, and then stored. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Errors } from 'typebox/value';
import { isObject } from '../../contract/result/details.ts';
import { Result } from '../../contract/result/result.ts';
import { openImporter } from '../../service/open-importer.ts';
import { readSettings } from '../../settings/settings.ts';
import { toResultId } from '../../storage/results/result-id.ts';
import { createLog } from '../../telemetry/log.ts';
import { CommandFailure } from '../ask-json.ts';
import type { CiPage } from './baselines.ts';
import { createMask } from './mask.ts';

export type FileBaseline = {
  /** Label that depends on the content of the file. */
  readonly label: string;
  /** Results of the pages, with their URLs. */
  readonly results: readonly Result[];
};

const advice = 'write it with "output": { "results": … } or with rangelight URL --json';

/** Reads a result, a list of results, or the answer of a batch. Pages that could not be measured are not used. */
function toEntries(value: unknown): unknown[] {
  const entries = isObject(value) && Array.isArray(value.results) ? value.results : value;
  return (Array.isArray(entries) ? entries : [entries]).filter(entry => !(isObject(entry) && 'error' in entry));
}

function readFile(path: string, faults: string[]): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    faults.push(
      code === 'ENOENT'
        ? `the baseline ${path} does not exist; ${advice}`
        : `the baseline ${path} cannot be read (${code}); name a file with results`,
    );
    return undefined;
  }
}

function parse(path: string, text: string, faults: string[]): unknown {
  try {
    return JSON.parse(text);
  } catch {
    faults.push(`the baseline ${path} is not JSON; ${advice}`);
    return undefined;
  }
}

const sayPages = (pages: readonly string[]): string =>
  pages.length > 3 ? `${pages.slice(0, 3).join(', ')} and ${pages.length - 3} more` : pages.join(', ');

/** @param faults receives a sentence for everything that prevents the comparison */
export function readBaselineFile(path: string, pages: readonly CiPage[], env: NodeJS.ProcessEnv, faults: string[]) {
  const text = readFile(path, faults);
  const value = text === undefined ? undefined : parse(path, text, faults);
  if (text === undefined || value === undefined) return undefined;
  const entries = toEntries(value);
  const [fault] = entries.flatMap(entry => [...Errors(Result, entry)]);
  if (fault || entries.length === 0) {
    const why = fault ? `: ${`${fault.instancePath.slice(1).replaceAll('/', '.')} ${fault.message}`.trim()}` : '';
    faults.push(`the baseline ${path} is not a result of Rangelight${why}; ${advice}`);
    return undefined;
  }
  const results = (entries as Result[]).filter(({ source }) => source === 'lighthouse');
  // The secrets in the file are masked.
  const mask = createMask(env);
  const toName = ({ url, strategy }: CiPage) => mask(`${url} (${strategy})`);
  const known = Map.groupBy(results, toName);
  const missing = pages.map(toName).filter(name => !known.has(name));
  if (missing.length > 0) {
    const has = known.size > 0 ? `it has ${sayPages([...known.keys()])}` : 'it has no result of local Lighthouse';
    faults.push(`the baseline ${path} has no result of ${sayPages(missing)}; ${has}`);
    return undefined;
  }
  const digest = createHash('sha256').update(text).digest('hex');
  return {
    label: `${basename(path)
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, 80)}@${digest.slice(0, 7)}`,
    results: pages.flatMap(page => (known.get(toName(page)) ?? []).map(result => ({ ...result, url: page.url }))),
  };
}

const openStore = (store: string, limits: NodeJS.ProcessEnv = {}) =>
  openImporter(readSettings({ ...limits, DATA_DIR: store }), createLog('silent', []));

/** Stores the results under their label; results of an earlier run stay unchanged. @throws CommandFailure */
export async function storeBaseline({ label, results }: FileBaseline, store: string): Promise<void> {
  mkdirSync(store, { recursive: true });
  const importer = await openStore(store);
  try {
    for (const whole of results) {
      // Ids and links belong to the store that the file comes from.
      const { id: _id, links: _links, label: _label, cache: _cache, runs: _runs, lighthouse_result, ...own } = whole;
      const digest = createHash('sha256')
        .update(`${label}\n${JSON.stringify(whole)}`)
        .digest();
      const id = toResultId(Date.parse(own.fetched_at), digest);
      if (await importer.store?.get(id)) continue;
      const answer = await importer.recorder.result({
        // The result may come from another machine.
        result: { ...own, analyser: { kind: 'uploaded' } },
        lighthouseResult: lighthouse_result ? Buffer.from(JSON.stringify(lighthouse_result)) : null,
        profile: null,
        label,
        id,
      });
      if (answer.id === undefined)
        throw new CommandFailure(`The baseline cannot be stored in ${store}. ${answer.warnings.at(-1) ?? ''}`.trim());
    }
  } finally {
    await importer.close();
  }
}

/** Removes what KEEP_DAYS and the other limits do not keep: no service looks after the store of a pipeline. */
export async function sweepStore(store: string, env: NodeJS.ProcessEnv): Promise<void> {
  const limits = Object.entries(env).filter(([name]) => name.startsWith('KEEP_'));
  const importer = await openStore(store, Object.fromEntries(limits));
  await importer.sweep().finally(importer.close);
}
