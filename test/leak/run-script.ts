import type { Scope } from '../support/start-service.ts';

/**
 * Runs a script and exits with the code it returns. Everything in its scope is stopped at the end, on an error, and on
 * Ctrl-C; errors after Ctrl-C are not printed.
 */
export async function runScript(main: (scope: Scope) => Promise<number>): Promise<never> {
  const hooks: (() => Promise<void> | void)[] = [];
  let ending: Promise<never> | undefined;

  /** Stops in reverse order, because later parts may need earlier ones. */
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
