import type { Scope } from '../support/start-service.ts';

/**
 * Runs a script that ends with the exit code it gives. What it starts it also stops: at its end, when it throws, and
 * when Ctrl-C comes in between; then what is still under way fails, and that is no news.
 */
export async function runScript(main: (scope: Scope) => Promise<number>): Promise<never> {
  const hooks: (() => Promise<void> | void)[] = [];
  let ending: Promise<never> | undefined;

  /** What was started last may need what was started first. */
  const stopAll = async (exitCode: number): Promise<never> => {
    for (const hook of hooks.splice(0).toReversed()) await hook();
    process.exit(exitCode);
  };
  const end = (exitCode: number): Promise<never> => {
    ending ??= stopAll(exitCode);
    return ending;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(130));

  try {
    return await end(await main({ after: hook => void hooks.push(hook) }));
  } catch (error) {
    if (!ending) console.error(error);
    return end(1);
  }
}
