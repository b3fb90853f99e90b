/**
 * Groups the pages of a site by route template, such as `https://shop.example/product/*`, learned from the URLs alone.
 * A segment of a path is variable if it looks like an identifier or a title, or if it has many siblings of its kind.
 */

export type RouteTemplate = { readonly template: string; readonly urls: readonly string[] };

type RouteNode = { readonly children: Map<string, RouteNode>; readonly urls: URL[] };

const createNode = (): RouteNode => ({ children: new Map(), urls: [] });

const anything = '*';

/** Min number of sibling titles, and of sibling plain words, that form one template. */
const minTitles = 5;
const minWords = 8;
/** At the top, plain words are usually the sections of a site. */
const minTopWords = 20;
/** Sections at the top have more pages than this, accounts such as `/NAME/PROJECT` have fewer. */
const maxAccountPages = 5;
/** Min number of values of a query parameter that form one template. */
const minValues = 5;
/** Max number of URL segments and parameters with a pattern of their own: each takes memory. */
const maxParts = 20;

const language = /^[a-z]{2}(?:[-_][a-z]{2,4})?$/i;
const identifier =
  /^(?:\d+|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?=[a-z]*\d)[\da-f]{8,}|\d{4}-\d{2}(?:-\d{2})?|(?=(?:[^\d]*\d){3})[\w~-]{10,})(?:\.\w{1,5})?$/i;
const title = /^(?:[^-_]+[-_]){2,}|^.{25,}/;

/** Returns `product-*.html` for `product-17.html`, and `*-p*.html` for `red-shoe-p17.html`: a name next to a number. */
function toNumbered(segment: string): string | undefined {
  const [, name, number, suffix = ''] = /^(.*?[a-z])[-_.]?(\d+)((?:\.\w{1,5})?)$/i.exec(segment) ?? [];
  if (name === undefined || number === undefined) return undefined;
  const mark = /[-_.]([a-z]{1,2})$/i.exec(name)?.[1];
  if (mark !== undefined) return `*-${mark}*${suffix}`;
  return /[-_.]/.test(name) ? undefined : `${name}${segment.charAt(name.length).replace(/\d/, '')}*${suffix}`;
}

function merge(into: RouteNode, from: RouteNode): void {
  into.urls.push(...from.urls);
  for (const [segment, child] of from.children) {
    const known = into.children.get(segment);
    if (known) merge(known, child);
    else into.children.set(segment, child);
  }
}

function join(node: RouteNode, segments: readonly string[], pattern: string): void {
  const joined = node.children.get(pattern) ?? createNode();
  for (const segment of segments) {
    const child = node.children.get(segment);
    if (!child || child === joined) continue;
    node.children.delete(segment);
    merge(joined, child);
  }
  if (segments.length > 0) node.children.set(pattern, joined);
}

const countPages = ({ urls, children }: RouteNode): number =>
  [...children.values()].reduce((sum, child) => sum + countPages(child), urls.length);

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** @param isTop whether the children are the sections of the site */
function simplify(node: RouteNode, isTop: boolean): void {
  const literal = () => [...node.children.keys()].filter(segment => !segment.includes(anything));
  const numbered = Map.groupBy(literal(), toNumbered);
  numbered.delete(undefined);
  // A few names have many numbers each; names of people that end with a number are all different.
  const minNumbers = Math.max(minTitles, [...numbered.values()].flat().length / 10);
  for (const [pattern, segments] of numbered)
    if (pattern !== undefined && segments.length >= minNumbers) join(node, segments, pattern);
  const identifiers = literal().filter(segment => identifier.test(segment));
  join(node, identifiers, anything);
  const titles = literal().filter(segment => title.test(segment));
  if (titles.length >= minTitles || (titles.length > 0 && node.children.has(anything))) join(node, titles, anything);
  joinWords(node, literal(), isTop);
  for (const [segment, child] of node.children) simplify(child, isTop && isStillTop(node, segment));
}

