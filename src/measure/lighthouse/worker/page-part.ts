/** Finds out what a page does that keeps Lighthouse from measuring it, or a part of it. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import type { NavigationWatch } from './navigation-watch.ts';

const answerMs = 1_000;

/** Evaluates in the page; undefined if it does not answer soon. */
const ask = (page: Page, expression: string): Promise<unknown> =>
  Promise.race([page.evaluate(expression), delay(answerMs, undefined, { ref: false })]).catch(() => undefined);

/** Functions of the browser that Lighthouse's gatherers use, and that pages are known to replace. */
const replaceable = [
  ...['setTimeout', 'clearTimeout', 'setInterval', 'requestAnimationFrame', 'Promise', 'performance.now'],
  ...['Array.from', 'Element.prototype.matches', 'document.querySelectorAll', 'JSON.stringify'],
];
const findReplaced = `${JSON.stringify(replaceable)}.filter(name => {
  const found = name.split('.').reduce((from, part) => from?.[part], globalThis);
  return !/\\[native code\\]/.test(Function.prototype.toString.call(found ?? (() => {})));
})`;

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string');

const listOf = (items: readonly string[]): string => new Intl.ListFormat('en').format(items);
const maxUrlLength = 200;

/** Returns whether the browser has the page's manifest. Chrome waits for it before it lists the style sheets. */
async function hasManifest(page: Page): Promise<boolean> {
  const session = await page.createCDPSession();
  const answer = session.send('Page.getAppManifest').then(() => true);
  return Promise.race([answer, delay(answerMs, false, { ref: false })])
    .catch(() => true)
    .finally(() => session.detach());
}

/** Returns what a page did while Lighthouse could not gather an artifact, as the end of a sentence. */
export async function toPart(page: Page, watch: NavigationWatch, isSilent: boolean): Promise<string> {
  if (isSilent) return "the page's main thread did not respond";
  if (watch.isWithoutScripts) return "the page's Content-Security-Policy forbids scripts";
  const replaced = await ask(page, findReplaced);
  if (isTexts(replaced) && replaced.length > 0) return `the page replaces ${listOf(replaced)}`;
  const manifest = await ask(page, 'document.querySelector("link[rel~=manifest]")?.href');
  if (typeof manifest === 'string' && !(await hasManifest(page)))
    return `the page's manifest ${manifest.slice(0, maxUrlLength)} had not arrived`;
  const [file] = watch.pending;
  if (file) return `the page requested ${file.slice(0, maxUrlLength)}, which had not arrived`;
  return 'the page did not respond in time';
}

/** @param unfinished artifacts by what the page did */
export const sayUnfinished = (unfinished: ReadonlyMap<string, readonly string[]>): string[] =>
  [...unfinished].map(
    ([part, artifacts]) => `Lighthouse could not gather ${listOf(artifacts)} in time, because ${part}.`,
  );

/** Tells that a page was replaced while its artifacts were gathered. */
export const sayLeft = ({ leftFor }: Pick<NavigationWatch, 'leftFor'>): string[] =>
  leftFor === undefined
    ? []
    : [
        `The page left for ${leftFor.slice(0, maxUrlLength)} after its load. Performance is that of the requested page; the other categories may describe the new one.`,
      ];

/**
 * Why a page with content paints nothing. Chrome counts no paint of content that is transparent, and none of its
 * fade-in either if the first frame was transparent.
 */
const invisibilities = ['opacity', 'fade-in', 'hidden'] as const;
export type Invisibility = (typeof invisibilities)[number];

const findInvisibility = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const kinds = new Set();
  for (let count = 0; count < 1000 && texts.nextNode(); count += 1) {
    const { parentElement: parent, data } = texts.currentNode;
    if (!data.trim() || !parent || /^(script|style|noscript|template)$/i.test(parent.tagName)) continue;
    let kind;
    for (let element = parent; element; element = element.parentElement) {
      const style = getComputedStyle(element);
      if (Number(style.opacity) === 0) kind = 'opacity';
      else if (style.display === 'none') kind ??= 'hidden';
      else if (style.animationName !== 'none' || /opacity|all/.test(style.transitionProperty) && parseFloat(style.transitionDuration) > 0) kind ??= 'fade-in';
    }
    kinds.add(getComputedStyle(parent).visibility === 'visible' ? kind : 'hidden');
  }
  return ['opacity', 'fade-in', 'hidden'].find(kind => kinds.has(kind));
})()`;

export async function toInvisibility(page: Page): Promise<Invisibility | undefined> {
  const kind = await ask(page, findInvisibility);
  return invisibilities.find(one => one === kind);
}
