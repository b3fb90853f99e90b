/** What `--help` prints: made of the settings themselves. */
import { settingTable, toFlag } from './setting-table.ts';

type Shown = { readonly meaning: string; readonly default?: string; readonly shownDefault?: string };

const toEntry = ([name, { meaning, default: value, shownDefault }]: [string, Shown]): string => {
  const shown = shownDefault ?? value;
  const usual = shown === undefined ? '' : ` Default: ${shown.replaceAll('`', '')}.`;
  return `  --${toFlag(name)}, ${name}\n      ${meaning.replaceAll('`', '')}${usual}`;
};

export const toUsage = (): string =>
  `Rangelight measures web pages: npm start -- [flags], or rangelight serve [flags]

Every setting is a flag and an environment variable; the flag wins.

${Object.entries<Shown>(settingTable).map(toEntry).join('\n')}
  --help
      Print this and stop.
  --version
      Print the version and stop.`;
