import type { Scope } from '../start-service.ts';

/** What a script starts it also stops: at its end, and when Ctrl-C comes in between. */
export function createScriptScope(): Scope & { end(exitCode: number): Promise<never> } {
  const hooks: (() => Promise<void> | void)[] = [];
  let ending: Promise<never> | undefined;

  /** What was started last may need what was started first. */
  const end = async (exitCode: number): Promise<never> => {
    for (const hook of hooks.splice(0).toReversed()) await hook();
    process.exit(exitCode);
  };
  const endOnce = (exitCode: number) => {
    ending ??= end(exitCode);
    return ending;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void endOnce(130));

  return { after: hook => void hooks.push(hook), end: endOnce };
}
