#!/usr/bin/env node
/**
 * Starts the command under a Node that is new enough for Lighthouse: this one, or where it is older the checkout's own, or
 * one that npm fetches once. Plain JavaScript without anything new, because an old Node reads it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What Lighthouse 13 requires. It runs TypeScript too. */
const oldest = [22, 19];

const root = fileURLToPath(new URL('..', import.meta.url));
/** A checkout has the first, and perhaps an older build of it; the package has only the second. */
const starts = [join(root, 'src', 'cli', 'start.ts'), join(root, 'dist', 'cli', 'start.js')];

/** Says what is missing and how to get it. */
function fail(message) {
  console.error(`rangelight: ${message}`);
  process.exit(2);
}

function findStart() {
  const start = starts.find(path => existsSync(path));
  if (!start) fail('the package holds no program: install it again.');
  if (start.endsWith('.ts') && !existsSync(join(root, 'node_modules')))
    fail(`the dependencies of this checkout are not installed: run npm ci in ${root}`);
  return start;
}

/** `npm ci` in a checkout brings a Node of its own; the package comes without. */
function findOwnNode() {
  const path = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(path) ? path : undefined;
}

function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/** npm's own file, also when npx starts us; undefined where there is only a name on the PATH. */
function findNpm() {
  const called = process.env.npm_execpath || '';
  const known = /^np[mx]-cli\.js$/.test(basename(called)) ? join(dirname(called), 'npm-cli.js') : '';
  return known && existsSync(known) ? known : undefined;
}

/**
 * As root the audits run as an unprivileged user, who has to read this Node and cannot read root's home: without that the
 * browser would have no sandbox. The browser is unpacked beside it.
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
  // Our own: npm may not run the script that unpacks the other, and the name leads back here.
  if (path === process.execPath) throw new Error('npm did not install it (are install scripts off?)');
  if (status === 0 && path && existsSync(path)) return path;
  throw new Error(error ? error.message : (stderr || '').trim() || `npm ended with ${status}`);
}

/**
 * Starts this file again; passes arguments and signals on, and ends as the other ends. The channel tells the other when
 * this process is killed.
 */
function runUnder(node) {
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', error => fail(error.message));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code === null ? 1 : code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Time to kill audits, answer their clients and write what waits for the store. */
const lastMs = 1000;
const npmCheckMs = 500;

/** The parent and its parent: npm runs a script in a shell. Only Linux shows the second one. */
function readAncestors() {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'latin1');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${process.ppid} ${parent}`;
  } catch {
    return String(process.ppid);
  }
}

/**
 * Ends this process soon after the one that started it was killed: the launcher under an older Node, or `npm start` of
 * this folder. Both can only be killed so, and would leave the port taken. The program hears `disconnect`, and stops.
 */
function endWithParent() {
  process.once('disconnect', () => setTimeout(() => process.exit(1), lastMs).unref());
  if (process.channel) process.channel.unref();
  else if (process.env.npm_lifecycle_event === 'start' && process.env.npm_package_json === join(root, 'package.json')) {
    const ancestors = readAncestors();
    const timer = setInterval(() => {
      if (readAncestors() === ancestors) return;
      clearInterval(timer);
      process.emit('disconnect');
    }, npmCheckMs);
    timer.unref();
  }
}

function startUnderAnother() {
  const own = findOwnNode();
  if (own) return runUnder(own);
  const needed = oldest.join('.');
  const { version } = process;
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node;
  console.error(
    `rangelight: Lighthouse requires Node ${needed} or newer, this is ${version}. npm fetches Node ${wanted} once, to run it under that.`,
  );
  try {
    runUnder(fetchNode(wanted));
  } catch (error) {
    fail(
      `npm cannot fetch Node ${wanted}: ${error.message}\nInstall Node ${needed} or newer, then run the command again.`,
    );
  }
}

/**
 * Keeps compiled code from one start for the next: a start then takes two thirds of the time, and the service 20 MB less,
 * because no TypeScript is read. Never in a folder that another user may have made: what is there is run. The threads of
 * the service take it from the environment.
 */
function keepCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE || !module.enableCompileCache) return;
  const uid = process.getuid?.();
  const home = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const parent = uid === 0 ? '/var/cache/rangelight' : join(home, 'rangelight');
  try {
    mkdirSync(parent, { recursive: true, mode: 0o755 });
    const { uid: owner, mode } = statSync(parent);
    if (uid !== undefined && (owner !== uid || mode & 0o022)) return;
    process.env.NODE_COMPILE_CACHE = join(parent, 'service-code');
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  } catch {
    // It is compiled at each start.
  }
}

const start = findStart();
if (isNewEnough()) {
  endWithParent();
  keepCompiledCode();
  await import(pathToFileURL(start).href);
} else startUnderAnother();
