/** Environment of a command, and its outcome. */
import type { Readable } from 'node:stream';
import { toPlainBody, toPlainJson } from './text/terminal/plain-text.ts';
import { readScreen, type Screen } from './text/terminal/screen.ts';

/** Standard output or standard error of a command. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Waits until the text is written, so that the end of the process does not cut it off. @returns the error, if any */
export const write = (stream: Output, text: string): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise(resolve => {
    stream.write(text, error => resolve(error ?? undefined));
  });

type ResultOutput = {
  /** Writes text. It never fails, because the rest of a command, such as its reports, is useful without the output. */
  write(text: string): Promise<void>;
  /** Returns the reason why the output is incomplete. */
  faultOf(): string | undefined;
};

/** Returns whether a reader closed the pipe early (`| head`), which is not a fault. */
export const hasReaderLeft = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE' || code === 'ECONNRESET';

/** Opens standard output. The command fails if its results cannot be written. */
export function openResultOutput(stream: Output): ResultOutput {
  // Errors after the first one only repeat that the output failed.
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
  readonly signal: AbortSignal;
};

export type Running = Surroundings & { readonly results: ResultOutput };

export const exitCodes = { fine: 0, assertionFailed: 1, usage: 2, analysisFailed: 3 } as const;

export type Screens = { readonly result: Screen; readonly notes: Screen };

type ColorOption = { readonly noColor: boolean };

export function toScreens({ noColor }: ColorOption, { env, stdout, stderr }: Surroundings): Screens {
  const hasColor = noColor ? false : undefined;
  return { result: readScreen(hasColor, env, stdout), notes: readScreen(hasColor, env, stderr) };
}

/** Prints an answer of the service as JSON, or as text of its plain form. @returns the exit code */
export async function printAnswer<T>(
  body: unknown,
  wanted: ColorOption & { readonly json: boolean },
  around: Running,
  toText: (screen: Screen, plain: T) => string,
): Promise<number> {
  const toShown = () => toText(toScreens(wanted, around).result, toPlainBody(body) as T);
  await around.results.write(wanted.json ? `${toPlainJson(body, 2)}\n` : toShown());
  return exitCodes.fine;
}
