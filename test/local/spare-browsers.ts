/** What is seen of browsers from outside, in a process with one service. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { descendantsOf, isBrowser, type Process } from '../leak/process-tree.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { moveTemporaryFiles } from '../support/temporary-files.ts';
import { until } from '../support/until.ts';

const temporary = await moveTemporaryFiles({ after });

/** With one slot there is one worker, so the next audit waits until the last one is cleared away. */
export const oneSlot = { LIGHTHOUSE_SPARE: 'on', LIGHTHOUSE_CONCURRENCY: '1' };

export const audit = (service: { url: string }, url: string) =>
  ask<Result>(service, withQuery('/lighthouse', { url, categories: 'seo' }));

export const browsers = (): Process[] => descendantsOf(process.pid).filter(isBrowser);

/** The one spare browser, once the last audit is cleared away. */
export async function findSpare(except?: Process): Promise<Process> {
  const fresh = () => browsers().filter(({ pid }) => pid !== except?.pid);
  await until(() => fresh().length === 1 && browsers().length === 1);
  return fresh()[0] ?? assert.fail();
}

export const foldersLeft = (): string[] =>
  readdirSync(temporary).flatMap(home => readdirSync(join(temporary, home)).filter(name => name.startsWith('audit-')));
