import { createHash } from 'node:crypto';

const maxPageCharacters = 100;

/**
 * Returns a name such as `localhost-3000-about-lighthouse-mobile.html`: only letters, digits, dots, hyphens and
 * underscores, so that the name is valid in a header and on any file system.
 */
export function toFileName(url: string, ...words: readonly string[]): string {
  const { host = '', pathname = '', search = '' } = URL.parse(url) ?? {};
  const page = `${host}${pathname}${search}`
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, maxPageCharacters)
    .replaceAll(/^[-._]+|[-._]+$/g, '');
  return `${[page || 'page', ...words].join('-')}.html`;
}

/** Returns the hash by which a policy identifies an inline script or style. */
const toHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Texts of inline scripts and styles, exactly as between their tags. */
type Inline = {
  readonly scripts?: readonly string[];
  /** Inline styles; `any` if a script writes its own. */
  readonly styles: readonly string[] | 'any';
};

/**
 * Content security policy of a report, regardless of where it is opened: it runs its own scripts, displays embedded
 * images, and makes no request. Text never becomes markup. The policy is part of the file; the service sends further
 * rules in a header, because a file cannot contain all of them.
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
 * Sandbox of a report as a frame, and as a response of the service. With an opaque origin, it cannot read data of other
 * sites. Links open pages without these limits; the report can be printed and saved.
 */
export const frameSandbox =
  'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals' as const;
