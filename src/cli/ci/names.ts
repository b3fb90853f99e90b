/** Labels of stored results: branch, commit and run of the pipeline. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isObject } from '../../contract/result/details.ts';
import { toBuildLabel } from '../../contract/stored/build-label.ts';
import { maxNoteCharacters } from '../../contract/stored/notes.ts';

const git = (cwd: string, ...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const text = stdout?.trim() ?? '';
  return status === 0 && text !== '' && text !== 'HEAD' ? text : undefined;
};

/** Returns the branch of a full name such as `refs/heads/main`. */
const toBranch = (ref: unknown): string | undefined =>
  typeof ref === 'string' && ref !== '' ? ref.replace(/^refs\/heads\//, '') : undefined;

/** Returns the branch that a queue merges into, or the default branch: GitHub has no variables for them. */
function readTargetOfEvent(path: string | undefined): string | undefined {
  if (!path) return undefined;
  try {
    const { merge_group: queue, repository } = JSON.parse(readFileSync(path, 'utf8')) ?? {};
    return (
      toBranch(isObject(queue) ? queue.base_ref : undefined) ||
      toBranch(isObject(repository) ? repository.default_branch : undefined)
    );
  } catch {
    // A runner without a readable event still has its variables.
    return undefined;
  }
}

export type Names = ReturnType<typeof readNames>;

const toNoteText = (branch: string | undefined, commit: string): string =>
  `${branch === undefined ? 'Commit' : `${branch} at`} ${commit.slice(0, 8)}`.slice(-maxNoteCharacters);

function toCommitLink(env: NodeJS.ProcessEnv, commit: string): { link?: string } {
  const { GITHUB_SERVER_URL: github, GITHUB_REPOSITORY: repository, CI_PROJECT_URL: gitlab } = env;
  if (github && repository) return { link: `${github}/${repository}/commit/${commit}` };
  return gitlab ? { link: `${gitlab}/-/commit/${commit}` } : {};
}

/**
 * Reads branch and commit from the variables of GitHub, GitLab, Azure Pipelines and Jenkins, or otherwise from git.
 * @param run distinguishes runs of one commit
 */
export function readNames(env: NodeJS.ProcessEnv, cwd: string, run: string) {
  const branch =
    env.GITHUB_HEAD_REF ||
    (env.GITHUB_REF_TYPE === 'branch' ? env.GITHUB_REF_NAME : undefined) ||
    env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME ||
    env.CI_COMMIT_BRANCH ||
    git(cwd, 'rev-parse', '--abbrev-ref', 'HEAD') ||
    // These pipelines check out a commit without its branch.
    toBranch(env.SYSTEM_PULLREQUEST_SOURCEBRANCH) ||
    toBranch(env.BUILD_SOURCEBRANCH) ||
    env.BRANCH_NAME;
  const merged =
    env.GITHUB_BASE_REF ||
    env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME ||
    toBranch(env.SYSTEM_PULLREQUEST_TARGETBRANCH) ||
    env.CHANGE_TARGET;
  const target =
    merged ||
    readTargetOfEvent(env.GITHUB_EVENT_PATH) ||
    env.CI_DEFAULT_BRANCH ||
    // A clone knows the default branch of its origin; a checkout of one commit does not.
    git(cwd, 'symbolic-ref', '--short', 'refs/remotes/origin/HEAD')?.replace(/^origin\//, '') ||
    branch ||
    'main';
  const commit = env.GITHUB_SHA || env.CI_COMMIT_SHA || git(cwd, 'rev-parse', 'HEAD') || 'unknown';
  const id = env.GITHUB_RUN_ID ? `${env.GITHUB_RUN_ID}.${env.GITHUB_RUN_ATTEMPT ?? 1}` : (env.CI_JOB_ID ?? run);
  return {
    // The branch of a fork often has the name of its target, whose baseline it must not become.
    branch: branch !== undefined && branch === merged ? `fork/${branch}` : branch,
    // Target branch of the merge.
    target,
    note: { text: toNoteText(branch, commit), ...toCommitLink(env, commit) },
    // A label differs for each run, so that a repeated run is not part of its own baseline.
    toLabel: (name: string) => toBuildLabel({ branch: name, commit, run: id }),
  };
}
