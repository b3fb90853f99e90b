/** Shared parts of the tests of container files. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { settingTable } from '../../src/settings/setting-table.ts';
import { projectRoot } from './source-files.ts';

export const read = (path: string): string => readFileSync(projectRoot + path, 'utf8');
export const dockerfile = read('Dockerfile');
export const seccompPath = 'deploy/seccomp.json';
export const { default: usualPort } = settingTable.PORT;
/** The grace period of the service, with time to spare for its shutdown. */
export const graceSeconds = Number(settingTable.SHUTDOWN_GRACE.default) + 10;
/** User id in the image. */
export const uid = /--uid (\d+)/.exec(dockerfile)?.[1] ?? assert.fail('the image has no user');

const settings = new Set(Object.keys(settingTable));

export const assertSettings = (names: readonly string[], where: string): void => {
  assert.ok(names.length > 0, where);
  assert.deepEqual(
    names.filter(name => !settings.has(name)),
    [],
    where,
  );
};

export const answers = async ({ url }: { url: string }, path: string): Promise<boolean> =>
  (await fetch(url + path)).status !== 404;
