import type { Result } from '../../contract/result.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import type { Choosing, Looking } from './look.ts';

/** What is the same for every finding: the names of the sides, and the result whose details are shown. */
export type Shown = {
  readonly names: SideNames;
  /** None where two sides are merged. */
  readonly result?: Result;
  readonly looking?: Looking | undefined;
  readonly choosing?: Choosing | undefined;
};
