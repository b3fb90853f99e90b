/** Predictions, as the service returns them. */
import type { PredictedValues, WhatIf } from '../../../src/contract/stored/what-if.ts';
import { cpuMultipliers, networkNames, networks } from '../../../src/explain/what-if/plan.ts';

const values = (score: number): PredictedValues => ({
  score,
  first_contentful_paint: 1500,
  largest_contentful_paint: 11_900 - 100 * score,
  total_blocking_time: 1020 - 10 * score,
  speed_index: 3600,
});

type Removal = WhatIf['scripts']['items'][number];
const removal = (fields: Partial<Removal> & Pick<Removal, 'name'>): Removal => ({
  category: null,
  requests: 2,
  bytes: 60_400,
  main_thread_ms: 322,
  takes_with: [],
  predicted: { points: 4.2, without: values(65) },
  reason: null,
  ...fields,
});

/** A prediction for the settings of PageSpeed Insights, which are not a cell of the map. */
export const buildWhatIf = (fields: Partial<WhatIf> = {}): WhatIf => ({
  id: '01a201e3-ac0c-7234-9a1b-bd2e414329fe',
  url: 'https://harbour.example/timetable?season=winter&berth=4',
  strategy: 'mobile',
  disturbed: false,
  basis: 'predicted',
  settings: { cpu_slowdown_multiplier: 1.2, rtt_ms: 150, throughput_kbps: 1638.4 },
  base: values(61),
  third_parties: {
    error: { pairs: 24, pages: 6, points: { median: 1.2, p90: 4, p95: 6.5 }, is_preliminary: false },
    items: [
      removal({ name: 'Lighthouse Ads', category: 'ad', takes_with: ['Tide Pixels'] }),
      removal({
        name: 'Tide Tables Inc.',
        predicted: null,
        reason:
          'Not predicted: it requests https://harbour.example/api/departures, so the page may not work without it.',
      }),
    ],
  },
  scripts: {
    error: null,
    items: [removal({ name: 'https://harbour.example/scripts/a-rather-long-name-of-a-bundle-of-the-page.3f2a91.js' })],
  },
  map: {
    error: null,
    networks: networkNames.map(name => ({
      name,
      rtt_ms: networks[name].rttMs,
      throughput_kbps: networks[name].throughputKbps,
    })),
    own_score: 61,
    cells: networkNames.flatMap((network, row) =>
      cpuMultipliers.map((cpu, column) => ({
        cpu_slowdown_multiplier: cpu,
        network,
        score: 96 - 12 * row - 9 * column,
        is_own: false,
      })),
    ),
    break_points: [
      {
        score: 90,
        slowest_cpu: null,
        is_slowest_cpu_tried: false,
        slowest_network: null,
        is_slowest_network_tried: false,
      },
      {
        score: 50,
        slowest_cpu: 6.3,
        is_slowest_cpu_tried: false,
        slowest_network: { rtt_ms: 300, throughput_kbps: 700 },
        is_slowest_network_tried: false,
      },
    ],
  },
  fixes: {
    error: null,
    steps: [
      { id: 'image-delivery-insight', title: 'Improve image delivery', points: 9.4, after: values(70) },
      { id: 'unused-javascript', title: 'Reduce unused `JavaScript`', points: 3, after: values(73) },
    ],
    reachable: { points: 12.4, fixes: 2, values: values(73) },
    not_predicted: [
      {
        id: 'font-display-insight',
        title: 'Font display',
        reason: 'The simulation does not model when text appears in which font.',
      },
    ],
  },
  limits: ['Lighthouse simulates FCP, LCP, TBT and Speed Index. CLS is unchanged in every prediction.'],
  links: { result: '/results/01a201e3-ac0c-7234-9a1b-bd2e414329fe' },
  ...fields,
});
