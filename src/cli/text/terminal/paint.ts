import { styleText } from 'node:util';
import type { Rating } from '../../../contract/result/thresholds.ts';
import { absent } from '../../../presentation/numbers.ts';

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Creates a function that colours text, or returns it unchanged. */
export const createPaint = (hasColor: boolean): Paint =>
  hasColor ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text;

type Terminal = { readonly isTTY?: boolean | undefined };

/** `--no-color` precedes NO_COLOR, then FORCE_COLOR; an empty variable counts as unset. */
export function wantsColor(flag: boolean | undefined, env: NodeJS.ProcessEnv, stream: Terminal): boolean {
  if (flag !== undefined) return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Shapes that repeat the meaning of colours, for readers who do not see them. */
const marks = {
  good: ['●', 'green'],
  'needs-improvement': ['■', 'yellow'],
  poor: ['▲', 'red'],
} as const satisfies Record<Rating, readonly [string, string]>;

export const legend = '● good  ■ needs improvement  ▲ poor';

/** Returns a value after the mark of its rating; without a rating, after spaces. */
export function toMarked(paint: Paint, text: string, rating: Rating | null | undefined): string {
  if (text === absent) return `  ${paint('dim', text)}`;
  if (!rating) return `  ${text}`;
  const [shape, color] = marks[rating];
  return `${paint(color, shape)} ${text}`;
}
