/** What axe finds on a page: nothing, light and dark. */
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

type Media = Parameters<Page['emulateMedia']>[0];

const toLine = ({ id, impact, nodes }: { id: string; impact?: unknown; nodes: readonly { html: string }[] }) =>
  `${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`;

/** The rules that depend on colours. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** Without frames nothing has to be put together in a second page, and of what is in order the names are enough. */
const createAxe = (page: Page) =>
  new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode(page.frames().length === 1);

/** Every rule where the page is light. Where it is dark only its colours are others. */
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
