/** What the filmstrip shows and the largest paint does not: main content that came long after it. */
import Type, { type Static } from 'typebox';
import { nullable } from '../fields.ts';

export const LateContent = Type.Object(
  {
    appeared_ms: Type.Integer({
      minimum: 0,
      description: 'When the view had most of its content, in the load as it was observed, without throttling',
    }),
    filled_before: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Percent of that content which was there at the largest contentful paint',
    }),
    largest_paint: nullable(Type.String({ description: 'Selector of the element that Lighthouse timed' })),
  },
  {
    description:
      'Only if the view was mostly empty at the largest contentful paint and filled a second or more later: the score does not contain that wait',
  },
);
export type LateContent = Static<typeof LateContent>;
