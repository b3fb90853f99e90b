/**
 * `rangelight what-if URL` and `rangelight what-if ID`: predict the score of a load under different conditions, from
 * its stored trace.
 */
import type { WhatIf } from '../contract/stored/what-if.ts';
import { type Asking, askForJson, exitCodeOf, sayFailure } from './ask-json.ts';
import { exitCodes, type Running, toScreens, write } from './command-context.ts';
import type { WhatIfWanted } from './input/what-if-arguments.ts';
import { closeService, openStoringService } from './open-service.ts';
import { toPlainBody, toPlainJson } from './text/terminal/plain-text.ts';
import { toWhatIfText } from './text/what-if-text.ts';

type Failed = { readonly failure: string; readonly exitCode: number };
type Asked = { readonly body: unknown } | Failed;

const ask = async (path: string, asking: Asking): Promise<Asked> => {
  const reply = await askForJson(path, asking);
  return reply.ok ? { body: reply.body } : { failure: sayFailure(reply), exitCode: exitCodeOf(reply) };
};

/** Returns the id of a stored load. If the user named a page, it is measured first. */
async function findId({ subject, strategy }: WhatIfWanted, asking: Asking): Promise<{ id: string } | Failed> {
  if ('id' in subject) return subject;
  const asked = await ask(
    `lighthouse?${new URLSearchParams({ url: subject.url, strategy, categories: 'performance' })}`,
    asking,
  );
  if ('failure' in asked) return asked;
  const { id } = asked.body as { id?: string };
  const failure = 'The service stores no results, so there is no load to simulate.';
  return id === undefined ? { failure, exitCode: exitCodes.analysisFailed } : { id };
}

/** @returns the exit code. @throws the signal's reason, SettingsError */
export async function runWhatIf(wanted: WhatIfWanted, around: Running): Promise<number> {
  const { results, stderr, signal } = around;
  const service = await openStoringService(wanted, around);
  try {
    const apiKey = wanted.server ? wanted.apiKey : undefined;
    const asking = { baseUrl: service.baseUrl, apiKey, signal };
    const found = await findId(wanted, asking);
    const asked = 'id' in found ? await ask(`results/${found.id}/what-if`, asking) : found;
    if ('failure' in asked) {
      await write(stderr, `${asked.failure}\n`);
      return asked.exitCode;
    }
    const screen = toScreens(wanted.hasColor, around).result;
    await results.write(
      wanted.format === 'json'
        ? `${toPlainJson(asked.body, 2)}\n`
        : toWhatIfText(screen, toPlainBody(asked.body) as WhatIf),
    );
    return exitCodes.fine;
  } finally {
    await closeService(service, around);
  }
}
