/** Finds the stored results that new ones are compared with. */

import { toBranchPrefix, toUploadedUrl } from '../../contract/stored/build-label.ts';
import type { KeptFacts, KeptPage } from '../../contract/stored/kept.ts';
import { type Asking, ask } from '../ask-json.ts';
import type { MeasureRequest } from '../measurements.ts';
import { toPlainBody } from '../text/terminal/plain-text.ts';
import type { Plan } from './plan.ts';

export type CiPage = Pick<MeasureRequest, 'url' | 'strategy'>;

/** Returns the newest stored result of a page's baseline; undefined before the first one. @throws CommandFailure */
export async function findBaseline(
  { url, strategy }: CiPage,
  plan: Pick<Plan, 'baseline' | 'label'>,
  asking: Asking,
): Promise<KeptFacts | undefined> {
  const found = await findNewest({ url, strategy }, plan, asking, () => true);
  const uploadedUrl = found ? undefined : toUploadedUrl(url);
  if (uploadedUrl === undefined) return found;
  return findNewest({ url: uploadedUrl, strategy }, plan, asking, ({ analyser }) => analyser.kind === 'uploaded');
}

async function findNewest(
  { url, strategy }: CiPage,
  { baseline, label }: Pick<Plan, 'baseline' | 'label'>,
  asking: Asking,
  isOfPage: (facts: KeptFacts) => boolean,
): Promise<KeptFacts | undefined> {
  const query = new URLSearchParams({ url, strategy, source: 'lighthouse', kind: 'result', limit: '1000' });
  if ('label' in baseline) query.set('label', baseline.label);
  const isBaseline = (facts: KeptFacts): boolean =>
    isOfPage(facts) &&
    ('label' in baseline ||
      (facts.label !== label && facts.label?.startsWith(toBranchPrefix(baseline.branch)) === true));
  // All pages of the list are read, because other branches may have thousands of newer results.
  for (;;) {
    const { results, next } = toPlainBody(await ask(`results?${query}`, asking)) as KeptPage;
    const found = results.find(isBaseline);
    if (found || next === null) return found;
    query.set('cursor', next);
  }
}

/** Describes differences that prevent a comparison, before the command spends minutes on measuring. */
export function sayUnlike({ url, strategy }: CiPage, { profile, analyser }: KeptFacts, version: string): string[] {
  const about = `${url} (${strategy})`;
  const measuredWith = analyser.lighthouse_version;
  return [
    ...(profile !== null && profile !== 'lighthouse'
      ? [`${about}: the baseline was measured with profile ${profile}; the results cannot be compared.`]
      : []),
    ...(measuredWith !== null && measuredWith !== version
      ? [
          `${about}: the baseline was measured with Lighthouse ${measuredWith}, this service has ${version}; its stored loads are audited again if they are still stored.`,
        ]
      : []),
  ];
}
