/**
 * Secrets of a job, which no reader sees: the texts of an experiment, and an access that is not stored elsewhere. A secret
 * with an access is sealed. It is erased with the end of the job: see statements.ts.
 */
import type { Conditions } from '../contract/conditions/conditions.ts';
import type { Variant } from '../contract/experiments/request.ts';
import { openSealed } from '../storage/access/profiles.ts';
import type { Vault } from '../storage/access/vault.ts';
import type { JobRequest } from './job.ts';

export type JobSecret = { readonly variants: readonly Variant[]; readonly conditions: Partial<Conditions> };

/** The secret of a job as it is stored; undefined if the job has ended. */
export type SecretPlace = { jobId: string; secret: string | undefined };

/** Stands for an access in the row of a job. No stored access has this name. */
const inSecret = '*';

const accessOf = (request: JobRequest) => ('access' in request ? request.access : undefined);

export const hasSecret = (request: JobRequest): boolean =>
  request.kind === 'experiment' || accessOf(request) === inSecret;

/** Returns whether its pages need an access. */
export const isPrivate = (request: JobRequest, secret?: JobSecret): boolean =>
  Boolean(accessOf(request) ?? secret?.conditions.access);

/** Moves the secrets of a request to those of its job. */
export function hideAccess<T extends { request: JobRequest; secret?: JobSecret | undefined }>(
  order: T,
): Pick<T, 'request' | 'secret'> {
  const { request } = order;
  const access = accessOf(request);
  if (typeof access !== 'object' || access === null) return order;
  return { request: { ...request, access: inSecret } as JobRequest, secret: { variants: [], conditions: { access } } };
}

const placeOf = (jobId: string): string => `job ${jobId}`;

/** @throws Error for an access without a key, which the routes refuse */
export function toContent(secret: JobSecret, vault: Vault | undefined, jobId: string): string {
  const text = JSON.stringify(secret);
  if (typeof (secret.conditions.access ?? '') === 'string') return text;
  if (!vault) throw new Error('an access would be stored in the clear');
  return vault.seal(text, placeOf(jobId));
}

/**
 * Reads the secret of a job. Those of earlier versions have only variants.
 * @throws Error if the job has ended; AnalysisError `lighthouse_unavailable` if this instance cannot open it
 */
export function readJobSecret({ jobId, secret }: SecretPlace, vault: Vault | undefined): JobSecret {
  if (secret === undefined) throw new Error('the secrets of this job are gone');
  const text = /^[[{]/.test(secret) ? secret : openSealed(vault, secret, placeOf(jobId));
  const read = JSON.parse(text) as JobSecret | JobSecret['variants'];
  return 'variants' in read ? read : { variants: read, conditions: {} };
}

/** Returns a request with the access that is in the secret of its job. @throws as `readJobSecret` */
export function withAccess(request: JobRequest, place: SecretPlace | undefined, vault: Vault | undefined): JobRequest {
  if (accessOf(request) !== inSecret || !place) return request;
  return { ...request, access: readJobSecret(place, vault).conditions.access } as JobRequest;
}
