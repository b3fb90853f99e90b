/** Pages that other people wrote: installed documentation of Debian packages, served from this machine. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { startLocalServer } from '../../test/support/sites/local-server.ts';
import type { StudyPage } from './study-pages.ts';

const root = '/usr/share';

/** Pages by package. Links to files outside `/usr/share` are broken, as for any reader of the package. */
const pages: Readonly<Record<string, string>> = {
  'python3.11-doc': 'doc/python3.11/html/library/os.html',
  'python-django-doc': 'doc/python-django-doc/html/ref/models/querysets.html',
  'postgresql-doc-15': 'doc/postgresql-doc-15/html/monitoring-stats.html',
  'sqlite3-doc': 'doc/sqlite3/lang_select.html',
  'rust-doc': 'doc/rust-doc/html/std/vec/struct.Vec.html',
  'rust-doc (book)': 'doc/rust-doc/html/book/ch04-01-what-is-ownership.html',
  'debian-handbook': 'doc/debian-handbook/html/en-US/network-services.html',
  'git-doc': 'doc/git-doc/git-config.html',
  'libgtk-4-doc': 'doc/libgtk-4-doc/gtk4/class.Widget.html',
  'apache2-doc': 'doc/apache2-doc/manual/en/mod/core.html',
};

/** Content types by file extension. */
export const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ico': 'image/x-icon',
};

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/**
 * @param mayMiss whether the pages of missing packages are left out, with a message
 * @throws Error if a package is missing, with the command that installs them all
 */
export async function startRealPages({ mayMiss = false } = {}) {
  const missing = Object.keys(pages).filter(name => !isFile(join(root, pages[name] ?? '')));
  if (mayMiss && missing.length > 0) console.error(`  left out, not installed: ${missing.join(', ')}`);
  if (!mayMiss && missing.length > 0) {
    const packages = [...new Set(Object.keys(pages).map(name => name.split(' ')[0]))];
    throw new Error(
      `Missing: ${missing.join(', ')}. Run: apt-get install ${packages.join(' ')} libjs-sphinxdoc libjs-jquery`,
    );
  }
  const hooks: (() => Promise<void> | void)[] = [];
  const { url } = await startLocalServer({ after: hook => void hooks.push(hook) }, (request, response) => {
    const path = join(root, normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname)));
    if (!isFile(path)) return void response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': contentTypes[extname(path)] ?? 'application/octet-stream',
      'content-length': statSync(path).size,
    });
    createReadStream(path).pipe(response);
  });
  return {
    pages: Object.entries(pages)
      .filter(([name]) => !missing.includes(name))
      .map(([name, path]): StudyPage => ({ name, url: `${url}/${path}` })),
    async close(): Promise<void> {
      for (const hook of hooks) await hook();
    },
  };
}
