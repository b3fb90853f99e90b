/** Imports Lighthouse's gatherers and audits in advance, which Lighthouse would import with the first audit. */
import { initializeConfig } from 'lighthouse/core/config/config.js';

/** Never throws: an audit that needs a missing module reports it. */
export const importLighthouse = (): Promise<void> =>
  initializeConfig('navigation', undefined, {}).then(
    () => {},
    () => {},
  );
