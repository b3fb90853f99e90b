/** What a command gets from outside, and what it ends with. */
import type { Readable } from 'node:stream';
import { readScreen, type Screen } from './text/terminal/screen.ts';

/** Writes to a stream, and says whether it arrived. */

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Waits until it is written, so that the end of the process cuts nothing off. @returns what went wrong */
export const write = (stream: Output, text: string): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise(resolve => {
    stream.write(text, error => resolve(error ?? undefined));
  });

type ResultOutput = {
  /** Never fails: the rest of a command, such as its reports, is useful without it. */
  write(text: string): Promise<void>;
  /** Why what was written is not whole. */
  faultOf(): string | undefined;
};

/** A reader that closes the pipe early (`| head`) is no fault. */
export const hasReaderLeft = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE' || code === 'ECONNRESET';

/** The standard output: a result that did not arrive there is a failure of the command. */
export function openResultOutput(stream: Output): ResultOutput {
  // What is written after the first fault says only that there was one.
  let first: NodeJS.ErrnoException | undefined;
  return {
    write: async text => {
      const error = await write(stream, text);
      first ??= error;
    },
    faultOf: () => (first && !hasReaderLeft(first) ? first.message : undefined),
  };
}

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
