/** Scores of accessibility, SEO and best practices that change for a known reason. */
import { addFile, addScriptTime, flip, type PurePlant, setElements, tbt } from '../pure-plants.ts';
import { addScript } from '../second-set/drafts.ts';
import { noPage, pageBy } from './expected.ts';

export const otherCategories: readonly PurePlant[] = [
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
    name: 'a chat window without names',
    planted: 'remote: a chat of 90 KB, 12 elements more, image-alt and link-text fail',
    plant: ({ psi }) => {
      addScript(psi, 'https://chat.example/widget.js', 90_000);
      addScriptTime(psi, 'https://chat.example/widget.js', 90);
      setElements(psi, 27);
      flip(psi, 'image-alt', 'accessibility', 0.87);
      flip(psi, 'link-text', 'seo', 0.92);
    },
    first: 'different_page',
    says: pageBy('chat\\.example'),
    never: /no known cause|CPU throttling|machines/i,
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
    name: 'a page that asks for the place of its visitor',
    planted: 'local: geolocation-on-start and inspector-issues fail; a map of 300 KB is only here',
    plant: ({ lighthouse }) => {
      addFile(lighthouse, 'https://maps.example/api/js?key=1', { resourceType: 'Script', resourceSize: 300_000 });
      flip(lighthouse, 'geolocation-on-start', 'best-practices', 0.7);
      flip(lighthouse, 'inspector-issues', 'best-practices', 0.67);
    },
    first: 'different_page',
    says: pageBy('maps\\.example'),
    never: /no known cause|CPU throttling|machines/i,
  },
];
