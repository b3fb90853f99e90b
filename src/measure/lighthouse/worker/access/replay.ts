/**
 * Replays a recording of the Chrome DevTools Recorder. `@puppeteer/replay` is not used: it requires the whole
 * `puppeteer` with its own browser, runs code of the caller, and cannot tell which selector was missing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Frame, type KeyInput, Locator, type MouseButton, type Page, TimeoutError } from 'puppeteer-core';
import {
  type Access,
  accessBounds,
  ownOriginsOf,
  placeholdersOf,
  type Step,
} from '../../../../contract/access/access.ts';
import { AccessFailure, look, within } from './failure.ts';
import { scrollTo } from './in-page.ts';
import { findLack } from './proof.ts';

/** Time of one step without a `timeout` in the recording: the Recorder's own default. */
const stepMs = 5_000;

const buttons: Readonly<Record<string, MouseButton>> = {
  primary: 'left',
  secondary: 'right',
  auxiliary: 'middle',
  back: 'back',
  forward: 'forward',
};

const escapeText = (text: string): string => text.replaceAll(/[\\"'()]/g, '\\$&');

/** Converts one part of a Recorder's selector to Puppeteer's syntax. */
function toPart(text: string): string {
  const [, kind, rest = ''] = /^(aria|text|xpath|pierce)\/(.*)$/s.exec(text) ?? [];
  if (kind === undefined) return text;
  return kind === 'pierce' ? `:scope >>> ${rest}` : `::-p-${kind}(${escapeText(rest)})`;
}

/** Each part of a list is inside the shadow root of the part before it. */
const toSelector = (selector: string | readonly string[]): string => [selector].flat().map(toPart).join(' >>>> ');

const sayStep = ({ type, selectors, url }: Step): string => {
  const [first] = selectors ?? [];
  const named = first === undefined ? url : [first].flat().join(' ');
  return named === undefined ? `\`${type}\`` : `\`${type}\` (${named.slice(0, 200)})`;
};

/** The driver's messages repeat no typed value, and the first line no text of the page. */
const sayError = (error: unknown): string =>
  (error instanceof Error ? (error.message.split('\n')[0] ?? '') : '').slice(0, 200) || 'the browser could not do it';

/** Replaces `${NAME}` by its secret. */
const fillIn = (text: string, secrets: Readonly<Record<string, string>>): string =>
  placeholdersOf(text).reduce((filled, name) => filled.replaceAll(`\${${name}}`, () => secrets[name] ?? ''), text);

function findFrame(page: Page, { frame: path = [] }: Step): Frame {
  let frame = page.mainFrame();
  for (const index of path) {
    const child = frame.childFrames()[index];
    if (!child) throw new Error('the frame does not exist');
    frame = child;
  }
  return frame;
}

/** Returns the first element that any of the selectors finds. */
const locate = (frame: Frame, { selectors = [] }: Step, timeoutMs: number) =>
  Locator.race(selectors.map(selector => frame.locator(toSelector(selector)))).setTimeout(timeoutMs);

/** Returns the number of elements; undefined if the page is just being replaced. */
async function countElements(frame: Frame, selector: string, visible = false): Promise<number | undefined> {
  try {
    const elements = await frame.$$(selector);
    const shown = await Promise.all(elements.map(element => !visible || element.isVisible()));
    return shown.filter(Boolean).length;
  } catch {
    return undefined;
  }
}

/** Returns why no element was ready in time. */
async function sayMissing(page: Page, step: Step): Promise<string> {
  const frame = findFrame(page, step);
  for (const selector of step.selectors ?? []) {
    if (!(await within(countElements(frame, toSelector(selector))))) continue;
    return step.type === 'waitForElement'
      ? 'its selectors matched another number of elements, or hidden ones'
      : 'its element was not ready in time: it must be visible, enabled, and stand still';
  }
  return 'no element matched its selectors';
}

async function waitForElements(frame: Frame, { selectors = [], ...step }: Step, timeoutMs: number): Promise<void> {
  const { count = 1, operator = '>=', visible } = step;
  const isMet = (found: number) =>
    operator === '==' ? found === count : operator === '<=' ? found <= count : found >= count;
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    for (const selector of selectors) {
      // A page may have a million of them.
      const late = delay(endsAt - performance.now(), undefined, { ref: false });
      const found = await Promise.race([countElements(frame, toSelector(selector), visible), late]);
      if (found !== undefined && isMet(found)) return;
    }
    if (performance.now() > endsAt) throw new TimeoutError();
    await delay(100);
  }
}

async function scroll(page: Page, step: Step, timeoutMs: number): Promise<void> {
  const { x = 0, y = 0, selectors } = step;
  if (selectors) await locate(findFrame(page, step), step, timeoutMs).scroll({ scrollLeft: x, scrollTop: y });
  else await within(page.evaluate(scrollTo(x, y)));
}

type Typing = { readonly secrets: Readonly<Record<string, string>>; readonly origins: ReadonlySet<string> };
type Play = (page: Page, step: Step, timeoutMs: number, typing: Typing) => Promise<unknown>;

const click =
  (count: number): Play =>
  (page, step, timeoutMs) => {
    const { offsetX, offsetY, button = 'primary' } = step;
    const offset = offsetX === undefined || offsetY === undefined ? {} : { offset: { x: offsetX, y: offsetY } };
    return locate(findFrame(page, step), step, timeoutMs).click({
      count,
      button: buttons[button] ?? 'left',
      ...offset,
    });
  };

/** Returns the origin of a document. An empty one belongs to the page that opened it. */
function originOf(frame: Frame): string {
  const parent = frame.parentFrame();
  return parent && frame.url().startsWith('about:') ? originOf(parent) : (URL.parse(frame.url())?.origin ?? '');
}

/** Types a value. A secret is typed into no page to which another site has led. */
const change: Play = async (page, step, timeoutMs, { secrets, origins }) => {
  const { value = '' } = step;
  const frame = findFrame(page, step);
  // Unlike a locator, which waits in the next document, too, an element ends with its own.
  const element = await locate(frame, step, timeoutMs).waitHandle();
  const origin = originOf(frame);
  if (placeholdersOf(value).length > 0 && !origins.has(origin))
    throw new Error(`it would type a secret into ${origin}, which neither the recording nor \`origins\` names`);
  await element.asLocator().setTimeout(timeoutMs).fill(fillIn(value, secrets));
};

/** Returns the origins that a recording and its access name. */
const namedOrigins = (access: Access, pageUrl: string): Set<string> => {
  const steps = access.login?.steps ?? [];
  const named = steps.flatMap(({ url, assertedEvents = [] }) => [url, ...assertedEvents.map(event => event.url)]);
  return new Set([...ownOriginsOf(access, pageUrl), ...named.flatMap(url => URL.parse(url ?? '')?.origin ?? [])]);
};

const plays: Readonly<Record<string, Play>> = {
  setViewport: (page, { width = 0, height = 0, deviceScaleFactor = 1, ...step }) => {
    const { isMobile = false, hasTouch = false, isLandscape = false } = step;
    return page.setViewport({ width, height, deviceScaleFactor, isMobile, hasTouch, isLandscape });
  },
  navigate: (page, { url = '' }, timeout) => page.goto(url, { waitUntil: 'load', timeout }),
  click: click(1),
  doubleClick: click(2),
  hover: (page, step, timeoutMs) => locate(findFrame(page, step), step, timeoutMs).hover(),
  change,
  keyDown: (page, { key }) => page.keyboard.down(key as KeyInput),
  keyUp: (page, { key }) => page.keyboard.up(key as KeyInput),
  scroll,
  waitForElement: (page, step, timeoutMs) => waitForElements(findFrame(page, step), step, timeoutMs),
};

async function play(page: Page, step: Step, timeoutMs: number, typing: Typing) {
  const leads = step.assertedEvents?.some(({ type }) => type === 'navigation') && step.type !== 'navigate';
  const arrived = leads ? page.waitForNavigation({ waitUntil: 'load', timeout: timeoutMs }) : undefined;
  arrived?.catch(() => {});
  await plays[step.type]?.(page, step, timeoutMs, typing);
  await arrived?.catch(() => {
    throw new Error('no navigation followed');
  });
}

/** Waits until a page meets the expectation. @returns what it lacks */
async function waitForProof(page: Page, access: Access, endsAt: number): Promise<string | undefined> {
  const { expect } = access;
  if (!expect) return undefined;
  for (;;) {
    const lack = await findLack(page, expect, stepMs).catch(() => 'it did not answer');
    if (lack === undefined || performance.now() > endsAt) return lack;
    await delay(200);
  }
}

/**
 * Replays the recording of an access, and checks that it logged in.
 * @throws AccessFailure with the step that failed
 */
export async function replayLogin(page: Page, access: Access, pageUrl: string, withinMs: number): Promise<void> {
  const { login, secrets = {} } = access;
  if (!login) return;
  const typing = { secrets, origins: namedOrigins(access, pageUrl) };
  const endsAt = performance.now() + Math.min(withinMs, accessBounds.loginMs);
  const left = (mostMs: number) => Math.max(1, Math.min(mostMs, endsAt - performance.now()));
  const typed = login.steps.flatMap(({ value }) => (value === undefined ? [] : fillIn(value, secrets)));
  const fail = async (reason: string) => {
    throw new AccessFailure('LOGIN_FAILED', reason, await look(page, [...typed, ...Object.values(secrets)]));
  };
  for (const [index, step] of login.steps.entries()) {
    // The recording ends here; the tab is still needed for its state.
    if (step.type === 'close') break;
    const say = `Step ${index + 1} of ${login.steps.length} of the login, ${sayStep(step)},`;
    if (performance.now() > endsAt) await fail(`${say} was not reached within ${accessBounds.loginMs / 1000} s.`);
    const timeoutMs = left(login.timeout ?? (step.type === 'navigate' ? 30_000 : stepMs));
    // A hung page answers no command, and a key or a viewport has no time of its own.
    const late = delay(left(2 * timeoutMs + stepMs), undefined, { ref: false }).then(() => {
      throw new Error('the page did not answer');
    });
    await Promise.race([play(page, step, timeoutMs, typing), late]).catch(async error => {
      const isLate = step.selectors !== undefined && error instanceof TimeoutError;
      await fail(`${say} failed: ${isLate ? await sayMissing(page, step).catch(sayError) : sayError(error)}.`);
    });
  }
  await page.waitForNetworkIdle({ idleTime: 500, timeout: left(10_000) }).catch(() => {});
  let lack = await waitForProof(page, access, performance.now() + left(2_000));
  if (lack === undefined) return;
  // A login often ends on another page than the one that is measured.
  await page.goto(pageUrl, { waitUntil: 'load', timeout: left(30_000) }).catch(() => {});
  lack = await waitForProof(page, access, performance.now() + left(stepMs));
  if (lack !== undefined) await fail(`The login ended, but the page is not the expected one: ${lack}.`);
}
