import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import type { Access } from '../../../../contract/access/access.ts';
import { type Seen, seenBounds } from '../../../../contract/access/seen.ts';
import { hung } from '../navigation-watch.ts';
import { coverValues, evaluateApart, readItems } from './in-page.ts';

/** A failure of the page that an access shows. The message repeats no text of the page. */
export class AccessFailure extends Error {
  readonly code: 'LOGIN_REQUIRED' | 'LOGIN_FAILED';
  readonly seen: Seen | undefined;

  constructor(code: AccessFailure['code'], message: string, seen?: Seen) {
    super(message);
    this.name = 'AccessFailure';
    this.code = code;
    this.seen = seen;
  }
}

/** Time for a page to answer a question about itself, and one on whose answer the result depends. */
const answerMs = 5_000;
const certainMs = 30_000;

/** Returns the answer of a page; undefined if it does not answer soon. */
export const within = <T>(work: Promise<T>): Promise<T | undefined> =>
  Promise.race([work, new Promise<undefined>(resolve => setTimeout(resolve, answerMs, undefined).unref())]).catch(
    () => undefined,
  );

/**
 * Asks a page again if it was replaced meanwhile. A busy machine is no reason to take a page for another one.
 * @returns undefined if it cannot answer
 * @throws PageFailureSeen if it is silent
 */
export const askUntilCertain = <T>(question: () => Promise<T>, withinMs = certainMs): Promise<T | undefined> =>
  Promise.race([
    question()
      .catch(question)
      .catch(() => undefined),
    delay(withinMs, undefined, { ref: false }).then(() => Promise.reject(hung())),
  ]);

/** Returns what a page shows, with typed values covered. Never throws. */
export async function look(page: Page, typed: readonly string[] = []): Promise<Seen> {
  const frames = page.frames().map(async frame => {
    const isCovered = await within(evaluateApart(frame, coverValues(typed)));
    return isCovered === true || frame.detached;
  });
  // A frame that did not answer may show what was typed.
  const isCovered = (await Promise.all(frames)).every(Boolean);
  const picture = isCovered
    ? await within(page.screenshot({ type: 'jpeg', quality: 50, encoding: 'base64' }))
    : undefined;
  const title = (await within(page.title())) ?? '';
  return {
    url: page.url().slice(0, seenBounds.text),
    title: title.slice(0, seenBounds.text),
    picture:
      picture !== undefined && picture.length < seenBounds.picture - 50 ? `data:image/jpeg;base64,${picture}` : null,
  };
}

/**
 * Returns the cookies and stored items of a page, which may be new: nothing that leaves the worker may repeat them.
 * @throws PageFailureSeen if it is silent
 */
export async function readLeft(page: Page): Promise<Access> {
  const cookies = (await askUntilCertain(() => page.browserContext().cookies())) ?? [];
  const items = await askUntilCertain(
    () => page.evaluate(readItems) as Promise<Record<string, Record<string, string>>>,
  );
  return { cookies: cookies.map(({ name, value }) => ({ name, value })), session_storage: items ?? {} };
}
