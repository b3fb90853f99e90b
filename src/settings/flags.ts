import { parseArgs } from 'node:util';
import { toHint } from '../contract/nearest-name.ts';
import { settingTable, toFlag } from './setting-table.ts';

const toEntry = ([name, { meaning, default: value, shownDefault }]: [
  string,
  { readonly meaning: string; readonly default?: string; readonly shownDefault?: string },
]): string => {
  const shown = shownDefault ?? value;
  const usual = shown === undefined ? '' : ` Default: ${shown.replaceAll('`', '')}.`;
  return `  --${toFlag(name)}, ${name}\n      ${meaning.replaceAll('`', '')}${usual}`;
};

export const toUsage = (): string =>
  `Rangelight measures web pages: npm start -- [flags], or rangelight serve [flags]

Every setting is a flag and an environment variable; the flag takes precedence.

${Object.entries<{ readonly meaning: string; readonly default?: string; readonly shownDefault?: string }>(settingTable).map(toEntry).join('\n')}
  --help
      Print this help and exit.
  --version
      Print the version and exit.`;

/** Reads all flags and reports all faults together. Words without a flag are not repeated, because they may be keys. */
export function readFlags(
  args: readonly string[],
  names: readonly string[],
  faults: string[],
): Record<string, string | undefined> {
  const options = Object.fromEntries(names.map(name => [name, { type: 'string' as const }]));
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const flags: Record<string, string> = {};
  const unknown = new Set<number>();
  for (const token of tokens) {
    // The word after an unknown flag is probably its value.
    if (token.kind === 'positional' && !unknown.has(token.index - 1))
      faults.push(`argument ${token.index + 1} belongs to no flag`);
    if (token.kind !== 'option') continue;
    if (!Object.hasOwn(options, token.name)) unknown.add(token.index);
    else if (token.value === undefined || (!token.inlineValue && token.value.startsWith('-')))
      faults.push(`--${token.name} needs a value`);
    else flags[token.name] = token.value;
  }
  // Faults are grouped by index, because `-abc` is three flags but one fault.
  for (const index of unknown) {
    const given = args[index]?.replace(/=.*/s, '') ?? '';
    faults.push(`unknown flag ${given}${toHint(given.replace(/^-+/, ''), names, '--')}`);
  }
  return flags;
}
