/** Determines which differences of the page can be simulated: the local load with the files of the PSI load. */

import { compareAddresses, isFailed } from '../../../measure/lhr/facts/loaded-files.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import type { PageChanges } from '../../../measure/lighthouse/messages.ts';
import { tidy } from '../../../presentation/values.ts';
import { otherDocument } from '../constants.ts';
import { ratioOf } from '../evidence.ts';
import {
  documentScript,
  isOtherWork,
  type LoadPair,
  namelessScript,
  type SharedFile,
  toLoadPair,
} from '../same-page/load-pair.ts';
import { findOneSided } from '../same-page/one-sided-files.ts';
import { isComposed, isOtherCount, isOtherSize, isPackedOtherwise } from '../same-page/shared-files.ts';

/** Types of files that can be removed, unless the worker finds that other files depend on them. */
const removable: ReadonlySet<string> = new Set(['Script', 'Image', 'Font', 'Media']);
/** Types of files that an error response can replace. A failed script did not run, so it is removed instead. */
const replaceable: ReadonlySet<string> = new Set(['Image', 'Font', 'Media']);

type PageChange = { name: string } & (
  | { kind: 'namelessShare'; value: number }
  | { kind: 'without'; urls: readonly string[] }
  | { kind: 'transferSizes' | 'scriptShares'; url: string; value: number }
);

/** Returns the only URL of a file; none if there were several requests, because it is unknown which of them differs. */
const onlyUrl = (file: SharedFile): string[] =>
  file.lighthouse.urls.length === 1 && !isOtherCount(file) ? [...file.lighthouse.urls] : [];

function toSizeChanges(file: SharedFile): PageChange[] {
  const { psi, lighthouse, name } = file;
  if (isFailed(lighthouse) || isComposed(lighthouse)) return [];
  if (isFailed(psi)) {
    if (lighthouse.type === 'Script') return [{ kind: 'without', name, urls: lighthouse.urls }];
    if (!replaceable.has(lighthouse.type)) return [];
  } else if (!isOtherSize(psi.bytes, lighthouse.bytes) && !isOtherSize(psi.transferred, lighthouse.transferred)) {
    return [];
  }
  return onlyUrl(file).map(url => ({ kind: 'transferSizes', name, url, value: psi.transferred }));
}

/** Returns reduced script work. Additional work cannot be simulated, because this load lacks it. */
const toWorkChanges = (file: SharedFile, pair: LoadPair): PageChange[] =>
  isFailed(file.psi) ||
  file.psi.scriptMs >= file.lighthouse.scriptMs ||
  !isOtherWork(file.psi.scriptMs, file.lighthouse.scriptMs, pair)
    ? []
    : onlyUrl(file).map(url => ({
        kind: 'scriptShares',
        name: file.name,
        url,
        value: tidy(file.psi.scriptMs / file.lighthouse.scriptMs, 3),
      }));

/** Returns changes of script without a file: code after a promise, and inline scripts. */
function toOwnScript(pair: LoadPair, documentUrl: string | null): PageChange[] {
  const { psi, lighthouse } = pair;
  const isLess = (theirs: number, ours: number) => theirs < ours && isOtherWork(theirs, ours, pair);
  const [theirs, ours] = [psi.namelessScriptMs ?? 0, lighthouse.namelessScriptMs ?? 0];
  const [there, here] = [psi.documentScriptMs, lighthouse.documentScriptMs];
  return [
    ...(psi.namelessScriptMs !== null && isLess(theirs, ours)
      ? [{ kind: 'namelessShare' as const, name: namelessScript, value: tidy(theirs / ours, 3) }]
      : []),
    ...(documentUrl !== null && isLess(there, here)
      ? [{ kind: 'scriptShares' as const, name: documentScript, url: documentUrl, value: tidy(there / here, 3) }]
      : []),
  ];
}

/** Max number of changes: with more, the page is different altogether. */
const most = 50;

/** Returns whether the whole document differs, rather than single requests. */
const isOtherDocument = (psi: SideFacts, lighthouse: SideFacts): boolean =>
  compareAddresses(psi.finalUrl ?? '', lighthouse.finalUrl ?? '') !== 'same' ||
  psi.redirects !== lighthouse.redirects ||
  psi.statusCode !== lighthouse.statusCode ||
  isPackedOtherwise(psi, lighthouse) ||
  (Math.abs((psi.documentBytes ?? 0) - (lighthouse.documentBytes ?? 0)) >= otherDocument.bytes &&
    (ratioOf(psi.documentBytes, lighthouse.documentBytes) ?? 1) >= otherDocument.ratio);

/** Returns undefined if no part of the difference can be simulated. */
export function toPageExperiment(
  psi: SideFacts,
  lighthouse: SideFacts,
  isSameMachine: boolean,
): { changes: PageChanges; names: readonly string[] } | undefined {
  if (isOtherDocument(psi, lighthouse)) return undefined;
  const pair = toLoadPair(psi, lighthouse, isSameMachine);
  const { files, isNoticed } = findOneSided(pair, 'lighthouse');
  const changes: PageChange[] = [
    ...(isNoticed ? files : [])
      .filter(file => removable.has(file.type) && !isFailed(file))
      .map(({ name, urls }): PageChange => ({ kind: 'without', name, urls })),
    ...pair.shared.flatMap(file => [...toSizeChanges(file), ...toWorkChanges(file, pair)]),
    ...toOwnScript(pair, lighthouse.finalUrl),
  ];
  if (changes.length === 0 || changes.length > most) return undefined;
  const valuesOf = (kind: 'transferSizes' | 'scriptShares') =>
    Object.fromEntries(changes.flatMap(change => (change.kind === kind ? [[change.url, change.value]] : [])));
  const nameless = changes.find(change => change.kind === 'namelessShare');
  return {
    names: [...new Set(changes.map(({ name }) => name))],
    changes: {
      without: changes.flatMap(change => (change.kind === 'without' ? change.urls : [])),
      transferSizes: valuesOf('transferSizes'),
      scriptShares: valuesOf('scriptShares'),
      ...(nameless ? { namelessShare: nameless.value } : {}),
    },
  };
}
