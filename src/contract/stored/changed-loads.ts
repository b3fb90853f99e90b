/** Differences between the loads of two sides: audits and requests. */
import Type, { type Static } from 'typebox';
import { arrayOf, count, described, group, nullable, text } from '../fields.ts';
import { requestCategories } from '../names.ts';

const auditState = Type.Enum(['passed', 'failed', 'not_applicable', 'not_scored']);
export const FlippedAudit = Type.Object({
  id: text('Id of the audit'),
  title: text('Title of the audit'),
  categories: arrayOf(Type.Enum([...requestCategories]), 'Categories that contain the audit'),
  before: described(auditState, 'State before'),
  after: described(auditState, 'State after'),
});
export type FlippedAudit = Static<typeof FlippedAudit>;

const RequestGroup = Type.Object({
  url: text('URL without its query'),
  type: nullable(text('Resource type in the browser, such as `Script`')),
  requests: count('Number of requests'),
  bytes: count('Bytes over the network'),
});
export type RequestGroup = Static<typeof RequestGroup>;

const RequestTotals = Type.Object({ requests: count('Number of requests'), bytes: count('Bytes over the network') });

const ChangedRequest = Type.Object({
  url: text('URL without its query'),
  type: nullable(text('Resource type in the browser, such as `Script`')),
  before: RequestTotals,
  after: RequestTotals,
});

export const RequestChanges = group('Requests of the two runs nearest to the medians', {
  before: RequestTotals,
  after: RequestTotals,
  added: arrayOf(RequestGroup, 'Added files; the 20 largest'),
  removed: arrayOf(RequestGroup, 'Removed files; the 20 largest'),
  changed: arrayOf(ChangedRequest, 'Files whose size changed; the 20 largest differences'),
});
export type RequestChanges = Static<typeof RequestChanges>;
