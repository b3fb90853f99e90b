import { createHash } from 'node:crypto';

const maxPageCharacters = 100;

/**
 * `localhost-3000-about-lighthouse-mobile.html`: letters, digits, dots, hyphens and underscores only, whatever the page
 * is called, so that it can stand in a header and in any file system.
 */
export function toFileName(url: string, ...words: readonly string[]): string {
  const { host = '', pathname = '', search = '' } = URL.parse(url) ?? {};
  const page = `${host}${pathname}${search}`
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, maxPageCharacters)
    .replaceAll(/^[-._]+|[-._]+$/g, '');
  return `${[page || 'page', ...words].join('-')}.html`;
}

/** By which a policy knows a script or a style that stands in the file. */
const toHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Each text as it stands between its tags. */
type Inline = {
  readonly scripts?: readonly string[];
  /** `any` for a script that writes styles of its own. */
  readonly styles: readonly string[] | 'any';
};

/**
 * What a report may do wherever it is opened: run the scripts it came with, show pictures that it carries, and make no
 * request. Text never becomes markup. It goes into the file itself; the service sends more in a header, because
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
 * What a report may do as a frame, and as an answer of the service. Without an origin it reads no other site's data.
 * Links lead to pages without these limits; it can be printed and saved.
 */
export const frameSandbox =
  'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals' as const;
