/** Labels of stored results: branch, commit and run of the pipeline. */
import { spawnSync } from 'node:child_process';
import { toBuildLabel } from '../../contract/stored/build-label.ts';

const git = (cwd: string, ...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const text = stdout?.trim() ?? '';
  return status === 0 && text !== '' && text !== 'HEAD' ? text : undefined;
};

export type Names = {
  readonly branch: string | undefined;
  /** Target branch of the merge. */
  readonly target: string;
  /**
   * Returns a label such as `main@1a2b3c4-77`: different for each run, so that a repeated run is not part of its own
   * baseline.
   */
  toLabel(branch: string): string;
};

/**
 * Reads branch and commit from the variables of GitHub and GitLab, or otherwise from git.
 * @param run distinguishes runs of one commit
 */
export function readNames(env: NodeJS.ProcessEnv, cwd: string, run: string): Names {
  const branch =
    env.GITHUB_HEAD_REF ||
    (env.GITHUB_REF_TYPE === 'branch' ? env.GITHUB_REF_NAME : undefined) ||
    env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME ||
    env.CI_COMMIT_BRANCH ||
    git(cwd, 'rev-parse', '--abbrev-ref', 'HEAD');
  const target =
    env.GITHUB_BASE_REF ||
    env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME ||
    env.CI_DEFAULT_BRANCH ||
    // A clone knows the default branch of its origin; a checkout of one commit does not.
    git(cwd, 'symbolic-ref', '--short', 'refs/remotes/origin/HEAD')?.replace(/^origin\//, '') ||
    branch ||
    'main';
  const commit = env.GITHUB_SHA || env.CI_COMMIT_SHA || git(cwd, 'rev-parse', 'HEAD') || 'unknown';
  const id = env.GITHUB_RUN_ID ? `${env.GITHUB_RUN_ID}.${env.GITHUB_RUN_ATTEMPT ?? 1}` : (env.CI_JOB_ID ?? run);
  return { branch, target, toLabel: name => toBuildLabel({ branch: name, commit, run: id }) };
}
