/** Details of one result: open parts, filters, and the whole Lighthouse result once it is loaded. */

import { html, nothing } from 'lit-html';
import type { Source } from '../../../contract/errors.ts';
import type { RequestCategory } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { WhatIf } from '../../../contract/stored/what-if.ts';
import type { FailureReason } from '../../../presentation/errors-in-words.ts';
import type { MetricChoice } from '../../../presentation/findings/metric-filter.ts';
import type { PhaseSpan } from '../../../presentation/full-result/phases.ts';
import type { Whole } from '../../../presentation/full-result/read.ts';
import {
  numberRequests,
  type RequestFilter,
  type RequestSorting,
  wholeFilter,
} from '../../../presentation/full-result/requests.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { failureView } from '../failure-view.ts';

export const againView = ({ load }: Looking) =>
  html`<p><button type="button" @click=${load}>Load it again</button></p>`;

export const waitingView = (looking: Looking, names: SideNames) =>
  looking.look.state === 'failed' && looking.look.failure
    ? html`${failureView(looking.look.failure, names)}${againView(looking)}`
    : html`<p class="quiet">Loading the details of this result …</p>`;

type Fold = {
  readonly part: LookPart;
  readonly title: unknown;
  readonly names: SideNames;
  readonly looking: Looking | undefined;
};

/** @param body draws the content; undefined until the whole result is loaded */
export function partFold({ part, title, names, looking }: Fold, body: (() => unknown) | undefined) {
  if (!looking)
    return html`<details class="fold part"><summary>${title}</summary><div class="part-body stack">${body ? body() : nothing}</div></details>`;
  const isOpen = looking.look.opened.has(part);
  const drawn = () => (body ? body() : waitingView(looking, names));
  return html`<details class="fold part" ?open=${isOpen} @toggle=${looking.on.toggle(part)}>
    <summary>${title}</summary>
    <div class="part-body stack">${isOpen ? drawn() : nothing}</div>
  </details>`;
}

/** The side with the details of a finding. */
type Telling = { readonly result: Result; readonly looking: Looking };

/** Facts that all findings share: the names of the sides, and the result with the details. */
export type Shown = {
  /**
   * Name that distinguishes its findings from others on the page; absent if there are several results of the same side.
   */
  readonly name?: string | undefined;
  readonly names: SideNames;
  /** Result with the details; absent if two sides are merged. */
  readonly result?: Result;
  readonly looking?: Looking | undefined;
  /** Returns the side with the details, for two merged sides that are both stored. */
  readonly tellingOf?: ((sources: readonly Source[]) => Telling) | undefined;
  readonly choosing?: Choosing | undefined;
};

/** Links a URL to its row in the list of requests; empty if the list lacks it. */
export function requestLink(address: string, whole: Whole | undefined, looking: Looking | undefined) {
  const show = looking?.showRequest;
  const row = show && whole ? numberRequests(whole).get(address) : undefined;
  return show && row !== undefined
    ? html` <button type="button" class="to-request small" @click=${() => show(row)}>its request<span class="unseen"> ${row} in the list of requests</span></button>`
    : nothing;
}

/** Function like `requestLink`, for one result. */
export type LinkRequest = (address: string) => unknown;

export type LookPart =
  | 'pictures'
  | 'requests'
  | 'thread'
  | 'scripts'
  | 'parties'
  | 'what-if'
  | `audits-${RequestCategory}`;

/** Predictions of a load; absent before they are requested. */
type PredictedState =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly whatIf: WhatIf }
  | { readonly state: 'failed'; readonly failure: FailureReason };

export type DetailsLook = {
  /** State of the whole result; `none` before it is requested. */
  readonly state: 'none' | 'loading' | 'ready' | 'failed';
  readonly whole?: Whole;
  readonly failure?: FailureReason;
  readonly opened: ReadonlySet<LookPart>;
  readonly filter: RequestFilter;
  readonly sorting: RequestSorting;
  /** Phases of each request, for a local result with a stored network log. */
  readonly phases?: ReadonlyMap<string, readonly PhaseSpan[]>;
  readonly predicted?: PredictedState;
  /** State of an experiment with the predictions: starting, or the reason why it did not start. */
  readonly measuring?: 'starting' | FailureReason;
  /** Whether only requests of a single side are displayed, if there are two sides. */
  readonly onlyApart: boolean;
  /** Numbers of the requests with open details. */
  readonly requests: ReadonlySet<number>;
  /** Ids of the audits with open details. */
  readonly audits: ReadonlySet<string>;
};

export const noLook: DetailsLook = {
  state: 'none',
  opened: new Set(['requests']),
  filter: wholeFilter,
  sorting: 'start',
  onlyApart: false,
  requests: new Set(),
  audits: new Set(),
};

/** The filter of findings by metric, as in the URL, and the handler that changes it. */
type Choosing = { readonly metric: MetricChoice; readonly choose: (event: unknown) => void };

/** Details on the page. A file has none: it displays everything. */
export type Looking = {
  /** Name that distinguishes the details from others on the page. */
  readonly name: string;
  readonly look: DetailsLook;
  readonly change: (change: Partial<DetailsLook>) => void;
  /** Requests the whole result, once. */
  readonly load: () => void;
  /** Requests the predictions, once. */
  readonly askWhatIf: () => void;
  /** Starts an experiment of the most promising predictions. */
  readonly measureWhatIf: () => void;
  /** Opens a request in the list by its row; absent if two sides share one list. */
  readonly showRequest?: (row: number) => void;
  /** Opens a finding in the list of fixes. */
  readonly showAudit?: (name: string, id: string) => void;
  readonly choosing: Choosing;
  /** Event handlers, because the views do not access a document. */
  readonly on: {
    readonly toggle: (part: LookPart) => (event: unknown) => void;
    readonly toggleAudit: (id: string) => (event: unknown) => void;
    readonly moveFocus: (event: unknown) => void;
  };
};

/** Returns the element id of a request in the list. */
export const requestId = (name: string, row: number): string => `request-${name}-${row}`;

/** Returns the element id of a finding. */
export const findingId = (name: string, id: string): string => `finding-${name}-${id}`;

/** Returns the result with its whole Lighthouse result, if that was loaded later. */
export const withWhole = (result: Result, looking: Looking | undefined): Result =>
  looking?.look.whole ? { ...result, lighthouse_result: looking.look.whole } : result;

export const wholeOf = ({ lighthouse_result: whole }: Result): Whole | undefined => whole as Whole | undefined;
