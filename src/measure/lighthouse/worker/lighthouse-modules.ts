/** Imports Lighthouse's gatherers and audits in advance; Lighthouse would import them when the first page is loaded. */
import { initializeConfig } from 'lighthouse/core/config/config.js';

/** Never throws: the audit that needs a missing module reports it. */
export const importLighthouse = (): Promise<void> =>
  initializeConfig('navigation', undefined, {}).then(
    () => {},
    () => {},
  );
