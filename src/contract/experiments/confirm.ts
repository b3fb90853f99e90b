/** The request to measure the predictions of a what-if. */
import Type from 'typebox';
import { experimentBounds } from './names.ts';

export const ConfirmQuery = Type.Object({
  confirm: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: experimentBounds.variants,
      default: 3,
      title: 'Confirm',
      description: 'Number of predicted removals to measure, the most promising first',
    }),
  ),
});
