/** Reads the command line, and reports all faults at once. */

import type { Backend } from '../../api-client/page-request.ts';
import { cpuChoices, profiles, type RequestCategory, requestCategories, strategies } from '../../contract/names.ts';
import { faultsOfAssertions, readAssertions } from './assertions.ts';
import { type BuildsWanted, readBuildsArguments } from './builds-arguments.ts';
import { commandHelps, hasHelp } from './command-help.ts';
import type { Wanted } from './command-options.ts';
import { type ExperimentWanted, readExperimentArguments } from './experiment-arguments.ts';
import { helpText } from './help.ts';
import { type KeptWanted, readKeptArguments } from './kept-arguments.ts';
import { readMinEffect } from './min-effect.ts';
import {
  type Given,
  htmlAndJson,
  type OptionName,
  readChoice,
  readGiven,
  readHtml,
  readKey,
  readServer,
} from './parse-command-line.ts';
import { UsageError } from './usage-error.ts';
import { readWhatIfArguments, type WhatIfWanted } from './what-if-arguments.ts';

export type Command =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'serve' }
  | { readonly kind: 'store' | 'ci' | 'mcp' | 'import'; readonly args: readonly string[] }
  | { readonly kind: 'measure'; readonly wanted: Wanted }
  | { readonly kind: 'builds'; readonly wanted: BuildsWanted }
  | { readonly kind: 'experiment'; readonly wanted: ExperimentWanted }
  | { readonly kind: 'what-if'; readonly wanted: WhatIfWanted }
  | { readonly kind: 'kept'; readonly wanted: KeptWanted };

function readCategories(text: string | undefined, faults: string[]): readonly RequestCategory[] | undefined {
  if (text === undefined) return undefined;
  const given = text.split(',').map(name => name.trim());
  const known = given.map(name => readChoice('categories', name, requestCategories, faults));
  return requestCategories.filter(name => known.includes(name));
}

function readRuns(text: string | undefined, faults: string[]): number | 'auto' | undefined {
  if (text === undefined || text === 'auto') return text;
  if (!/^[1-5]$/.test(text)) faults.push(`--runs must be a number from 1 to 5, or auto, not '${text}'`);
  return Number(text);
}

const both = (flags: ReadonlySet<OptionName>, one: OptionName, other: OptionName): boolean =>
  flags.has(one) && flags.has(other);

const ciOptions = ['baseline-file', 'config', 'gitlab', 'print-schema', 'dry-run'] as const;

const historyOptions = ['metric', 'source', 'since', 'until'] as const;

const localOptions = ['runs', 'profile', 'cpu', 'exclusive'] as const;

function faultsBetween({ flags, values, assertions }: Given): string[] {
  const isRemote = flags.has('psi');
  const isJson = flags.has('json') || flags.has('ndjson');
  const isJudged = values.baseline !== undefined || values['assert-file'] !== undefined || assertions.length > 0;
  return [
    ...historyOptions
      .filter(name => values[name] !== undefined)
      .map(name => `--${name} is an option of rangelight history`),
    ...ciOptions
      .filter(name => values[name] !== undefined || flags.has(name))
      .map(name => `--${name} is an option of rangelight ci`),
    both(flags, 'psi', 'compare') ? '--psi and --compare cannot be combined' : '',
    both(flags, 'json', 'ndjson') ? '--json and --ndjson cannot be combined' : '',
    readHtml(values) === '-' && isJson ? htmlAndJson : '',
    flags.has('all') && isJson ? '--all applies to tables: JSON contains every finding' : '',
    ...localOptions
      .filter(name => isRemote && (values[name] !== undefined || flags.has(name)))
      .map(name => `--${name} applies to local audits: not with --psi`),
    flags.has('strict') && !isJudged ? '--strict requires --baseline or --assert' : '',
    values['min-effect'] !== undefined && values.baseline === undefined ? '--min-effect requires --baseline' : '',
  ].filter(fault => fault !== '');
}

const toBackend = (flags: ReadonlySet<OptionName>): Backend => {
  if (flags.has('compare')) return 'compare';
  return flags.has('psi') ? 'remote' : 'local';
};

const toFormat = (flags: ReadonlySet<OptionName>): Wanted['format'] => {
  if (flags.has('ndjson')) return 'ndjson';
  return flags.has('json') ? 'json' : 'table';
};

function toWanted(given: Given, env: NodeJS.ProcessEnv, faults: string[]): Wanted {
  const { flags, values, pages } = given;
  const strategy = readChoice('strategy', values.strategy, [...strategies, 'both'], faults) ?? 'mobile';
  const measured = {
    strategies: strategy === 'both' ? strategies : [strategy],
    categories: readCategories(values.categories, faults),
  };
  return {
    pages,
    file: values.file,
    backend: toBackend(flags),
    ...measured,
    runs: readRuns(values.runs, faults),
    profile: readChoice('profile', values.profile, profiles, faults),
    cpu: readChoice('cpu', values.cpu, cpuChoices, faults),
    isExclusive: flags.has('exclusive'),
    label: values.label,
    baseline: values.baseline,
    minEffect: readMinEffect(values['min-effect'], faults),
    isStrict: flags.has('strict'),
    server: readServer(values.server, faults),
    apiKey: readKey(values['api-key'], env.RANGELIGHT_API_KEY, faults),
    format: toFormat(flags),
    html: readHtml(values),
    junit: values.junit,
    markdown: values.markdown,
    assertions: readAssertions(given, measured, faults),
    isAll: flags.has('all'),
    isQuiet: flags.has('quiet'),
    hasColor: flags.has('no-color') ? false : undefined,
  };
}

/** Reads a command with its own arguments; undefined for a measurement. */
function readSubcommand([command, ...args]: readonly string[], env: NodeJS.ProcessEnv): Command | undefined {
  if (command === 'serve') return { kind: 'serve' };
  if (command === 'ci' || command === 'mcp' || command === 'store' || command === 'import')
    return { kind: command, args };
  if (hasHelp(command) && args.some(word => word === '--help' || word === '-h'))
    return { kind: 'help', text: commandHelps[command] };
  if (command === 'history' || command === 'show')
    return { kind: 'kept', wanted: readKeptArguments(command, args, env) };
  if (command === 'compare-builds') return { kind: 'builds', wanted: readBuildsArguments(args, env) };
  if (command === 'experiment') return { kind: 'experiment', wanted: readExperimentArguments(args, env) };
  if (command === 'what-if') return { kind: 'what-if', wanted: readWhatIfArguments(args, env) };
  return undefined;
}

/** @throws UsageError */
export function readArguments(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  const subcommand = readSubcommand(args, env);
  if (subcommand) return subcommand;
  const faults: string[] = [];
  const given = readGiven(args, faults);
  if (given.flags.has('help')) return { kind: 'help', text: helpText };
  if (given.flags.has('version')) return { kind: 'version' };
  faults.push(...faultsBetween(given));
  const wanted = toWanted(given, env, faults);
  faults.push(...faultsOfAssertions(wanted));
  if (faults.length === 0 && wanted.pages.length === 0 && wanted.file === undefined)
    faults.push('no URL given: pass a URL, or --file with URLs');
  if (faults.length > 0) throw new UsageError(faults);
  return { kind: 'measure', wanted };
}
