import { spawnSync } from 'node:child_process';

/** A root user that may do everything except become another user. */
export const boundRoot = ['setpriv', '--bounding-set=-setuid,-setgid'];
const [program = '', ...words] = boundRoot;
export const whyNoBoundRoot =
  process.getuid?.() === 0 && spawnSync(program, [...words, 'true']).status === 0
    ? undefined
    : 'skipped: only root can be a root that may not become another user';
