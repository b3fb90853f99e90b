/**
 * Recipes that change a document or a style sheet. Texts have one character per byte (`latin1`), so all bytes that no
 * recipe changes are preserved in any charset that extends ASCII.
 */
import type { RecipeName } from '../../../../contract/experiments/names.ts';
import { guessPreloadType } from '../../../../contract/experiments/preload-type.ts';
import type { Recipe } from '../../../../contract/experiments/request.ts';
import { matchesPattern } from '../../../../contract/experiments/url-patterns.ts';

/** A text, and the number of its changes. */
export type Changed = { text: string; count: number };

const toBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const toText = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

type Attribute = { name: string; written: string; value: string };
type Element = { name: string; attributes: readonly Attribute[] };

/** Matches comments, styles and scripts as a whole, because an element inside them is only text. */
const parts =
  /<!--[\s\S]*?-->|(<style\b[^>]*>)[\s\S]*?<\/style\s*>|(<script\b(?:[^>"']|"[^"]*"|'[^']*')*>)[\s\S]*?<\/script\s*>|(<(?:img|iframe|link|base)\b(?:[^>"']|"[^"]*"|'[^']*')*>)/gi;

const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

const readElement = (tag: string): Element => {
  const [[, name = ''] = [], ...attributes] = [...tag.matchAll(attribute)];
  return {
    name: name.toLowerCase(),
    attributes: attributes.map(([written, of = '', double, single, bare]) => ({
      name: of.toLowerCase(),
      written,
      value: toText(double ?? single ?? bare ?? '').replaceAll('&amp;', '&'),
    })),
  };
};

const attributeOf = ({ attributes }: Element, wanted: string): string | undefined =>
  attributes.find(({ name }) => name === wanted)?.value;

const toAttribute = (value: string): string => toBytes(value.replaceAll('&', '&amp;').replaceAll('"', '&quot;'));

/** @param without attributes to remove, because they would override the new one */
const withAttribute = (element: Element, added: string, without: readonly string[]): string => {
  const others = element.attributes.filter(({ name }) => !without.includes(name)).map(({ written }) => written);
  return `<${[element.name, added, ...others].join(' ')}>`;
};

/** Returns the URL that an element loads. */
const urlOf = (element: Element, base: string): string | undefined => {
  const address = attributeOf(element, element.name === 'link' ? 'href' : 'src')?.trim();
  return address && URL.canParse(address, base) ? new URL(address, base).href : undefined;
};

const editTags = (text: string, edit: (element: Element) => string | undefined): Changed => {
  let count = 0;
  const edited = text.replaceAll(parts, (whole: string, _style, script?: string, other?: string) => {
    const tag = script ?? other;
    const changed = tag === undefined ? undefined : edit(readElement(tag));
    if (tag === undefined || changed === undefined) return whole;
    count += 1;
    return changed + whole.slice(tag.length);
  });
  return { text: edited, count };
};

/** Returns the base for relative URLs, which a `base` element may set. */
function toBase(text: string, url: string): string {
  let base: string | undefined;
  editTags(text, element => {
    const address = element.name === 'base' ? attributeOf(element, 'href') : undefined;
    if (base === undefined && address !== undefined && URL.canParse(address, url)) base = new URL(address, url).href;
    return undefined;
  });
  return base ?? url;
}

const fontFace = /(@font-face\s*\{)([^}]*)\}/gi;

/** Sets `font-display` in each `@font-face` rule of a style sheet to the recipe's value; default `swap`. */
export function changeFontDisplay(text: string, { value }: Recipe): Changed {
  let count = 0;
  const edited = text.replaceAll(fontFace, (_whole, start: string, rules: string) => {
    count += 1;
    return `${start}${rules.replaceAll(/font-display\s*:[^;]*;?/gi, '')};font-display:${toBytes(value ?? 'swap')}}`;
  });
  return { text: edited, count };
}

/** Changes the fonts in inline styles, unless the recipe is for a stylesheet of another URL. */
function changeInlineFonts(text: string, recipe: Recipe, page: string): Changed {
  if (recipe.url !== null && !matchesPattern(page, recipe.url)) return { text, count: 0 };
  let count = 0;
  const edited = text.replaceAll(parts, (whole: string, style?: string) => {
    if (style === undefined) return whole;
    const changed = changeFontDisplay(whole, recipe);
    count += changed.count;
    return changed.text;
  });
  return { text: edited, count };
}

