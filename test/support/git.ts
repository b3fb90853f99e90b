import { spawnSync } from 'node:child_process';

/** Why tests that need git are skipped; undefined if git is installed. */
export const whyNoGit = spawnSync('git', ['--version']).status === 0 ? undefined : 'there is no git here';
