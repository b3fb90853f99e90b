/** Scores of accessibility, best practices and SEO. */
import type { PurePlant } from '../compare-plant.ts';
import { auditOf, elsewhere, flip, noPage, noPageClaimed, same, setDocument, tbt } from '../drafts.ts';

export const audits: readonly PurePlant[] = [
  {
    name: 'alternative text',
    planted: 'remote: image-alt fails',
    plant: ({ psi }) => flip(psi, 'image-alt', 'accessibility', 0.9),
    first: 'audits',
    says: /accessibility is \d+ points higher.*\(image-alt failed on psi\.example\)/i,
  },
  {
    name: 'not to be indexed',
    planted: 'local: is-crawlable fails',
    plant: ({ lighthouse }) => flip(lighthouse, 'is-crawlable', 'seo', 0.66),
    first: 'audits',
    says: /SEO is \d+ points lower.*\(is-crawlable failed in local Lighthouse\)/i,
  },
  {
    name: 'an audit that one side did not count',
    planted: 'remote: image-alt does not apply',
    plant: ({ psi }) => {
      const { accessibility } = psi.categories;
      if (accessibility) accessibility.auditRefs = accessibility.auditRefs.filter(({ id }) => id !== 'image-alt');
    },
    first: 'one_sided_audits',
    says: same,
    never: /did not load|no known cause/,
  },
  {
    name: 'audits that do not apply here',
    planted: 'local: five of accessibility are not counted, and one fails on both sides',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) auditOf(draft, 'heading-order').score = 0;
      const [far, near] = [psi, lighthouse].map(draft => draft.categories.accessibility);
      if (far) far.score = 0.96;
      if (!near) return;
      near.score = 0.88;
      const kept = ['heading-order', 'html-has-lang', 'document-title', 'color-contrast'];
      near.auditRefs = near.auditRefs.filter(({ id }) => kept.includes(id));
    },
    first: 'one_sided_audits',
    says: /accessibility is 8 points lower/i,
    never: /failed (on|in)|no known cause|did not load/,
  },
  {
    name: 'audits of an older version',
    planted: 'remote: 12.8, which counts tap-targets in SEO; 4 points of SEO',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '12.8.2';
      psi.audits['tap-targets'] = { score: 0, details: { items: [], debugData: {} } };
      psi.categories.seo?.auditRefs.push({ id: 'tap-targets', weight: 0.5 });
      if (psi.categories.seo) psi.categories.seo.score = 0.96;
    },
    first: 'one_sided_audits',
    says: /^Both sides score 99\. SEO is 4 points higher.*/i,
    never: /failed (on|in)|no known cause|did not load/,
  },
  {
    name: 'a cookie of a third party',
    planted: 'remote: third-party-cookies fails; everything else is alike',
    plant: ({ psi }) => flip(psi, 'third-party-cookies', 'best-practices', 0.55),
    first: 'audits',
    says: /^Both sides score 99\. best practices is 19 points higher.*\(third-party-cookies failed on psi\.example\)/i,
    never: noPageClaimed,
  },
  {
    name: 'alternates that are not valid',
    planted: 'remote: hreflang fails in SEO',
    plant: ({ psi }) => flip(psi, 'hreflang', 'seo', 0.92),
    first: 'audits',
    says: /SEO is 8 points higher.*hreflang failed on psi\.example/i,
    never: noPage,
  },
  {
    name: 'no description on a staging server',
    planted: 'local: meta-description and is-crawlable fail',
    plant: ({ lighthouse }) => {
      flip(lighthouse, 'meta-description', 'seo', 0.92);
      flip(lighthouse, 'is-crawlable', 'seo', 0.58);
    },
    first: 'audits',
    says: /SEO is 42 points lower.*is-crawlable failed in local Lighthouse/i,
    never: noPage,
  },
  {
    name: 'a dark theme for night',
    planted: 'local: color-contrast fails, and 3 points of blocking time apart',
    plant: ({ lighthouse }) => {
      flip(lighthouse, 'color-contrast', 'accessibility', 0.89);
      tbt(lighthouse, 0.9);
    },
    first: ['audits', 'run_noise'],
    says: /accessibility is 11 points lower.*color-contrast failed in local Lighthouse/i,
    never: /did not load|no known cause/,
  },
  {
    name: 'faults on either side',
    planted: 'remote: heading-order, local: deprecations',
    plant: ({ psi, lighthouse }) => {
      flip(psi, 'heading-order', 'accessibility', 0.97);
      flip(lighthouse, 'deprecations', 'best-practices', 0.55);
    },
    first: 'audits',
    says: /best practices is 19 points lower.*deprecations failed in local Lighthouse/i,
    never: noPage,
  },
  {
    name: 'a button in another colour',
    planted: 'local: the other half of a test, whose only trace is that color-contrast fails',
    plant: ({ lighthouse }) => flip(lighthouse, 'color-contrast', 'accessibility', 0.93),
    first: ['audits', 'different_page'],
    says: /accessibility is 7 points lower.*color-contrast/i,
    never: elsewhere,
  },
  {
    name: 'a call that the newest browser warns of',
    planted: 'remote: Chrome 141, local 153, which knows a deprecation more; best practices 11 lower',
    plant: ({ psi, lighthouse }) => {
      psi.environment.hostUserAgent = psi.environment.hostUserAgent.replace(/Chrome\/[\d.]+/, 'Chrome/141.0.7390.0');
      flip(lighthouse, 'deprecations', 'best-practices', 0.63);
    },
    first: ['audits', 'chrome_version'],
    says: /best[- ]practices is 11 points lower.*deprecations/i,
    never: /did not load|may have loaded|CPU throttling|machines|simulation of|no known cause/i,
  },
  {
    name: 'not for robots, on a staging server',
    planted: 'local: a robots tag of 44 bytes, so is-crawlable fails',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 1517, transferSize: 1677 });
      flip(lighthouse, 'is-crawlable', 'seo', 0.66);
    },
    first: ['audits', 'different_page'],
    says: /SEO is 34 points lower.*\(is-crawlable failed in local Lighthouse\)/i,
    never: elsewhere,
  },
];
