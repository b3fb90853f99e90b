/** Renders the page's lit-html views as HTML text, without a document. */
import { nothing, type TemplateResult } from 'lit-html';
import { escapeMarkup } from './markup.ts';

/** The place of a value, and the text before it. */
type Hole = { readonly before: string } & (
  | { readonly place: 'text' | 'quoted' | 'event' }
  | { readonly place: 'attribute' | 'flag'; readonly name: string }
);
type TemplateParts = { readonly holes: readonly Hole[]; readonly end: string };

const openTag = /<[a-zA-Z][^<>]*$/;
const quote = /"/g;
const bareAttribute = /\s([?@]?)([\w:-]+)=$/;

/** @param written the template's text up to the value */
function toHole(written: string, before: string): Hole {
  const tag = openTag.exec(written)?.[0];
  if (tag === undefined) return { before, place: 'text' };
  if ((tag.match(quote) ?? []).length % 2 === 1) return { before, place: 'quoted' };
  const [bare, kind, name] = bareAttribute.exec(before) ?? [];
  if (bare === undefined || name === undefined) throw new Error(`A value stands where it cannot be written: ${tag}`);
  const rest = before.slice(0, -bare.length);
  if (kind === '@') return { before: rest, place: 'event' };
  return { before: rest, place: kind === '?' ? 'flag' : 'attribute', name };
}

const readParts = (strings: readonly string[]): TemplateParts => ({
  holes: strings.slice(0, -1).map((before, at) => toHole(strings.slice(0, at + 1).join(''), before)),
  end: strings.at(-1) ?? '',
});

/** Caches parsed templates: a template is the same array of strings each time it is drawn. */
const known = new WeakMap<readonly string[], TemplateParts>();

const partsOf = (strings: readonly string[]): TemplateParts => {
  const parts = known.get(strings) ?? readParts(strings);
  known.set(strings, parts);
  return parts;
};

const isTemplate = (value: unknown): value is TemplateResult =>
  typeof value === 'object' && value !== null && '_$litType$' in value;

const isAbsent = (value: unknown): boolean => value === nothing || value === undefined || value === null;

const isList = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

const toText = (value: unknown): string => {
  if (isAbsent(value)) return '';
  if (isTemplate(value)) return toHtml(value);
  return isList(value) ? [...value].map(toText).join('') : escapeMarkup(String(value));
};

const toAttributeText = (value: unknown): string => (isAbsent(value) ? '' : escapeMarkup(String(value)));

function fill(hole: Hole, value: unknown): string {
  switch (hole.place) {
    case 'text':
      return toText(value);
    case 'quoted':
      return toAttributeText(value);
    case 'event':
      return '';
    case 'flag':
      return value ? ` ${hole.name}=""` : '';
    case 'attribute':
      return value === nothing ? '' : ` ${hole.name}="${toAttributeText(value)}"`;
  }
}

/**
 * Renders a template and all nested ones. Every value becomes text or an attribute; event handlers are omitted.
 * Templates must have `"` around values in attributes, and no values in comments, styles or scripts.
 */
export function toHtml({ strings, values }: TemplateResult): string {
  const { holes, end } = partsOf(strings);
  return holes.map((hole, at) => hole.before + fill(hole, values[at])).join('') + end;
}
