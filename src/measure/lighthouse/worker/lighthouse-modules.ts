/** Lighthouse imports its gatherers and audits when the first page is there. Here they are imported before. */
import { initializeConfig } from 'lighthouse/core/config/config.js';

/** Never throws: what is missing is noticed by the audit that needs it. */
export const importLighthouse = (): Promise<void> =>
  initializeConfig('navigation', undefined, {}).then(
    () => {},
    () => {},
  );
