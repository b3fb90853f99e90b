/** Proves that a page is the one that a logged-in user sees. */
import type { Page } from 'puppeteer-core';
import type { Access, Expect } from '../../../../contract/access/access.ts';
import { matchesExpectedUrl } from '../../../../contract/access/expected-url.ts';
import type { Seen } from '../../../../contract/access/seen.ts';
import { AccessFailure, askUntilCertain, look, readLeft, within } from './failure.ts';
import { includesText } from './in-page.ts';

async function hasElement(page: Page, selector: string): Promise<boolean> {
  const found = await page.$(selector);
  await found?.dispose();
  return found !== null;
}

/**
 * Returns what a page lacks, as a sentence; undefined if it meets the expectation.
 * @throws PageFailureSeen if it is silent
 */
export async function findLack(
  page: Page,
  { url, selector, text }: Expect,
  withinMs?: number,
): Promise<string | undefined> {
  if (url !== undefined && !matchesExpectedUrl(page.url(), url)) return `its URL does not match \`${url}\``;
  if (selector !== undefined) {
    const found = await askUntilCertain(() => hasElement(page, selector), withinMs);
    if (!found) return `it has no element \`${selector}\`${found === undefined ? ', or the selector is invalid' : ''}`;
  }
  if (text !== undefined && !(await askUntilCertain(() => page.evaluate(includesText(text)), withinMs)))
    return `it does not show the text "${text}"`;
  return undefined;
}

/** Returns whether a page shows a field for a password. */
async function asksForPassword(page: Page): Promise<boolean> {
  const field = await within(page.$('pierce/input[type=password]'));
  const isVisible = field ? await within(field.isVisible()) : false;
  await field?.dispose();
  return isVisible === true;
}

const withoutFragment = (url: string): string => url.replace(/#.*$/s, '');

/** Returns warnings about a page that was measured without a proof. */
async function toUnproven(page: Page, { expect }: Access, pageUrl: string): Promise<string[]> {
  if (expect) return [];
  const hints = [
    ...((await asksForPassword(page)) ? ['has a password field'] : []),
    ...(withoutFragment(page.url()) === withoutFragment(pageUrl) ? [] : ['has another URL than the requested one']),
  ];
  return [
    hints.length > 0
      ? `This may be the login page: it ${hints.join(' and ')}, and \`access\` has no \`expect\` that proves otherwise.`
      : '`access` has no `expect`, so the result does not prove that the page was measured as a logged-in user sees it.',
  ];
}

export type Proof = {
  /** Looks at the page once: when its load has ended, and before anything leaves it. */
  collect(): void;
  /** @throws AccessFailure if the page refused the access by its status */
  refuse(status: number | undefined): Promise<void>;
  /** @returns warnings @throws AccessFailure if the page is not the expected one */
  demand(): Promise<string[]>;
};

/**
 * @param page is still open, and shows what was measured
 * @param onLeft is told what the page stored, before anything else leaves it
 */
export function createProof(page: Page, access: Access, pageUrl: string, onLeft: (left: Access) => void): Proof {
  let found: Promise<{ lack: string | undefined; seen: Seen | undefined; warnings: string[] }> | undefined;
  const examine = async () => {
    onLeft(await readLeft(page));
    const lack = access.expect && (await findLack(page, access.expect));
    return {
      lack,
      seen: lack === undefined ? undefined : await look(page),
      warnings: await toUnproven(page, access, pageUrl),
    };
  };
  const refuse = async (status: number | undefined) => {
    if (status !== 401 && status !== 403) return;
    onLeft(await readLeft(page));
    const seen = (await found)?.seen ?? (await look(page));
    throw new AccessFailure('LOGIN_REQUIRED', `The page answered with status ${status}: it requires a login.`, seen);
  };
  return {
    collect() {
      found ??= examine();
    },
    refuse,
    async demand() {
      found ??= examine();
      const { lack, seen, warnings } = await found;
      if (lack !== undefined)
        throw new AccessFailure('LOGIN_REQUIRED', `The measured page is not the expected one: ${lack}.`, seen);
      return warnings;
    },
  };
}
