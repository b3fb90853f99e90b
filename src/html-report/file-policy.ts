import { createHash } from 'node:crypto';

/** By which a policy knows a script or a style that stands in the file. */
const toHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Each text as it stands between its tags. */
type Inline = {
  readonly scripts?: readonly string[];
  /** `any` for a script that writes styles of its own. */
  readonly styles: readonly string[] | 'any';
};

/**
 * What a report may do wherever it is opened: run the scripts it came with, show pictures that it carries, and ask nobody
 * for anything. Text never becomes markup. It goes into the file itself; the service sends more in a header, because
 * a file cannot say all of it.
 */
export const toFilePolicy = ({ scripts = [], styles }: Inline): string =>
  [
    "default-src 'none'",
    ...(scripts.length > 0 ? [`script-src ${scripts.map(toHash).join(' ')}`] : []),
    `style-src ${styles === 'any' ? "'unsafe-inline'" : styles.map(toHash).join(' ')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/**
 * What a report may do as a frame, and what a browser is told of one that the service sends. Without an origin of its
 * own it reads nothing of anybody's. Links lead to pages that are not held to this; it may be printed and saved.
 */
export const frameSandbox =
  'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals' as const;