const headStart = /<head\b[^>]*>|<html\b[^>]*>(?!\s*<head\b)|^\s*<!doctype[^>]*>(?!\s*<html\b)/i;

/**
 * Returns the `crossorigin` attribute with which the page requests a URL. The browser uses a preload only if both
 * requests have the same mode and credentials; otherwise it loads the URL twice.
 */
function crossOriginOf(text: string, { type, address, base }: { type: string; address: string; base: string }): string {
  if (type === 'fetch' || type === 'font') return 'crossorigin';
  let found = '';
  editTags(text, element => {
    if (urlOf(element, base) !== address) return undefined;
    const own = element.attributes.find(({ name }) => name === 'crossorigin')?.written;
    const isModule = element.name === 'script' && attributeOf(element, 'type')?.toLowerCase() === 'module';
    found ||= own ?? (isModule ? 'crossorigin' : '');
    return undefined;
  });
  return found;
}

function addPreload(text: string, { url, value }: Recipe, page: string): Changed {
  const address = url !== null && URL.canParse(url, page) ? new URL(url, page).href : undefined;
  const type = address === undefined ? undefined : (value ?? guessPreloadType(address));
  if (url === null || address === undefined || type === undefined) return { text, count: 0 };
  const crossOrigin = crossOriginOf(text, { type, address, base: toBase(text, page) });
  const attributes = [`as="${toAttribute(type)}"`, `href="${toAttribute(url)}"`, crossOrigin].filter(Boolean);
  const link = `<link rel="preload" ${attributes.join(' ')}>`;
  const start = headStart.exec(text);
  const at = start ? start.index + start[0].length : 0;
  return { text: text.slice(0, at) + link + text.slice(at), count: 1 };
}

/** Max number of replacements, and max size of a document that they enlarge. */
const mostReplacements = 100_000;
const mostBytes = 16 * 1024 * 1024;

/** Replaces all occurrences, or none if they are too many or would enlarge the document too much. */
function replaceText(text: string, { find, replace }: Recipe): Changed {
  if (!find) return { text, count: 0 };
  const [wanted, other] = [toBytes(find), toBytes(replace ?? '')];
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count += 1;
  const size = text.length + count * (other.length - wanted.length);
  if (count > mostReplacements || size > Math.max(mostBytes, text.length)) return { text, count: 0 };
  return { text: text.replaceAll(wanted, () => other), count };
}

type TagRule = { elements: readonly string[]; toAttribute: (recipe: Recipe) => string; without: readonly string[] };

/** @param url URL of the document */
type Edit = (text: string, recipe: Recipe, url: string) => Changed;

const editElements =
  ({ elements, toAttribute, without }: TagRule): Edit =>
  (text, recipe, url) => {
    const base = toBase(text, url);
    return editTags(text, element => {
      const address = elements.includes(element.name) ? urlOf(element, base) : undefined;
      const isMeant = address !== undefined && (recipe.url === null || matchesPattern(address, recipe.url));
      return isMeant ? withAttribute(element, toAttribute(recipe), without) : undefined;
    });
  };

const loads = ['img', 'iframe'];
const documentEdits: Readonly<Record<RecipeName, Edit>> = {
  defer: editElements({ elements: ['script'], toAttribute: () => 'defer', without: ['defer', 'async'] }),
  async: editElements({ elements: ['script'], toAttribute: () => 'async', without: ['defer', 'async'] }),
  preload: addPreload,
  'lazy-loading': editElements({ elements: loads, toAttribute: () => 'loading="lazy"', without: ['loading'] }),
  'eager-loading': editElements({ elements: loads, toAttribute: () => 'loading="eager"', without: ['loading'] }),
  'fetch-priority': editElements({
    elements: ['script', 'img', 'link'],
    toAttribute: ({ value }) => `fetchpriority="${toAttribute(value ?? 'high')}"`,
    without: ['fetchpriority'],
  }),
  'font-display': changeInlineFonts,
  'single-point-of-failure': text => ({ text, count: 0 }),
  'find-and-replace': replaceText,
};

/** Changes a document by one recipe. */
export const changeDocument: Edit = (text, recipe, url) => documentEdits[recipe.name](text, recipe, url);
