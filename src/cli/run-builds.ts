/**
 * `rangelight compare-builds BEFORE-URL AFTER-URL`: measures two builds in turn, and stops as soon as the runs decide.
 * The order is A B B A, so that a machine or server that becomes slower affects both builds equally.
 */
import { randomUUID } from 'node:crypto';
import type { Conditions } from '../contract/conditions/conditions.ts';
import type { ResultsComparison } from '../contract/stored/change.ts';
import { counted } from '../presentation/numbers.ts';
import { type Asking, ask, bodyOf, CommandFailure, send } from './ask-json.ts';
import { exitCodes, printAnswer, type Running, write } from './command-context.ts';
import { isWorse } from './compare-baseline.ts';
import type { Wanted } from './input/arguments.ts';
import { toCall } from './measurements.ts';
import { withService } from './open-service.ts';
import { toBaselineText } from './text/verdict-text.ts';

/** Numbers of runs of each build after which they are compared. With fewer than five, ranks cannot decide. */
export const looks: readonly number[] = [5, 10];

/** Returns the order in which the builds are measured, for a number of runs of each. */
export const toTurns = (runs: number): ('before' | 'after')[] =>
  Array.from({ length: runs }, (_, round): ('before' | 'after')[] =>
    round % 2 === 0 ? ['before', 'after'] : ['after', 'before'],
  ).flat();

/** Requests to a service. They throw CommandFailure. */
export type AskBuilds = {
  measure(side: 'before' | 'after'): Promise<unknown>;
  compare(): Promise<ResultsComparison>;
};

/** Measures until the runs decide, or the last comparison is done. @throws CommandFailure, the signal's reason */
export async function compareBuilds(
  { measure, compare }: AskBuilds,
  onRun: (done: number) => void,
): Promise<ResultsComparison> {
  const turns = toTurns(looks.at(-1) ?? 0);
  let done = 0;
  for (const look of looks) {
    for (const side of turns.slice(done, 2 * look)) {
      await measure(side);
      done += 1;
      onRun(done);
    }
    const body = await compare();
    if (body.verdict.status !== 'undecided' || look === looks.at(-1)) return body;
  }
  throw new CommandFailure('Nothing was measured.');
}

function createAsk(wanted: Wanted<'compare-builds'>, conditions: Partial<Conditions>, asking: Asking): AskBuilds {
  const { before, after, strategy, minEffect } = wanted;
  const name = `compare-builds ${randomUUID().slice(0, 8)}`;
  const labels = { before: `${name} before`, after: `${name} after` };
  return {
    async measure(side) {
      const url = side === 'before' ? before : after;
      const call = toCall({ url, strategy, label: labels[side], categories: ['performance'], ...conditions });
      return bodyOf(await send(call, asking), `${url}: `);
    },
    async compare() {
      const query = new URLSearchParams({
        ...labels,
        strategy,
        builds: 'true',
        looks: `${looks.length}`,
        ...minEffect,
      });
      return (await ask(`compare-results?${query}`, asking)) as ResultsComparison;
    },
  };
}

/** @returns the exit code. @throws CommandFailure, the signal's reason, SettingsError */
export const runBuilds = (wanted: Wanted<'compare-builds'>, around: Running): Promise<number> =>
  withService(
    wanted,
    around,
    async (asking, conditions) => {
      const total = 2 * (looks.at(-1) ?? 0);
      const body = await compareBuilds(createAsk(wanted, conditions, asking), done => {
        if (!wanted.quiet) void write(around.stderr, `${counted(done, 'run')} of at most ${total}\n`);
      });
      const { before, after: url, strategy, strict } = wanted;
      await printAnswer<ResultsComparison>(body, wanted, around, (screen, { verdict }) =>
        toBaselineText(screen, before, [{ url, strategy, source: 'lighthouse', verdict, fault: undefined }]),
      );
      return isWorse(body.verdict, strict) ? exitCodes.assertionFailed : exitCodes.fine;
    },
    true,
  );
