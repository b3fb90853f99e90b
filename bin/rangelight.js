#!/usr/bin/env node
/**
 * Starts the command under a Node that is new enough for Lighthouse: this one, or where it is older one that npm fetches
 * once. Plain JavaScript without anything new, because an old Node reads it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What Lighthouse 13 asks for. */
const oldest = [22, 19];

const root = fileURLToPath(new URL('..', import.meta.url));
const start = join(root, 'dist', 'cli', 'start.js');

function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/** npm's own file, whoever calls us; undefined where only a name on the PATH is left. */
function findNpm() {
  const called = process.env.npm_execpath || '';
  const known = /^np[mx]-cli\.js$/.test(basename(called)) ? join(dirname(called), 'npm-cli.js') : '';
  return known && existsSync(known) ? known : undefined;
}

/**
 * As root the audits run as an unprivileged user, who has to be able to read this Node, and root's home it cannot: else
 * the browser would go without its sandbox. The browser is unpacked beside it.
 */
function cacheWords() {
  if (process.getuid?.() !== 0) return [];
  const folder = '/var/cache/rangelight/npm';
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    return [`--cache=${folder}`];
  } catch {
    return [];
  }
}

/** Asks npm for a Node of this version and gives its path. npm keeps it, so the next time nothing is fetched. */
function fetchNode(version) {
  const npm = findNpm();
  const words = [
    'exec',
    '--yes',
    '--loglevel=error',
    ...cacheWords(),
    `--package=node@${version}`,
    '--',
    'node',
    '-p',
    'process.execPath',
  ];
  const [program, args] = npm ? [process.execPath, [npm, ...words]] : ['npm', words];
  const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], shell: !npm && process.platform === 'win32' };
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  const path = (stdout || '').trim().split('\n').pop();
  // Our own: npm was not allowed to run what unpacks the other, and the name led back here.
  if (path === process.execPath) throw new Error('npm did not install it (are install scripts off?)');
  if (status === 0 && path && existsSync(path)) return path;
  throw new Error(error ? error.message : (stderr || '').trim() || `npm ended with ${status}`);
}

/** Passes on what it is told to do, and ends as the other ended. */
function runUnder(node) {
  const child = spawn(node, [start, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', error => {
    console.error(`rangelight: ${error.message}`);
    process.exit(2);
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code === null ? 1 : code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function startUnderAnother() {
  const needed = oldest.join('.');
  const { version } = process;
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node;
  console.error(
    `rangelight: Lighthouse needs Node ${needed} or newer, this is ${version}: Node ${wanted} is used, which npm fetches once.`,
  );
  try {
    runUnder(fetchNode(wanted));
  } catch (error) {
    console.error(
      `rangelight: Node ${wanted} cannot be had from npm: ${error.message}\nInstall Node ${needed} or newer, then try again.`,
    );
    process.exit(2);
  }
}

if (isNewEnough()) await import('../dist/cli/start.js');
else startUnderAnother();
