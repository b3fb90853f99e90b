import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSettings, throttling } from 'lighthouse/core/config/constants.js';
import desktopConfig from 'lighthouse/core/config/desktop-config.js';
import psiDesktopConfig from 'lighthouse/core/config/lr-desktop-config.js';
import psiMobileConfig from 'lighthouse/core/config/lr-mobile-config.js';
import { usualThrottling } from './usual-throttling.ts';

test('the usual throttling is that of the presets', () => {
  const presets = {
    'mobile lighthouse': defaultSettings.throttling,
    'mobile psi': { ...throttling.mobileSlow4G, ...psiMobileConfig.settings?.throttling },
    'desktop lighthouse': desktopConfig.settings?.throttling,
    'desktop psi': psiDesktopConfig.settings?.throttling,
  };
  for (const strategy of ['mobile', 'desktop'] as const)
    for (const profile of ['lighthouse', 'psi'] as const) {
      const { rttMs, throughputKbps, cpuSlowdownMultiplier } = presets[`${strategy} ${profile}`] ?? assert.fail();
      assert.deepEqual(Object.values(usualThrottling(strategy, profile)), [
        rttMs,
        throughputKbps,
        cpuSlowdownMultiplier,
      ]);
    }
});
