/** Compares the whole results of two sides: the largest contentful paint, and the aligned requests. */
import { html, nothing } from 'lit-html';
import type { Result } from '../../../contract/result/result.ts';
import { withoutQuery } from '../../../contract/without-query.ts';
import {
  filterRequests,
  isOneSided,
  maxRequests,
  type RequestPair,
  type RequestRow,
  toRequestPairs,
  toRequests,
  toTotal,
} from '../../../presentation/full-result/requests.ts';
import { absent, counted, formatBytes, formatMs } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import {
  type Looking,
  type LookPart,
  partFold,
  waitingView,
  wholeOf,
  withWhole,
} from '../load-details/load-details-state.ts';
import { largestPaintView, noteOf } from '../load-details/load-details-view.ts';
import { leftOutNote } from '../load-details/requests-view.ts';
import { light, searchField, sideName } from '../marks.ts';

/** Details of both sides. The local one contains the open parts and the search. */
export type BothLooking = { readonly psi: Looking; readonly lighthouse: Looking };

type PairedResults = { readonly psi: Result; readonly lighthouse: Result; readonly names: SideNames };

const cells = (row: RequestRow | undefined) =>
  row
    ? html`<td class="number">${row.isCached ? 'cache' : row.transferBytes === undefined ? absent : formatBytes(row.transferBytes)}</td>
        <td class="number">${row.endMs === undefined ? absent : formatMs(row.endMs)}</td>`
    : html`<td colspan="2" class="quiet">did not request it</td>`;

/** Returns the local name of a file that a build renamed. */
const renamedTo = ({ psi, lighthouse }: RequestPair): string | undefined =>
  psi && lighthouse && withoutQuery(psi.name) !== withoutQuery(lighthouse.name) ? lighthouse.name : undefined;

const pairRow = (pair: RequestPair) => {
  const shown = pair.psi ?? pair.lighthouse;
  const renamed = renamedTo(pair);
  return html`<tr data-apart=${isOneSided(pair)}>
    <th scope="row"><span class="request-name">${shown?.name}</span>
      ${renamed ? html`<span class="quiet small">locally ${renamed}</span>` : nothing}
      <span class="quiet small request-host">${shown?.host}${shown?.entity && shown.entity !== shown.host ? ` · ${shown.entity}` : ''}</span></th>
    ${cells(pair.psi)} ${cells(pair.lighthouse)}
  </tr>`;
};

const sayTotal = (rows: readonly RequestRow[]): string => {
  const { count, bytes } = toTotal(rows);
  return `${counted(count, 'request')}, ${formatBytes(bytes)}`;
};

function pairsView({ psi, lighthouse, names }: PairedResults, { lighthouse: { look, change } }: BothLooking) {
  const [remote, local] = [psi, lighthouse].map(result => toRequests(wholeOf(result) ?? {})) as [
    RequestRow[],
    RequestRow[],
  ];
  const pairs = toRequestPairs(remote, local);
  const found = new Set(filterRequests([...remote, ...local], look.filter));
  const isFound = ({ psi: one, lighthouse: other }: RequestPair) => [one, other].some(row => row && found.has(row));
  const apart = pairs.filter(isOneSided);
  const shown = (look.onlyApart ? apart : pairs).filter(isFound);
  const choice = (onlyApart: boolean, words: string, count: number) =>
    html`<button type="button" class="chip" aria-pressed=${look.onlyApart === onlyApart ? 'true' : 'false'} @click=${() => change({ onlyApart })}>${words} <span class="quiet number">${count}</span></button>`;
  if (pairs.length === 0) return html`<p class="quiet">Neither side has a list of requests.</p>`;
  return html`
    <div class="request-filter row">
      <div class="chips row" role="group" aria-label="Which requests">${choice(false, 'All', pairs.length)}${choice(true, 'On one side only', apart.length)}</div>
      ${searchField('Search in requests', look.filter.search, search => change({ filter: { ...look.filter, search } }))}
    </div>
    <p class="small both-totals row"><span>${light('psi')}${names.psi.short}: ${sayTotal(remote)}</span> <span>${light('lighthouse')}${names.lighthouse.short}: ${sayTotal(local)}</span></p>
    ${
      shown.length === 0
        ? html`<p class="notice">${look.onlyApart && apart.length === 0 ? 'Both sides loaded the same: every request of one side has a counterpart.' : 'No request matches. Shorten the search.'}</p>`
        : html`<div class="scroll taller" role="group" aria-label="Requests of both sides" tabindex="0">
          <table class="requests pairs">
            <thead>
              <tr><th scope="col" rowspan="2">Request</th><th scope="colgroup" colspan="2">${light('psi')}${names.psi.short}</th><th scope="colgroup" colspan="2">${light('lighthouse')}${names.lighthouse.short}</th></tr>
              <tr class="sub"><th scope="col">Size</th><th scope="col">Done after</th><th scope="col">Size</th><th scope="col">Done after</th></tr>
            </thead>
            <tbody>${shown.slice(0, maxRequests).map(pairRow)}</tbody>
          </table>
        </div>`
    }
    ${leftOutNote(shown.length)}
    <p class="small quiet">Requests of both loads, each as observed on its own network. URLs that differ only in their query, or in the hash of a build, count as the same file.</p>`;
}

const bothPictures = ({ psi, lighthouse, names }: PairedResults) => html`<div class="beside">
  ${[psi, lighthouse].map(result => html`<div class="part-body stack">${sideName(result.source, names)} ${largestPaintView(wholeOf(result) ?? {}, noteOf(result))}</div>`)}
</div>`;

const isWaiting = ({ psi, lighthouse }: PairedResults): boolean => !wholeOf(psi) || !wholeOf(lighthouse);

/** The local side has the open parts; its failed load, or that of the other side, is shown. */
function foldView(part: LookPart, title: string, sides: PairedResults, looking: BothLooking, body: () => unknown) {
  const { psi, lighthouse } = looking;
  const failed = [psi, lighthouse].find(({ look }) => look.state === 'failed') ?? lighthouse;
  return partFold({ part, title, names: sides.names, looking: lighthouse }, () =>
    isWaiting(sides) ? waitingView(failed, sides.names) : body(),
  );
}

/** Displays the parts of both sides; empty if the sides are not stored, because a comparison has no whole results. */
export function bothLoadDetailsView(sides: PairedResults, looking: BothLooking | undefined) {
  if (!looking || !sides.psi.id || !sides.lighthouse.id) return nothing;
  const whole: PairedResults = {
    ...sides,
    psi: withWhole(sides.psi, looking.psi),
    lighthouse: withWhole(sides.lighthouse, looking.lighthouse),
  };
  return html`<section class="load-details">
    <h3>Load details</h3>
    ${foldView('pictures', 'Largest Contentful Paint', whole, looking, () => bothPictures(whole))}
    ${foldView('requests', 'Requests', whole, looking, () => pairsView(whole, looking))}
  </section>`;
}
