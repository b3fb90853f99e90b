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
