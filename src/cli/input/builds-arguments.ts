/** Reads `compare-builds BEFORE-URL AFTER-URL`. */
import { type Strategy, strategies } from '../../contract/names.ts';
import { toPageUrls } from './gather-pages.ts';
import { type MinEffect, readMinEffect } from './min-effect.ts';
import { type OptionName, readChoice, readGiven, readKey, readServer } from './parse-command-line.ts';
import { UsageError } from './usage-error.ts';

export type BuildsWanted = {
  readonly before: string;
  readonly after: string;
  readonly strategy: Strategy;
  readonly minEffect: MinEffect;
  /** Whether an undecided verdict also fails the command. */
  readonly isStrict: boolean;
  /** URL of a running service, ending with a slash; undefined for a service of the command's own. */
  readonly server: string | undefined;
  readonly apiKey: string | undefined;
  readonly format: 'table' | 'json';
  readonly isQuiet: boolean;
  readonly hasColor: boolean | undefined;
};

const allowed: readonly OptionName[] = [
  ...(['strategy', 'min-effect', 'strict', 'server', 'api-key', 'json', 'quiet', 'no-color'] as const),
];

/** @throws UsageError */
export function readBuildsArguments(args: readonly string[], env: NodeJS.ProcessEnv): BuildsWanted {
  const faults: string[] = [];
  const { flags, values, assertions, pages } = readGiven(args, faults);
  const given = [...flags, ...(Object.keys(values) as OptionName[]), ...assertions.map(({ option }) => option)];
  const unknown = [...new Set(given)].filter(name => !allowed.includes(name));
  faults.push(...unknown.map(name => `rangelight compare-builds has no option --${name}`));
  if (pages.length !== 2) faults.push('rangelight compare-builds needs two URLs: the build before and the build after');
  const [before = '', after = ''] = pages.length === 2 ? toPageUrls(pages) : [];
  const wanted: BuildsWanted = {
    before,
    after,
    strategy: readChoice('strategy', values.strategy, strategies, faults) ?? 'mobile',
    minEffect: readMinEffect(values['min-effect'], faults),
    isStrict: flags.has('strict'),
    server: readServer(values.server, faults),
    apiKey: readKey(values['api-key'], env.RANGELIGHT_API_KEY, faults),
    format: flags.has('json') ? 'json' : 'table',
    isQuiet: flags.has('quiet'),
    hasColor: flags.has('no-color') ? false : undefined,
  };
  if (faults.length > 0) throw new UsageError(faults);
  return wanted;
}
