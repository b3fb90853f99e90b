import { styleText } from 'node:util';
import type { Rating } from '../../../contract/result/thresholds.ts';
import { absent } from '../../../presentation/numbers.ts';

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Colours, or the text as it is. */
export const createPaint = (hasColor: boolean): Paint =>
  hasColor ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text;

type Terminal = { readonly isTTY?: boolean | undefined };

/** `--no-color` wins, then NO_COLOR, then FORCE_COLOR; else a terminal gets colours. An empty variable is not set. */
export function wantsColor(flag: boolean | undefined, env: NodeJS.ProcessEnv, stream: Terminal): boolean {
  if (flag !== undefined) return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** A shape says the same as the colour, for readers who do not see colours. */
const marks = {
  good: ['●', 'green'],
  'needs-improvement': ['■', 'yellow'],
  poor: ['▲', 'red'],
} as const satisfies Record<Rating, readonly [string, string]>;

export const legend = '● good  ■ needs improvement  ▲ poor';

/** A value with the mark of its rating before it; without one, room for it. */
export function toMarked(paint: Paint, text: string, rating: Rating | null | undefined): string {
  if (text === absent) return `  ${paint('dim', text)}`;
  if (!rating) return `  ${text}`;
  const [shape, color] = marks[rating];
  return `${paint(color, shape)} ${text}`;
}
