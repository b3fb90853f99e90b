import type { Access } from '../../contract/access/access.ts';
import { AnalysisError } from '../../contract/errors.ts';
import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import { openProfile } from '../../storage/access/profiles.ts';
import type { Vault } from '../../storage/access/vault.ts';
import { StoreFaultError } from '../../storage/database/fault.ts';
import type { ResultStore } from '../../storage/results/store.ts';

/** Opens the stored access that a client has named for a page. @throws AnalysisError */
type OpenAccess = (named: { client: string; name: string; url: string }) => Promise<Access>;

const retryAfterSeconds = 5;

/** @param vault undefined without ACCESS_KEY */
export const toOpenAccess =
  (store: Pick<ResultStore, 'database'> | undefined, vault: Vault | undefined): OpenAccess =>
  async named => {
    if (!store || !vault)
      throw new AnalysisError('access_not_found', 'This instance has no stored accesses: it needs ACCESS_KEY.');
    try {
      return await openProfile(store.database, vault, named);
    } catch (cause) {
      if (!(cause instanceof StoreFaultError)) throw cause;
      const detail = `The stored access cannot be read now: ${cause.message}`;
      throw new AnalysisError('results_unavailable', detail, { retryAfterSeconds, cause });
    }
  };

/**
 * Replaces the name of a stored access by the access, right before each load: everything before it, such as a result, a
 * job and a schedule, has only the name.
 */
export const withStoredAccess = (local: LocalAnalyser, open: OpenAccess): LocalAnalyser => ({
  ...local,
  async audit(request, readPage, signal, options) {
    const { access: name, url } = request;
    if (typeof name !== 'string') return local.audit(request, readPage, signal, options);
    const access = await open({ client: options?.client ?? '', name, url }).catch(error => {
      throw error instanceof AnalysisError ? error.from('lighthouse') : error;
    });
    return local.audit({ ...request, access }, readPage, signal, options);
  },
});
