/** Table of all causes: the words for each in a sentence, and its kind, from which order-causes.ts finds its rank. */
import type { CauseName } from '../../../contract/analysis/comparison.ts';
import { doubtful, negligible, slight } from '../constants.ts';

type CauseRow = {
  readonly words: string;
  readonly isPlural?: true;
  /**
   * `setting`: a re-audit computes its points. `version`: the versions of Lighthouse differ. `doubted`: the times of a
   * load may be wrong. `rest`: points that no cause explains.
   */
  readonly kind?: 'setting' | 'version' | 'doubted' | 'rest';
  /** Whether the cause affects the score even if its points are unknown. */
  readonly isOpen?: true;
  /** Min weight of a page difference that counts as a cause if this is the only other cause. */
  readonly leastOfPage?: number;
};

export const causeTable: Readonly<Record<CauseName, CauseRow>> = {
  different_page: { words: 'a different page' },
  throttling: { words: 'network throttling', kind: 'setting', isOpen: true },
  cpu: { words: 'CPU throttling', kind: 'setting', isOpen: true },
  server: { words: 'server response times', isPlural: true, kind: 'setting', isOpen: true },
  audits: { words: 'audits with different results', isPlural: true },
  one_sided_audits: { words: 'audits that only one side counted', isPlural: true },
  form_factor: { words: 'the simulated device', isOpen: true },
  lighthouse_version: { words: 'different versions of Lighthouse', isPlural: true, kind: 'version', isOpen: true },
  chrome_version: { words: 'different versions of the browser', isPlural: true },
  cached_answer: { words: 'the age of the PSI result' },
  run_noise: { words: 'run-to-run noise', kind: 'rest' },
  unexplained: { words: 'no known cause', kind: 'rest', leastOfPage: negligible },
  machine: { words: 'the speed of the machines' },
  simulation: { words: 'the simulation of a slow network', kind: 'doubted', leastOfPage: doubtful },
  disturbed_run: { words: 'a disturbed run', kind: 'doubted', leastOfPage: slight },
  // The points are known, but not why the page shifted.
  layout_shift: { words: 'layout shifts', isPlural: true, leastOfPage: negligible },
};
