/** Several runs of one page, and how far they lie apart. */
import Type, { type Static } from 'typebox';

export const Spread = Type.Object({
  min: Type.Number(),
  median: Type.Number(),
  max: Type.Number(),
  spread: Type.Number({ description: 'max minus min' }),
});
export type Spread = Static<typeof Spread>;

const MedianInterval = Type.Object(
  {
    low: Type.Number(),
    high: Type.Number(),
    confidence: Type.Number({ minimum: 0, maximum: 1, description: 'How often such an interval holds the median' }),
  },
  { description: 'Where the median performance score of all loads lies, as these runs tell; from five runs on' },
);
export type MedianInterval = Static<typeof MedianInterval>;

export const Runs = Type.Object(
  {
    asked: Type.Integer({ minimum: 2, description: 'With `runs=auto` the most there could have been' }),
    completed: Type.Integer({ minimum: 1 }),
    chosen: Type.Integer({ minimum: 1, description: 'Which of the completed ones this result shows, from 1' }),
    chosen_by: Type.Enum(['median_run', 'only_run', 'first_run'], {
      description:
        '`median_run`: nearest to the medians of performance score and largest contentful paint; `first_run`: no run has both',
    }),
    score_interval: Type.Optional(MedianInterval),
    scores: Type.Record(Type.String(), Spread, { description: 'By category, over the completed runs' }),
    metrics: Type.Record(Type.String(), Spread, { description: 'By metric, over the completed runs' }),
    ids: Type.Optional(
      Type.Array(Type.String(), { description: 'Under which each completed run is kept, in their order' }),
    ),
  },
  { description: 'Several runs, one of which is shown' },
);
export type Runs = Static<typeof Runs>;
