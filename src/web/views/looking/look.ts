/** A closer look at one result: what is open, what is filtered, and the whole Lighthouse result once it is there. */

import { html, nothing } from 'lit-html';
import type { RequestCategory } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { WhatIf } from '../../../contract/stored/what-if.ts';
import type { Source } from '../../../presentation/answer.ts';
import type { FailureReason } from '../../../presentation/failure-reason.ts';
import type { MetricChoice } from '../../../presentation/findings/metric-filter.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import type { PhaseSpan } from '../../../presentation/whole/phases.ts';
import type { Whole } from '../../../presentation/whole/read.ts';
import {
  numberRequests,
  type RequestFilter,
  type RequestSorting,
  wholeFilter,
} from '../../../presentation/whole/requests.ts';
import { failureView } from '../failure-view.ts';

/* A fold of what only the whole result knows: loaded when it is first opened. */

export const waitingView = ({ look, load }: Looking, names: SideNames) =>
  look.state === 'failed' && look.failure
    ? html`${failureView(look.failure, names)}<p><button type="button" @click=${load}>Load it again</button></p>`
    : html`<p class="quiet">Loading the details of this result …</p>`;

type Fold = {
  readonly part: LookPart;
  readonly title: unknown;
  readonly names: SideNames;
  readonly looking: Looking | undefined;
};

/** @param body draws it; undefined until the whole result is there */
export function partFold({ part, title, names, looking }: Fold, body: (() => unknown) | undefined) {
  if (!looking)
    return html`<details class="fold part"><summary>${title}</summary><div class="part-body">${body ? body() : nothing}</div></details>`;
  const isOpen = looking.look.opened.has(part);
  const drawn = () => (body ? body() : waitingView(looking, names));
  return html`<details class="fold part" ?open=${isOpen} @toggle=${looking.on.toggle(part)}>
    <summary>${title}</summary>
    <div class="part-body">${isOpen ? drawn() : nothing}</div>
  </details>`;
}

/** The side that tells the details of a finding. */
type Telling = { readonly result: Result; readonly looking: Looking };

/** What is the same for every finding: the names of the sides, and the result whose details are shown. */
export type Shown = {
  /** Tells its findings from those of others on the page; absent where there are several results of the same side. */
  readonly name?: string | undefined;
  readonly names: SideNames;
  /** None where two sides are merged. */
  readonly result?: Result;
  readonly looking?: Looking | undefined;
  /** Of two merged sides, where both are kept. */
  readonly tellingOf?: ((sources: readonly Source[]) => Telling) | undefined;
  readonly choosing?: Choosing | undefined;
};

/** From an address to its row in the list of requests; nothing where the list does not have it, or there is none. */
export function requestLink(address: string, whole: Whole | undefined, looking: Looking | undefined) {
  const show = looking?.showRequest;
  const row = show && whole ? numberRequests(whole).get(address) : undefined;
  return show && row !== undefined
    ? html` <button type="button" class="to-request small" @click=${() => show(row)}>its request<span class="unseen"> ${row} in the list of requests</span></button>`
    : nothing;
}

/** The same, bound to one result. */
export type LinkRequest = (address: string) => unknown;

export type LookPart =
  | 'pictures'
  | 'requests'
  | 'thread'
  | 'scripts'
  | 'parties'
  | 'what-if'
  | `audits-${RequestCategory}`;

/** Predictions of a load; absent before they are asked for. */
type Predicted =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly whatIf: WhatIf }
  | { readonly state: 'failed'; readonly failure: FailureReason };

export type Look = {
  /** `none`: nobody has asked for it yet. */
  readonly state: 'none' | 'loading' | 'ready' | 'failed';
  readonly whole?: Whole;
  readonly failure?: FailureReason;
  readonly opened: ReadonlySet<LookPart>;
  readonly filter: RequestFilter;
  readonly sorting: RequestSorting;
  /** Of a local result whose network log is stored: what each request spent its time on. */
  readonly phases?: ReadonlyMap<string, readonly PhaseSpan[]>;
  readonly predicted?: Predicted;
  /** An experiment of the predictions: on its way, or why it did not start. */
  readonly measuring?: 'starting' | FailureReason;
  /** Of two sides: only the requests that one of them alone made. */
  readonly onlyApart: boolean;
  /** Numbers of the requests whose details are shown. */
  readonly requests: ReadonlySet<number>;
  /** Ids of the audits whose details are shown. */
  readonly audits: ReadonlySet<string>;
};

export const noLook: Look = {
  state: 'none',
  opened: new Set(['requests']),
  filter: wholeFilter,
  sorting: 'start',
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
  /** Asks for predictions, if they are not there. */
  readonly askWhatIf: () => void;
  /** Starts an experiment of the most promising predictions. */
  readonly measureWhatIf: () => void;
  /** What an `img` has as its source to show a kept picture: where the service requires a key, no address alone will do. */
  readonly picture: (address: string) => unknown;
  /** Leads from an address to its request, opened in the list; absent where two sides share one. */
  readonly showRequest?: (row: number) => void;
  /** Leads to a finding, opened in the list of what to fix. */
  readonly showAudit?: (name: string, id: string) => void;
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

/** By which a finding is found again. */
export const findingId = (name: string, id: string): string => `finding-${name}-${id}`;

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
