/**
 * The labels of builds: `main@1a2b3c4-77` is branch, commit and run. A baseline is found by the branch before the `@`.
 */

const maxBranch = 60;
const maxLabel = 100;

export const toBranchPrefix = (branch: string): string => `${branch.slice(0, maxBranch)}@`;

/** @param run distinguishes runs of one commit */
export const toBuildLabel = ({ branch, commit, run }: { branch: string; commit: string; run: string }): string =>
  `${toBranchPrefix(branch)}${commit.slice(0, 7)}-${run}`.slice(0, maxLabel);

/** Removes the port, because Lighthouse CI uploads pages without it. Undefined for a URL without a port. */
export function toUploadedUrl(url: string): string | undefined {
  const target = new URL(url);
  if (target.port === '') return undefined;
  target.port = '';
  return target.href;
}
