/** Capabilities of an output: its width, colours and links. */
import { createPaint, type Paint, wantsColor } from './paint.ts';

export type Screen = {
  readonly paint: Paint;
  /** Max width of a line. Only a word or a URL that is longer stays whole. */
  readonly columns: number;
  /** Returns the text as a link; unchanged if the terminal does not support links, or there is no valid URL. */
  readonly link: (text: string, href: string | undefined) => string;
};

type Stream = { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

const usualColumns = 80;
/** Min width: a score with its name must fit. */
const minColumns = 24;

/** Returns the configured width, or the terminal's own. Some terminals of CI systems have none. */
function readColumns(env: NodeJS.ProcessEnv, { isTTY, columns }: Stream): number {
  if (/^[1-9]\d{0,3}$/.test(env.COLUMNS ?? '')) return Math.max(minColumns, Number(env.COLUMNS));
  return isTTY === true && columns ? Math.max(minColumns, columns) : usualColumns;
}

const linkingVariables = ['WT_SESSION', 'KITTY_WINDOW_ID', 'WEZTERM_PANE', 'KONSOLE_VERSION', 'DOMTERM'] as const;
const linkingPrograms = /^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|zed|terminology)$/;
const linkingTerminals = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|contour)/;
/** First version of VTE, the library of GNOME Terminal, in which links work reliably. */
const minVte = 5002;

const hasLinks = (env: NodeJS.ProcessEnv): boolean =>
  linkingVariables.some(name => env[name]) ||
  linkingPrograms.test(env.TERM_PROGRAM ?? '') ||
  linkingTerminals.test(env.TERM ?? '') ||
  Number(env.VTE_VERSION ?? 0) >= minVte;

/** FORCE_HYPERLINK decides; otherwise known terminals get links unless colours are disabled. */
export function wantsLinks(flag: boolean | undefined, env: NodeJS.ProcessEnv, { isTTY }: Stream): boolean {
  if (env.FORCE_HYPERLINK) return env.FORCE_HYPERLINK !== '0';
  if (isTTY !== true || env.TERM === 'dumb' || flag === false || env.NO_COLOR) return false;
  // GNU screen prints unknown sequences as text; tmux forwards or drops them.
  return (env.TMUX !== undefined || !env.TERM?.startsWith('screen')) && hasLinks(env);
}

/** Max length of a link: some terminals do not support longer ones. */
const maxHref = 2000;

const isHref = (href: string): boolean => href.length <= maxHref && /^(?:https?|file):[!-~]+$/.test(href);

/** Returns an OSC 8 link. */
const toLink = (text: string, href: string | undefined): string =>
  href !== undefined && isHref(href) && text !== '' ? `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\` : text;

export const createScreen = ({
  columns = usualColumns,
  ...facts
}: {
  readonly columns?: number;
  readonly hasColor?: boolean;
  readonly hasLinks?: boolean;
} = {}): Screen => ({
  columns,
  paint: createPaint(facts.hasColor ?? false),
  link: facts.hasLinks ? toLink : text => text,
});

/** @param flag colour option of the command line */
export function readScreen(flag: boolean | undefined, env: NodeJS.ProcessEnv, stream: Stream): Screen {
  return createScreen({
    columns: readColumns(env, stream),
    hasColor: wantsColor(flag, env, stream),
    hasLinks: wantsLinks(flag, env, stream),
  });
}
