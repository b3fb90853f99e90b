/** Asserts that axe finds no violation on a page, in light and in dark mode. */
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

type Media = Parameters<Page['emulateMedia']>[0];

const toLine = ({ id, impact, nodes }: { id: string; impact?: unknown; nodes: readonly { html: string }[] }) =>
  `${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`;

/** Rules that depend on colors. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** The legacy mode needs no second page to merge frames. For rules other than violations, names are enough. */
const createAxe = (page: Page) =>
  new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode(page.frames().length === 1);

/** Checks every rule in light mode. Dark mode differs only in its colors. */
export async function assertAccessible(page: Page, media: Media = {}): Promise<void> {
  await page.emulateMedia({ ...media, colorScheme: 'light' });
  const light = await createAxe(page).analyze();
  assert.deepEqual(light.violations.map(toLine), [], 'light');
  assert.ok(light.passes.length > 10);
  await page.emulateMedia({ ...media, colorScheme: 'dark' });
  const dark = await createAxe(page).withRules(ofColours).analyze();
  assert.deepEqual(dark.violations.map(toLine), [], 'dark');
  assert.ok(dark.passes.some(({ id }) => id === 'color-contrast'));
}
