/** The document of a load, and what came before it. */
import { type Json, rowsOf } from '../../../contract/result/details.ts';
import type { Lhr } from '../../../measure/lhr/lhr.ts';
import { withoutHash } from './addresses.ts';
import { isRedirect } from './request-rows.ts';
import { toNumber } from './values.ts';

const isHop = ({ resourceType, statusCode }: Json): boolean =>
  resourceType === 'Document' && isRedirect(toNumber(statusCode));

/** A document that was validated again is the one that was kept. */
export const toDocumentStatus = (status: unknown): number | null => (status === 304 ? 200 : toNumber(status));

/** The document itself: of several (frames, redirects, also to itself) the one that was displayed in the end. */
export const findDocument = (lhr: Lhr, url: string | undefined): Json => {
  const documents = rowsOf(lhr, 'network-requests').filter(({ resourceType }) => resourceType === 'Document');
  const here = documents.filter(item => url !== undefined && item.url === withoutHash(url));
  return here.find(item => !isHop(item)) ?? here[0] ?? documents[0] ?? {};
};

/** Those of frames come later. */
export const countRedirects = (lhr: Lhr, document: Json): number | null => {
  const items = rowsOf(lhr, 'network-requests');
  const at = items.indexOf(document);
  return at < 0 ? null : items.slice(0, at).filter(isHop).length;
};
