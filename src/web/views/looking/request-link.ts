import { html, nothing } from 'lit-html';
import type { Whole } from '../../../presentation/whole/read.ts';
import { numberRequests } from '../../../presentation/whole/requests.ts';
import type { Looking } from './look.ts';

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
