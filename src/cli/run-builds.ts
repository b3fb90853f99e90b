/**
 * `rangelight compare-builds BEFORE-URL AFTER-URL`: measures two builds in turn, and stops as soon as the runs decide.
 * The order is A B B A, so that a machine or server that becomes slower affects both builds equally.
 */
import { randomUUID } from 'node:crypto';
import type { ResultsComparison } from '../contract/stored/change.ts';
import { counted } from '../presentation/numbers.ts';
import { type Asking, askForJson, exitCodeOf, sayFailure } from './ask-json.ts';
import { exitCodes, type Running, toScreens, write } from './command-context.ts';
import type { BuildsWanted } from './input/builds-arguments.ts';
import { closeService, openStoringService } from './open-service.ts';
import { toBaselineText } from './text/baseline-text.ts';
import { toPlainBody, toPlainJson } from './text/terminal/plain-text.ts';

/** Numbers of runs of each build after which they are compared. With fewer than five, ranks cannot decide. */
export const looks: readonly number[] = [5, 10];

type Side = 'before' | 'after';

/** Returns the order in which the builds are measured, for a number of runs of each. */
export const toTurns = (runs: number): Side[] =>
  Array.from({ length: runs }, (_, round): Side[] =>
    round % 2 === 0 ? ['before', 'after'] : ['after', 'before'],
  ).flat();

/** A sentence, and the exit code that it leads to. */
type Failed = { readonly failure: string; readonly exitCode: number };

/** Requests to a service. */
export type AskBuilds = {
  measure(side: Side): Promise<Failed | undefined>;
  compare(): Promise<{ body: ResultsComparison } | Failed>;
};

/** Measures until the runs decide, or the last comparison is done. @throws the signal's reason */
export async function compareBuilds(
  { measure, compare }: AskBuilds,
  onRun: (done: number) => void,
): Promise<{ body: ResultsComparison } | Failed> {
  const turns = toTurns(looks.at(-1) ?? 0);
  let done = 0;
  let last: Awaited<ReturnType<AskBuilds['compare']>> = {
    failure: 'Nothing was measured.',
    exitCode: exitCodes.analysisFailed,
  };
  for (const look of looks) {
    for (const side of turns.slice(done, 2 * look)) {
      const failed = await measure(side);
      if (failed) return failed;
      done += 1;
      onRun(done);
    }
    last = await compare();
    if ('failure' in last || last.body.verdict.status !== 'undecided') return last;
  }
  return last;
}

function createAsk(wanted: BuildsWanted, asking: Asking): AskBuilds {
  const { before, after, strategy, minEffect } = wanted;
  const name = `compare-builds ${randomUUID().slice(0, 8)}`;
  const labels = { before: `${name} before`, after: `${name} after` };
  return {
    async measure(side) {
      const url = side === 'before' ? before : after;
      const query = new URLSearchParams({ url, strategy, label: labels[side], categories: 'performance' });
      const reply = await askForJson(`lighthouse?${query}`, asking);
      return reply.ok ? undefined : { failure: `${url}: ${sayFailure(reply)}`, exitCode: exitCodeOf(reply) };
    },
    async compare() {
      const query = new URLSearchParams({
        ...labels,
        strategy,
        builds: 'true',
        looks: `${looks.length}`,
        ...minEffect,
      });
      const reply = await askForJson(`compare-results?${query}`, asking);
      return reply.ok
        ? { body: reply.body as ResultsComparison }
        : { failure: sayFailure(reply), exitCode: exitCodeOf(reply) };
    },
  };
}

/** @returns the exit code. @throws the signal's reason, SettingsError */
export async function runBuilds(wanted: BuildsWanted, around: Running): Promise<number> {
  const { results, stderr, signal } = around;
  const service = await openStoringService(wanted, around);
  try {
    const apiKey = wanted.server ? wanted.apiKey : undefined;
    const total = 2 * (looks.at(-1) ?? 0);
    const outcome = await compareBuilds(createAsk(wanted, { baseUrl: service.baseUrl, apiKey, signal }), done => {
      if (!wanted.isQuiet) void write(stderr, `${counted(done, 'run')} of at most ${total}\n`);
    });
    if ('failure' in outcome) {
      await write(stderr, `${outcome.failure}\n`);
      return outcome.exitCode;
    }
    const { verdict } = toPlainBody(outcome.body) as ResultsComparison;
    const check = { url: wanted.after, strategy: wanted.strategy, source: 'lighthouse', verdict, fault: undefined };
    const screen = toScreens(wanted.hasColor, around).result;
    await results.write(
      wanted.format === 'json' ? `${toPlainJson(outcome.body, 2)}\n` : toBaselineText(screen, wanted.before, [check]),
    );
    const isFailing = verdict.status === 'worse' || (wanted.isStrict && verdict.status === 'undecided');
    return isFailing ? exitCodes.assertionFailed : exitCodes.fine;
  } finally {
    await closeService(service, around);
  }
}
