/** Reads `what-if URL` and `what-if ID`. */
import { type Strategy, strategies } from '../../contract/names.ts';
import { toPageUrls } from './gather-pages.ts';
import { type OptionName, readChoice, readGiven, readKey, readServer } from './parse-command-line.ts';
import { UsageError } from './usage-error.ts';

export type WhatIfWanted = {
  /** Id of a stored load, or a page to measure first. */
  readonly subject: { readonly id: string } | { readonly url: string };
  readonly strategy: Strategy;
  /** URL of a running service, ending with a slash; undefined for a service of the command's own. */
  readonly server: string | undefined;
  readonly apiKey: string | undefined;
  readonly format: 'table' | 'json';
  readonly hasColor: boolean | undefined;
};

const allowed: readonly OptionName[] = ['strategy', 'server', 'api-key', 'json', 'no-color'];
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws UsageError */
export function readWhatIfArguments(args: readonly string[], env: NodeJS.ProcessEnv): WhatIfWanted {
  const faults: string[] = [];
  const { flags, values, assertions, pages } = readGiven(args, faults);
  const given = [...flags, ...(Object.keys(values) as OptionName[]), ...assertions.map(({ option }) => option)];
  const unknown = [...new Set(given)].filter(name => !allowed.includes(name));
  faults.push(...unknown.map(name => `rangelight what-if has no option --${name}`));
  const [subject = ''] = pages;
  if (pages.length !== 1) faults.push('rangelight what-if needs the URL of one page, or the id of one result');
  if (idPattern.test(subject) && values.strategy !== undefined)
    faults.push('--strategy applies to a URL: a stored result has its own strategy');
  const server = readServer(values.server, faults);
  const wanted = {
    strategy: readChoice('strategy', values.strategy, strategies, faults) ?? 'mobile',
    server,
    apiKey: readKey(values['api-key'], env.RANGELIGHT_API_KEY, faults),
    format: flags.has('json') ? ('json' as const) : ('table' as const),
    hasColor: flags.has('no-color') ? false : undefined,
  };
  if (faults.length > 0) throw new UsageError(faults);
  const isId = idPattern.test(subject);
  return { ...wanted, subject: isId ? { id: subject } : { url: toPageUrls([subject])[0] ?? '' } };
}
