/** Changes whose effect is predicted from a load before them and then measured. Most plant a fault and remove it. */
import type { WhatIf } from '../../../src/contract/stored/what-if.ts';
import type { PredictedKind } from '../../../src/explain/what-if/measured-errors.ts';
import { heldOutKinds, type Kind, tableKinds, unchanged } from '../change/kinds.ts';

type Side = { readonly plant: Kind; readonly query?: Readonly<Record<string, string>> };

export type PredictedChange = {
  readonly kind: PredictedKind;
  readonly name: string;
  readonly before: Side;
  readonly after: Side;
  /** Points that the load before the change predicts; null if it predicts nothing. */
  readonly predict: (whatIf: WhatIf) => number | null;
};

const planted = (name: string): Kind => {
  const found = [...tableKinds, ...heldOutKinds].find(kind => kind.name === name);
  if (!found) throw new Error(`No kind is named ${name}`);
  return found;
};

const deferredScript: Kind = { name: 'script deferred', change: parts => ({ ...parts, vendor: 'defer' }) };

const slowServer: Kind = { name: 'server +900 ms', change: parts => ({ ...parts, documentDelayMs: 900 }) };

const lateImage = (image: string): string =>
  `<div id="late-image" style="width:390px;height:390px"></div><script>addEventListener('DOMContentLoaded', () => {
document.querySelector('#late-image').innerHTML = ${JSON.stringify(image)}; });</script>`;
const latePicture: Kind = {
  name: 'largest picture inserted by a script',
  change: parts => ({
    ...parts,
    rewrite: html => html.replace(/<img src="\/own\/(?:hero|wide)\.png"[^>]*>/, lateImage),
  }),
};

const removed = (kind: 'third_party' | 'script', plant: Kind, isIt: (name: string) => boolean): PredictedChange => ({
  kind,
  name: `without: ${plant.name}`,
  before: { plant },
  after: { plant: unchanged },
  predict: ({ third_parties, scripts }) =>
    (kind === 'script' ? scripts : third_parties).items.find(({ name }) => isIt(name))?.predicted?.points ?? null,
});

/** Points of a step come on top of those of earlier steps, so only the first step predicts a change made alone. */
const fixed = (plant: Kind, audit: string, after = unchanged): PredictedChange => ({
  kind: 'fix',
  name: `fixed: ${plant.name}`,
  before: { plant },
  after: { plant: after },
  predict: ({ fixes: { steps } }) => (steps[0]?.id === audit ? steps[0].points : null),
});

const isScript = (path: string) => (name: string) => name.endsWith(path);

export const predictedChanges: readonly PredictedChange[] = [
  removed('third_party', planted('third-party tag, 300 KB and 300 ms'), () => true),
  removed('script', planted('blocking script, 300 ms'), isScript('/planted/work-300.js')),
  removed('script', planted('blocking script, 800 ms'), isScript('/planted/work-800.js')),
  removed('script', planted('200 KB more script, deferred'), isScript('/planted/more.js')),
  {
    ...removed('script', unchanged, isScript('/own/vendor.js')),
    name: 'without: script of 500 KB',
    after: { plant: planted('script of 500 KB removed') },
  },
  fixed(planted('script deferred or blocking'), 'render-blocking-insight', deferredScript),
  fixed(planted('font that blocks'), 'font-display-insight'),
  fixed(planted('largest picture loaded lazily'), 'lcp-discovery-insight'),
  fixed(latePicture, 'lcp-discovery-insight'),
  fixed(slowServer, 'document-latency-insight'),
  {
    kind: 'condition',
    name: 'CPU throttling of 4× instead of that of PageSpeed Insights',
    before: { plant: unchanged, query: { profile: 'psi' } },
    after: { plant: unchanged },
    predict: ({ map }) => {
      const cell = map.cells.find(({ network, cpu_slowdown_multiplier: cpu }) => network === 'slow_4g' && cpu === 4);
      return cell ? cell.score - map.own_score : null;
    },
  },
];
