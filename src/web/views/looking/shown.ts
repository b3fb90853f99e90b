import type { Result } from '../../../contract/result/result.ts';
import type { Source } from '../../../presentation/answer.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import type { Choosing, Looking } from './look.ts';

/** The side that tells the details of a finding. */
export type Telling = { readonly result: Result; readonly looking: Looking };

/** What is the same for every finding: the names of the sides, and the result whose details are shown. */
export type Shown = {
  readonly names: SideNames;
  /** None where two sides are merged. */
  readonly result?: Result;
  readonly looking?: Looking | undefined;
  /** Of two merged sides, where both are kept. */
  readonly tellingOf?: ((sources: readonly Source[]) => Telling) | undefined;
  readonly choosing?: Choosing | undefined;
};
