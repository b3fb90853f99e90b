/** A closer look at one result: what is open, what is filtered, and the whole Lighthouse result once it is there. */
import type { Category } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { FailureReason } from '../../../presentation/failure-reason.ts';
import type { MetricChoice } from '../../../presentation/findings/metric-filter.ts';
import type { Whole } from '../../../presentation/whole/read.ts';
import { type RequestFilter, wholeFilter } from '../../../presentation/whole/requests.ts';

export type LookPart = 'pictures' | 'requests' | 'thread' | 'scripts' | 'parties' | `audits-${Category}`;

export type Look = {
  /** `none`: nobody has asked for it yet. */
  readonly state: 'none' | 'loading' | 'ready' | 'failed';
  readonly whole?: Whole;
  readonly failure?: FailureReason;
  readonly opened: ReadonlySet<LookPart>;
  readonly filter: RequestFilter;
  /** Of two sides: only the requests that one of them alone made. */
  readonly onlyApart: boolean;
  /** Numbers of the requests whose details are shown. */
  readonly requests: ReadonlySet<number>;
  /** Ids of the audits whose details are shown. */
  readonly audits: ReadonlySet<string>;
};

export const noLook: Look = {
  state: 'none',
  opened: new Set(),
  filter: wholeFilter,
  onlyApart: false,
  requests: new Set(),
  audits: new Set(),
};

/** Findings that bear on one metric, or all: as the address says, and what changes it. */
export type Choosing = { readonly metric: MetricChoice; readonly choose: (event: unknown) => void };

/** How the page looks closer. A file has none: there all is drawn at once. */
export type Looking = {
  /** Tells it from the others on the page. */
  readonly name: string;
  readonly look: Look;
  readonly change: (change: Partial<Look>) => void;
  /** Asks for the whole result, if nobody has. */
  readonly load: () => void;
  /** What an `img` has as its source to show a kept picture: where the service requires a key, no address alone will do. */
  readonly picture: (address: string) => unknown;
  /** Leads from an address to its request, opened in the list; absent where two sides share one. */
  readonly showRequest?: (row: number) => void;
  readonly choosing: Choosing;
  /** What events do: the views know no document. */
  readonly on: {
    readonly toggle: (part: LookPart) => (event: unknown) => void;
    readonly toggleAudit: (id: string) => (event: unknown) => void;
    readonly search: (event: unknown) => void;
    readonly moveFocus: (event: unknown) => void;
  };
};

/** By which a request of a list is found again. */
export const requestId = (name: string, row: number): string => `request-${name}-${row}`;

/** The result with its whole, where that was loaded later. */
export const withWhole = (result: Result, looking: Looking | undefined): Result =>
  looking?.look.whole ? { ...result, lighthouse_result: looking.look.whole } : result;

export const wholeOf = ({ lighthouse_result: whole }: Result): Whole | undefined => whole as Whole | undefined;

export const toggled = <T>(known: ReadonlySet<T>, value: T, isIn: boolean): ReadonlySet<T> => {
  const next = new Set(known);
  if (isIn) next.add(value);
  else next.delete(value);
  return next;
};
