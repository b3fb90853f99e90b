import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { whyNoGit } from '../../../test/support/git.ts';
import { makeScratchFolder } from '../../../test/support/scratch-folder.ts';
import { toBranchPrefix } from '../../contract/stored/build-label.ts';
import { readNames } from './names.ts';

test("GitHub's and GitLab's variables name the branch, its target and the run", t => {
  const folder = makeScratchFolder(t);
  const github = { GITHUB_REF_TYPE: 'branch', GITHUB_SHA: 'abcdef0123', GITHUB_RUN_ID: '77', GITHUB_RUN_ATTEMPT: '2' };
  const push = readNames({ ...github, GITHUB_REF_NAME: 'master' }, folder, 'r');
  assert.deepEqual([push.branch, push.target, push.toLabel('master')], ['master', 'master', 'master@abcdef0-77.2']);
  const pull = readNames({ ...github, GITHUB_HEAD_REF: 'topic', GITHUB_BASE_REF: 'develop' }, folder, 'r');
  assert.deepEqual([pull.branch, pull.target], ['topic', 'develop']);
  const gitlab = {
    CI_COMMIT_SHA: 'abcdef0123',
    CI_JOB_ID: '5',
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'topic',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'trunk',
  };
  const merge = readNames(gitlab, folder, 'r');
  assert.deepEqual([merge.branch, merge.target, merge.toLabel('topic')], ['topic', 'trunk', 'topic@abcdef0-5']);
});

test('Azure Pipelines and Jenkins name the branch and the target of a commit without a branch', t => {
  const folder = makeScratchFolder(t);
  const read = (env: NodeJS.ProcessEnv) => {
    const { branch, target } = readNames(env, folder, 'r');
    return [branch, target];
  };
  assert.deepEqual(read({ BUILD_SOURCEBRANCH: 'refs/heads/release/2' }), ['release/2', 'release/2']);
  const pull = {
    BUILD_SOURCEBRANCH: 'refs/pull/1/merge',
    SYSTEM_PULLREQUEST_SOURCEBRANCH: 'refs/heads/topic',
    SYSTEM_PULLREQUEST_TARGETBRANCH: 'refs/heads/release/2',
  };
  assert.deepEqual(read(pull), ['topic', 'release/2']);
  assert.deepEqual(read({ BRANCH_NAME: 'master' }), ['master', 'master']);
  assert.deepEqual(read({ BRANCH_NAME: 'PR-7', CHANGE_TARGET: 'develop' }), ['PR-7', 'develop']);
  assert.deepEqual(read({}), [undefined, 'main']);
});

test('a pull request from a branch with the name of its target does not become the baseline', t => {
  const folder = makeScratchFolder(t);
  const isOfTarget = (env: NodeJS.ProcessEnv) => {
    const { branch = '', target, toLabel } = readNames({ GITHUB_SHA: 'abcdef0123', ...env }, folder, 'r');
    return toLabel(branch).startsWith(toBranchPrefix(target));
  };
  assert.equal(isOfTarget({ GITHUB_HEAD_REF: 'main', GITHUB_BASE_REF: 'main' }), false);
  const gitlab = { CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'main', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' };
  assert.equal(isOfTarget(gitlab), false);
  assert.equal(isOfTarget({ GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'main' }), true, 'a push renews it');
});

test("GitHub's event names the default branch for a push, and the target of a merge queue", t => {
  const folder = makeScratchFolder(t);
  const event = join(folder, 'event.json');
  const env = { GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'topic', GITHUB_EVENT_PATH: event };
  const targetOf = (content: string, more: NodeJS.ProcessEnv = {}) => {
    writeFileSync(event, content);
    return readNames({ ...env, ...more }, folder, 'r').target;
  };
  const push = JSON.stringify({ repository: { default_branch: 'trunk' } });
  assert.equal(targetOf(push), 'trunk');
  assert.equal(targetOf(push, { GITHUB_BASE_REF: 'develop' }), 'develop');
  const queue = { repository: { default_branch: 'trunk' }, merge_group: { base_ref: 'refs/heads/release/2' } };
  assert.equal(targetOf(JSON.stringify(queue)), 'release/2');
  for (const other of ['null', '{}', '{']) assert.equal(targetOf(other), 'topic', other);
});

test("outside a pipeline, the target is the default branch of the clone's origin, else the current branch", {
  skip: whyNoGit,
}, t => {
  const folder = makeScratchFolder(t);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init', '--quiet', '--initial-branch', 'master');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'One');
  git('checkout', '--quiet', '-b', 'topic');
  assert.equal(readNames({}, folder, 'r').target, 'topic');
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/master');
  const { branch, target } = readNames({}, folder, 'r');
  assert.deepEqual([branch, target], ['topic', 'master']);
});

test('a label and the search for it shorten a long branch in the same way', t => {
  const branch = 'feature/'.padEnd(90, 'x');
  const label = readNames({ CI_COMMIT_BRANCH: branch }, makeScratchFolder(t), 'r').toLabel(branch);
  assert.ok(label.startsWith(toBranchPrefix(branch)));
  assert.ok(label.length <= 100);
});
