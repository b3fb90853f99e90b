/** What a command gets from outside, and what it ends with. */
import type { Readable } from 'node:stream';
import type { Output, ResultOutput } from './output.ts';
import { readScreen, type Screen } from './text/terminal/screen.ts';

export type Surroundings = {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Fires when the command is cancelled. */
  readonly signal: AbortSignal;
};

/** With the output of its results. */
export type Running = Surroundings & { readonly results: ResultOutput };

export const exitCodes = { fine: 0, assertionFailed: 1, usage: 2, analysisFailed: 3 } as const;

export type Screens = { readonly result: Screen; readonly notes: Screen };

/** @param hasColor what the command line says about colours */
export const toScreens = (hasColor: boolean | undefined, { env, stdout, stderr }: Surroundings): Screens => ({
  result: readScreen(hasColor, env, stdout),
  notes: readScreen(hasColor, env, stderr),
});
