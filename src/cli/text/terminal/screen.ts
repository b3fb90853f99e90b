/** What an output can show: how wide it is, whether it has colours, whether it has links. */
import { createPaint, type Paint, wantsColor } from './paint.ts';

export type Screen = {
  readonly paint: Paint;
  /** Of a row of a table. */
  readonly columns: number;
  /**
   * Of a line of sentences: without end where no one has said a width, so that a program finds a sentence in a line.
   */
  readonly proseColumns: number;
  /** The text as a link; as it is where the terminal has none, or nothing that could be one. */
  readonly link: (text: string, href: string | undefined) => string;
};

type Stream = { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

const usualColumns = 80;
/** Less than a score with its name has room in. */
const minColumns = 24;

/** A width that someone gave, else the terminal's own. Some terminals of machines have none. */
function readColumns(env: NodeJS.ProcessEnv, { isTTY, columns }: Stream): number | undefined {
  if (/^[1-9]\d{0,3}$/.test(env.COLUMNS ?? '')) return Math.max(minColumns, Number(env.COLUMNS));
  return isTTY === true && columns ? Math.max(minColumns, columns) : undefined;
}

/** By a variable that only such a terminal sets. */
const linkingVariables = ['WT_SESSION', 'KITTY_WINDOW_ID', 'WEZTERM_PANE', 'KONSOLE_VERSION', 'DOMTERM'] as const;
const linkingPrograms: ReadonlySet<string | undefined> = new Set([
  ...['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'zed', 'terminology'],
]);
const linkingTerminals = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|contour)/;
/** The first of GNOME Terminal and its relatives that shows links without a fault. */
const minVte = 5002;

const hasLinks = (env: NodeJS.ProcessEnv): boolean =>
  linkingVariables.some(name => env[name]) ||
  linkingPrograms.has(env.TERM_PROGRAM) ||
  linkingTerminals.test(env.TERM ?? '') ||
  Number(env.VTE_VERSION ?? 0) >= minVte;

/** FORCE_HYPERLINK decides; else a terminal that is known to have links, where colours are not turned off. */
export function wantsLinks(flag: boolean | undefined, env: NodeJS.ProcessEnv, { isTTY }: Stream): boolean {
  if (env.FORCE_HYPERLINK) return env.FORCE_HYPERLINK !== '0';
  if (isTTY !== true || env.TERM === 'dumb' || flag === false || env.NO_COLOR) return false;
  // GNU screen writes out what it does not know; tmux passes it on or drops it.
  return (env.TMUX !== undefined || !env.TERM?.startsWith('screen')) && hasLinks(env);
}

/** Longer ones are no links to some terminals, and noise to all. */
const maxHref = 2000;

const isHref = (href: string): boolean => href.length <= maxHref && /^(?:https?|file):[!-~]+$/.test(href);

/** OSC 8. */
const toLink = (text: string, href: string | undefined): string =>
  href !== undefined && isHref(href) && text !== '' ? `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\` : text;

type Facts = {
  readonly columns?: number;
  readonly proseColumns?: number;
  readonly hasColor?: boolean;
  readonly hasLinks?: boolean;
};

export const createScreen = ({
  columns = usualColumns,
  proseColumns = Number.POSITIVE_INFINITY,
  ...facts
}: Facts = {}): Screen => ({
  columns,
  proseColumns,
  paint: createPaint(facts.hasColor ?? false),
  link: facts.hasLinks ? toLink : text => text,
});

/** @param flag whether the command line says something about colours */
export function readScreen(flag: boolean | undefined, env: NodeJS.ProcessEnv, stream: Stream): Screen {
  const columns = readColumns(env, stream);
  return createScreen({
    ...(columns === undefined ? {} : { columns, proseColumns: columns }),
    hasColor: wantsColor(flag, env, stream),
    hasLinks: wantsLinks(flag, env, stream),
  });
}
