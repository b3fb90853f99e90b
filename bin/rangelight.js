#!/usr/bin/env node
/**
 * Starts the command under a Node that is new enough for Lighthouse: the current Node, else the one that `npm ci`
 * installed, else one that npm downloads once. The file has no recent syntax, because an old Node parses it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The oldest Node that Lighthouse 13 supports. It also runs TypeScript. */
const oldest = [22, 19];

const root = fileURLToPath(new URL('..', import.meta.url));
/**
 * A checkout contains the first path, and perhaps an outdated build at the second; the package contains only the
 * second.
 */
const starts = [join(root, 'src', 'cli', 'start.ts'), join(root, 'dist', 'cli', 'start.js')];

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

/** `npm ci` in a checkout installs a Node; the package has none. */
function findOwnNode() {
  const path = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(path) ? path : undefined;
}

function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/** @returns the path of npm's own script, also under npx; undefined if only the `npm` on the PATH is known */
function findNpm() {
  const called = process.env.npm_execpath || '';
  const known = /^np[mx]-cli\.js$/.test(basename(called)) ? join(dirname(called), 'npm-cli.js') : '';
  return known && existsSync(known) ? known : undefined;
}

/**
 * Under root, audits run as an unprivileged user, who must be able to read this Node but cannot read root's home: from
 * there, the browser would run without a sandbox. The browser is unpacked in the same parent folder.
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

/** Asks npm for a Node of this version and returns its path. npm caches it, so the next start downloads nothing. */
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
  // The path is this Node if npm could not run the install script: the name `node` then resolves to the current one.
  if (path === process.execPath) throw new Error('npm did not install it (are install scripts off?)');
  if (status === 0 && path && existsSync(path)) return path;
  throw new Error(error ? error.message : (stderr || '').trim() || `npm ended with ${status}`);
}

/**
 * Runs this file in another Node, forwards arguments and signals, and exits as the child exits. The IPC channel lets
 * the child notice when this process is killed.
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

/** Time to kill audits, answer their clients and write pending results to the store. */
const lastMs = 1000;
const npmCheckMs = 500;

/**
 * Process ids of the parent and the grandparent, because npm runs a script in a shell. Only Linux reveals the
 * grandparent.
 */
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
 * Ends this process soon after its launcher was killed: this file under an older Node, or `npm start` in this folder. A
 * killed launcher cannot forward a signal, and the service would go on using the port. The program listens for
 * `disconnect` and stops.
 */
function endWithParent() {
  process.once('disconnect', () => setTimeout(() => process.exit(1), lastMs).unref());
  if (process.channel) process.channel.unref();
  else if (process.env.npm_lifecycle_event === 'start' && process.env.npm_package_json === join(root, 'package.json')) {
    const ancestors = readAncestors();
    const timer = setInterval(() => {
      if (readAncestors() === ancestors) return;
      clearInterval(timer);
      // The parent may have ended from a signal to the whole process group, which this process hears in the meantime.
      setTimeout(() => process.emit('disconnect'), npmCheckMs).unref();
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
 * Returns a folder for code that is generated once, and executed: never one that another user could have made. Undefined
 * if there is none.
 */
function findCodeFolder() {
  const uid = process.getuid?.();
  const home = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = uid === 0 ? '/var/cache/rangelight' : join(home, 'rangelight');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const { uid: owner, mode } = statSync(folder);
    return uid !== undefined && (owner !== uid || mode & 0o022) ? undefined : folder;
  } catch {
    return undefined;
  }
}

/**
 * Caches compiled code for the next start, which then takes two thirds of the time, and the service needs 20 MB less,
 * because no TypeScript is read. The threads of the service inherit the setting from the environment.
 */
function keepCompiledCode(folder) {
  if (process.env.NODE_COMPILE_CACHE || !module.enableCompileCache) return;
  process.env.NODE_COMPILE_CACHE = join(folder, 'service-code');
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
}

/**
 * Bundles typebox once, and loads the bundle instead of its 680 files, which take a quarter of a start. Threads and
 * workers load the files.
 */
async function loadBundledTypebox(folder, start) {
  const source = dirname(module.createRequire(start).resolve('typebox'));
  const { version } = JSON.parse(readFileSync(join(source, '..', 'package.json'), 'utf8'));
  const bundle = join(folder, `typebox-${version}`);
  if (!existsSync(bundle)) {
    const { buildSync } = await import('esbuild');
    const half = mkdtempSync(`${bundle}.`);
    try {
      buildSync({
        entryPoints: [join(source, 'index.mjs'), join(source, 'value', 'index.mjs')],
        outdir: half,
        outExtension: { '.js': '.mjs' },
        bundle: true,
        splitting: true,
        format: 'esm',
        platform: 'node',
        logLevel: 'silent',
      });
      renameSync(half, bundle);
    } catch (error) {
      rmSync(half, { recursive: true, force: true });
      if (!existsSync(bundle)) throw error;
    }
  }
  const urls = new Map([
    ['typebox', pathToFileURL(join(bundle, 'index.mjs')).href],
    ['typebox/value', pathToFileURL(join(bundle, 'value', 'index.mjs')).href],
  ]);
  module.registerHooks({
    resolve(specifier, context, next) {
      const url = urls.get(specifier);
      return url ? { url, format: 'module', shortCircuit: true } : next(specifier, context);
    },
  });
}

/** Makes the start faster. Without a folder, it only takes longer. */
async function startFaster(start) {
  const folder = findCodeFolder();
  if (folder === undefined) return;
  keepCompiledCode(folder);
  await loadBundledTypebox(folder, start).catch(() => {});
}

const start = findStart();
if (isNewEnough()) {
  endWithParent();
  await startFaster(start);
  await import(pathToFileURL(start).href);
} else startUnderAnother();
