/** What an audit need not gather for the categories that are asked for. Lighthouse gathers it all the same. */
import type { LeftOut } from '../../contract/result/environment.ts';

/**
 * Of the axe rules only accessibility has use for all. A picture of the whole page shows where elements stand that
 * audits name; those of SEO are known by their text.
 */
export const toLeftOut = (categories: readonly string[]): LeftOut[] => [
  ...(categories.every(name => name === 'seo') ? ['full_page_screenshot' as const] : []),
  ...(categories.includes('seo') && !categories.includes('accessibility') ? ['other_axe_rules' as const] : []),
];
