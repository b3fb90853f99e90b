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
    asked: Type.Integer({
      minimum: 1,
      description: 'With `runs=auto` the most there could have been; 1 only if a load was repeated',
    }),
    completed: Type.Integer({ minimum: 1 }),
    chosen: Type.Integer({ minimum: 1, description: 'Which of the completed ones this result shows, from 1' }),
    chosen_by: Type.Enum(['median_run', 'only_run', 'first_run'], {
      description:
        '`median_run`: nearest to the medians of performance score and largest contentful paint; `first_run`: no run has both',
    }),
    score_interval: Type.Optional(MedianInterval),
    disturbed: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Of the completed runs, those with a disturbed load; one of the others is shown if there is any',
      }),
    ),
    repeated: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Loads that other work on the machine disturbed, and that were measured again alone for it; `completed` counts only the least disturbed load of each run. Absent: none',
      }),
    ),
    scores: Type.Record(Type.String(), Spread, { description: 'By category, over the completed runs' }),
    metrics: Type.Record(Type.String(), Spread, { description: 'By metric, over the completed runs' }),
    ids: Type.Optional(
      Type.Array(Type.String(), { description: 'Under which each completed run is kept, in their order' }),
    ),
  },
  { description: 'Several runs, or several loads for one run, one of which is shown' },
);
export type Runs = Static<typeof Runs>;

export const UsualSpread = Type.Object(
  {
    results: Type.Integer({ minimum: 3, description: 'How many stored results the spread comes from; at most 20' }),
    from: Type.String({ format: 'date-time', description: 'Time of the oldest of them' }),
    to: Type.String({ format: 'date-time', description: 'Time of the newest of them' }),
    scores: Type.Record(Type.String(), Spread, { description: 'By category' }),
    metrics: Type.Record(Type.String(), Spread, { description: 'By metric' }),
  },
  {
    description:
      'How earlier results of the page spread: stored results with the same URL, strategy, settings and Lighthouse version, without disturbed ones, since the page last changed. Absent if there are fewer than 3, or if `runs` has the spread of this result',
  },
);
export type UsualSpread = Static<typeof UsualSpread>;
