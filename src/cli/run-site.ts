/** `rangelight site URL`: finds the pages of a site, as input for a list. */
import type { Sitemap } from '../contract/sitemap.ts';
import { ask } from './ask-json.ts';
import { printAnswer, type Running, write } from './command-context.ts';
import type { SiteWanted } from './input/arguments.ts';
import { withService } from './open-service.ts';
import { toPlainBody } from './text/terminal/plain-text.ts';

/** Lists the route templates, so that it is clear which pages the list has, and how it was made. */
function toSummary({ found, urls, templates, links, failures, is_complete: isComplete }: Sitemap): string {
  const way = links ? `by the links of ${links.read} pages` : 'in sitemaps';
  const lines = templates.map(({ template, pages }) => `${String(pages).padStart(7)}  ${template}`);
  const notes = failures.map(({ url, detail }) => `${url}: ${detail}`);
  return [
    `${found} pages found ${way}, ${urls.length} listed${isComplete ? '' : '; there are more'}`,
    ...lines,
    ...notes,
    '',
  ].join('\n');
}

export function runSite(wanted: SiteWanted, around: Running): Promise<number> {
  const { url, sample, quiet } = wanted;
  const query = new URLSearchParams({ url, ...(sample === undefined ? {} : { sample: `${sample}` }) });
  return withService(wanted, around, async asking => {
    const body = await ask(`sitemap?${query}`, asking);
    const pages = toPlainBody(body) as Sitemap;
    if (!quiet) await write(around.stderr, toSummary(pages));
    return printAnswer(body, wanted, around, () => pages.urls.map(page => `${page}\n`).join(''));
  });
}
