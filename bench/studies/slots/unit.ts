/** A list that was measured once under one rule: the part of the study that is repeated if it was interrupted. */
import type { LoadValues } from '../load-values.ts';

/** `one` has one slot, so that each page is alone; the others have two slots, under the rule of each checkout. */
export type Mode = 'one' | 'before' | 'after';
/** The pages of the study, ten times a small page, and pages that work again after they have loaded. */
export const listNames = ['pages', 'small', 'waking'] as const;
export type ListName = (typeof listNames)[number];

export type StudyLoad = {
  readonly page: string;
  readonly values: LoadValues;
  /** Whether the result has a warning that the run was disturbed. */
  readonly isMarked: boolean;
  /** Loads that were discarded, because other work disturbed them. */
  readonly repeated: number;
};
export type Unit = {
  readonly list: ListName;
  readonly mode: Mode;
  readonly round: number;
  readonly seconds: number;
  readonly loads: readonly StudyLoad[];
};
