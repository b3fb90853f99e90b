/** A command that reads its standard input ends with a signal, and says that nothing was measured. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createArrivals } from '../support/arrivals.ts';
import { endOf, startCli } from './run-cli.ts';

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  for (const args of [['-'], ['--file', '-']])
    test(`${signal} interrupts reading standard input with ${code}: ${args.join(' ')}`, async t => {
      const child = startCli(t, args, { isInputOpen: true });
      const ended = endOf(child);
      const taken = createArrivals<boolean>();
      // The input is larger than a pipe's buffer, so it is written only once the command has started to read.
      child.stdin?.write('# nothing yet\n'.repeat(100_000), () => taken.add(true));
      await taken.waitFor(1);
      child.kill(signal);
      assert.deepEqual(await ended, { code, stdout: '', stderr: 'Nothing was measured.\n' });
    });
