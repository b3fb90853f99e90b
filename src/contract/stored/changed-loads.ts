/** Differences between the loads of two sides: audits and requests. */
import Type, { type Static } from 'typebox';
import { described, nullable } from '../fields.ts';
import { requestCategories } from '../names.ts';

const auditState = Type.Enum(['passed', 'failed', 'not_applicable', 'not_scored']);
export const FlippedAudit = Type.Object({
  id: Type.String({ description: 'Id of the audit' }),
  title: Type.String({ description: 'Title of the audit' }),
  categories: Type.Array(Type.Enum([...requestCategories]), { description: 'Categories that contain the audit' }),
  before: described(auditState, 'State before'),
  after: described(auditState, 'State after'),
});
export type FlippedAudit = Static<typeof FlippedAudit>;

const RequestGroup = Type.Object({
  url: Type.String({ description: 'URL without its query' }),
  type: nullable(Type.String({ description: 'Resource type in the browser, such as `Script`' })),
  requests: Type.Integer({ minimum: 0, description: 'Number of requests' }),
  bytes: Type.Integer({ minimum: 0, description: 'Bytes over the network' }),
});
export type RequestGroup = Static<typeof RequestGroup>;

const RequestTotals = Type.Object({
  requests: Type.Integer({ minimum: 0, description: 'Number of requests' }),
  bytes: Type.Integer({ minimum: 0, description: 'Bytes over the network' }),
});

const ChangedRequest = Type.Object({
  url: Type.String({ description: 'URL without its query' }),
  type: nullable(Type.String({ description: 'Resource type in the browser, such as `Script`' })),
  before: RequestTotals,
  after: RequestTotals,
});

export const RequestChanges = Type.Object(
  {
    before: RequestTotals,
    after: RequestTotals,
    added: Type.Array(RequestGroup, { description: 'Added files; the 20 largest' }),
    removed: Type.Array(RequestGroup, { description: 'Removed files; the 20 largest' }),
    changed: Type.Array(ChangedRequest, { description: 'Files whose size changed; the 20 largest differences' }),
  },
  { description: 'Requests of the two runs nearest to the medians' },
);
export type RequestChanges = Static<typeof RequestChanges>;
