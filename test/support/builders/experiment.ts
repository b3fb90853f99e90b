import type { ExperimentAnswer } from '../../../src/contract/experiments/answer.ts';

type Variant = ExperimentAnswer['variants'][number];

const pageUrl = 'https://harbour.example/';
const noPrediction = { difference: null, result: null, reason: 'Only removals are predicted.' };

const toPairs = (difference: number): Variant['pairs'] =>
  Array.from({ length: 9 }, (_, block) => {
    const base = 2400 + 40 * ((block * 5) % 7);
    return { block, base, variant: base + difference + 30 * ((block * 3) % 5) - 60 };
  });

const buildVariant = (fields: Partial<Variant>): Variant => ({
  name: 'variant 1',
  url: pageUrl,
  strategy: 'mobile',
  block: [],
  replace: [],
  headers: [],
  recipes: [],
  throttling: null,
  prediction: noPrediction,
  status: 'undecided',
  difference: null,
  interval: null,
  p_value: null,
  min_effect: 100,
  judged_pairs: 0,
  pairs: [],
  disturbed_loads: 0,
  other_measures: [],
  hits: {},
  notes: [],
  ...fields,
});

/** A finished experiment with two variants: one is better than the page, the other has no verdict. */
export const buildExperiment = (fields: Partial<ExperimentAnswer> = {}): ExperimentAnswer => ({
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  state: 'succeeded',
  url: pageUrl,
  strategy: 'mobile',
  profile: 'lighthouse',
  metric: 'largest_contentful_paint',
  throttling_method: 'devtools',
  throttling_reason: 'Applied throttling: a recipe changes the order of requests.',
  label: 'build-42',
  plan: {
    pairs: [9, 14],
    loads: { first: 36, most: 56 },
    seconds: 240,
    can_show: 180,
    sentence: 'With 9 pairs, about 4 minutes, this page can show a difference of 180 ms in Largest Contentful Paint.',
  },
  progress: { loads: 36, failed: 1, failure: 'The page responded with status 503.' },
  control: { differs: false, pairs: toPairs(0), disturbed_loads: 0 },
  variants: [
    buildVariant({
      name: 'without the tide widget',
      block: ['widgets.tides.example/a-rather-long-path-of-a-script/*'],
      prediction: { difference: -700, result: '01890a5d-ac96-774b-bcce-b302099a8058', reason: null },
      status: 'better',
      difference: -640,
      interval: { low: -700, high: -580, confidence: 0.992 },
      p_value: 0.0039,
      judged_pairs: 9,
      pairs: toPairs(-640),
      other_measures: [
        {
          name: 'total_blocking_time',
          difference: -120,
          interval: { low: -180, high: -40, confidence: 0.95 },
          p_value: 0.02,
        },
      ],
      hits: { 'widgets.tides.example/a-rather-long-path-of-a-script/*': 9 },
    }),
    buildVariant({
      name: 'preload',
      recipes: [{ name: 'preload', url: 'https://harbour.example/hero.jpg', value: 'image' }],
      difference: 20,
      interval: { low: -150, high: 190, confidence: 0.992 },
      p_value: 0.7,
      judged_pairs: 9,
      pairs: toPairs(20),
      disturbed_loads: 1,
      hits: { 'preload https://harbour.example/hero.jpg': 0 },
      notes: [
        'preload https://harbour.example/hero.jpg matched nothing in any load, or the browser refused it: this change had no effect.',
      ],
    }),
  ],
  error: null,
  created_at: '2026-11-20T10:00:00.000Z',
  ended_at: '2026-11-20T10:04:00.000Z',
  links: {
    self: '/experiments/01890a5d-ac96-774b-bcce-b302099a8057',
    job: '/jobs/01890a5d-ac96-774b-bcce-b302099a8057',
  },
  ...fields,
});

/** The same experiment before its first look. */
export const buildRunningExperiment = (): ExperimentAnswer => {
  const whole = buildExperiment();
  const pairs = (from: Variant['pairs']) => from.slice(0, 3);
  return {
    ...whole,
    state: 'running',
    ended_at: null,
    progress: { loads: 13, failed: 0, failure: null },
    control: { ...whole.control, pairs: pairs(whole.control.pairs) },
    variants: whole.variants.map(({ pairs: all, ...variant }) => ({
      ...variant,
      status: 'undecided',
      difference: null,
      interval: null,
      p_value: null,
      judged_pairs: 0,
      pairs: pairs(all),
      disturbed_loads: 0,
      other_measures: [],
      notes: [],
    })),
  };
};
