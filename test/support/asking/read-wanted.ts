import assert from 'node:assert/strict';
import { type Command, readArguments } from '../../../src/cli/input/arguments.ts';

type WantedBy = { [C in Extract<Command, { wanted: unknown }> as C['kind']]: C['wanted'] };

/** What a command line of this kind asks for. */
export function readWanted<Kind extends keyof WantedBy>(kind: Kind, args: readonly string[]): WantedBy[Kind] {
  const command = readArguments(kind === 'measure' ? args : [kind, ...args], {});
  assert.equal(command.kind, kind);
  return (command as { wanted: unknown }).wanted as WantedBy[Kind];
}
