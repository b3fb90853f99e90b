/** The sample repository of demo/ci in a folder of the test's own, with git, and a free port. */
import { execFileSync, spawn } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../contract/source-files.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import type { Scope } from '../support/start-service.ts';

export type CiEnd = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export async function createSampleRepository(scope: Scope) {
  const folder = makeScratchFolder(scope);
  await cp(join(projectRoot, 'demo/ci'), folder, { recursive: true });
  await rm(join(folder, '.rangelight'), { recursive: true, force: true });
  const { port } = new URL(await findClosedPort());
  const path = (name: string) => join(folder, name);
  const change = async (name: string, toNext: (before: string) => string) =>
    writeFile(path(name), toNext(await readFile(path(name), 'utf8')));
  const configure = (changes: object) =>
    change('rangelight.config.json', before => JSON.stringify({ ...JSON.parse(before), ...changes }, null, 2));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Sample', '-c', 'user.email=sample@example.com', ...args], {
      cwd: folder,
      stdio: 'ignore',
    });
  const commit = (message: string) => {
    git('add', '--all');
    git('commit', '--allow-empty', '--quiet', '--message', message);
  };
  await configure({ server: { command: 'node server.mjs', url: `http://127.0.0.1:${port}/` } });
  git('init', '--quiet', '--initial-branch', 'main');
  // As in a clone.
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  commit('The site');

  async function ci(args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}): Promise<CiEnd> {
    const { PATH, HOME, XDG_CACHE_HOME = '', CHROME_PATH = '' } = process.env;
    const child = spawn(process.execPath, [join(projectRoot, 'src/cli/start.ts'), 'ci', ...args], {
      cwd: folder,
      env: { PATH, HOME, XDG_CACHE_HOME, CHROME_PATH, PORT: port, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    scope.after(() => void child.kill('SIGKILL'));
    const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
    return { code, stdout, stderr };
  }

  return { folder, port, path, change, configure, git, commit, ci };
}