function joinWords(node: RouteNode, words: readonly string[], isTop: boolean): void {
  const hasChildren = (segment: string) => (node.children.get(segment)?.children.size ?? 0) > 0;
  const sections = words.filter(hasChildren);
  const pages = sections.map(segment => countPages(node.children.get(segment) ?? node));
  const areAlike =
    sections.length >= (isTop ? minTopWords : minWords) && !(isTop && medianOf(pages) >= maxAccountPages);
  if (areAlike) join(node, sections, anything);
  const leaves = words.filter(segment => !hasChildren(segment));
  // Sections that are pages as well explain the few without pages of their own.
  const known = areAlike ? (node.children.get(anything)?.urls.length ?? 0) : 0;
  if (leaves.length + known >= (isTop ? minTopWords : minWords)) join(node, leaves, anything);
}

/** Returns whether a child is the root of the site in one language, or of the whole site. */
const isStillTop = ({ children, urls }: RouteNode, segment: string): boolean =>
  language.test(segment) || (children.size === 1 && urls.length === 0);

/** Returns the segments of the path, and those of a route after `#/`. */
function segmentsOf({ pathname, hash }: URL): string[] {
  const route = /^#!?\/(.*)/.exec(hash)?.[1];
  const parts = [...pathname.split('/'), ...(route === undefined ? [] : ['#', ...route.split('/')])].filter(
    part => part !== '',
  );
  return parts.length > maxParts ? [...parts.slice(0, maxParts), parts.slice(maxParts).join('/')] : parts;
}

const parametersOf = ({ searchParams }: URL): [string, string][] => [...searchParams].slice(0, maxParts);

/** Appends the query: a parameter with a few values is part of the template, any other one is variable. */
function toQueryTemplates(path: string, urls: readonly URL[]): RouteTemplate[] {
  const values = new Map<string, Set<string>>();
  for (const url of urls)
    for (const [name, value] of parametersOf(url)) values.set(name, (values.get(name) ?? new Set()).add(value));
  const isVariable = (name: string, value: string) =>
    (values.get(name)?.size ?? 0) >= minValues || identifier.test(value) || title.test(value);
  const toTemplate = (url: URL): string => {
    const parameters = parametersOf(url).map(
      ([name, value]) => `${name}=${isVariable(name, value) ? anything : value}`,
    );
    return parameters.length === 0 ? path : `${path}?${parameters.toSorted().join('&')}`;
  };
  return [...Map.groupBy(urls, toTemplate)].map(([template, ofTemplate]) => ({
    template,
    urls: ofTemplate.map(({ href }) => href),
  }));
}

function collect(node: RouteNode, path: string): RouteTemplate[] {
  const own = node.urls.length > 0 ? toQueryTemplates(path === '' ? '/' : path, node.urls) : [];
  return [...own, ...[...node.children].flatMap(([segment, child]) => collect(child, `${path}/${segment}`))];
}

/** @param urls canonical URLs @returns the templates with the most pages first; each URL belongs to one */
export function toRouteTemplates(urls: readonly string[]): RouteTemplate[] {
  const parsed = urls.flatMap(url => URL.parse(url) ?? []);
  const templates = [...Map.groupBy(parsed, ({ origin }) => origin)].flatMap(([origin, ofSite]) => {
    const root = createNode();
    for (const url of ofSite) {
      let node = root;
      for (const segment of segmentsOf(url)) {
        const next = node.children.get(segment) ?? createNode();
        node.children.set(segment, next);
        node = next;
      }
      node.urls.push(url);
    }
    simplify(root, true);
    return collect(root, '').map(({ template, urls }) => ({ template: origin + template, urls }));
  });
  return templates.toSorted((a, b) => b.urls.length - a.urls.length || (a.template < b.template ? -1 : 1));
}

/** FNV-1a: the same URL has the same number in every process. */
function toNumber(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Selects pages of a template at random, but the same ones each time, and mostly the same ones if pages are added. */
export const sampleOf = ({ urls }: RouteTemplate, count: number): string[] =>
  urls
    .map(url => ({ url, number: toNumber(url) }))
    .toSorted((a, b) => a.number - b.number || (a.url < b.url ? -1 : 1))
    .slice(0, count)
    .map(({ url }) => url);
