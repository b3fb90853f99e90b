/** The changes of `rangelight experiment` as variants of its request. */
import { experimentBounds, fontDisplays, type RecipeName, recipeNames } from '../../contract/experiments/names.ts';
import { toHint } from '../../contract/nearest-name.ts';
import type { Repeated } from './command-line.ts';
import { toPageUrls } from './gather-pages.ts';

type WantedRecipe = { name: RecipeName; url?: string; value?: string; find?: string; replace?: string };

/** A variant in the format of `POST /experiments`. */
export type VariantChoices = {
  name?: string;
  url?: string;
  block?: string[];
  headers?: Record<string, string>;
  recipes?: WantedRecipe[];
};

/** Parses a recipe: `defer=app.js`, `fetch-priority=hero.jpg high`, `find-and-replace=one=>other`. */
function readRecipe(text: string, faults: string[]): WantedRecipe | undefined {
  const [, name = '', given] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  const known = recipeNames.find(recipe => recipe === name);
  if (!known) {
    faults.push(`unknown recipe ${name}${toHint(name, recipeNames)}; recipes are ${recipeNames.join(', ')}`);
    return undefined;
  }
  if (known === 'find-and-replace') {
    const [, find, replace] = /^(.+?)=>(.*)$/s.exec(given ?? '') ?? [];
    if (find !== undefined && replace !== undefined) return { name: known, find, replace };
    faults.push("--recipe find-and-replace needs both texts: 'find-and-replace=TEXT=>OTHER TEXT'");
    return undefined;
  }
  const [url, value] = (given ?? '').trim().split(/\s+/);
  if (known === 'font-display' && fontDisplays.some(display => display === url))
    faults.push(`--recipe font-display needs stylesheets before its value: 'font-display=* ${url}'`);
  return { name: known, ...(url ? { url } : {}), ...(value ? { value } : {}) };
}

/** Parses a header. Errors do not repeat its value, which may be a key. */
function readHeader(text: string, faults: string[]): Record<string, string> {
  const [, name, value = ''] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  if (name !== undefined) return { [name]: value };
  faults.push("--header needs a name and a value: 'Name: value'");
  return {};
}

/** Adds a change to a variant; a URL replaces an earlier one. */
function addChange(variant: VariantChoices, { option, text }: Repeated, faults: string[]): VariantChoices {
  if (option === 'block') return { ...variant, block: [...(variant.block ?? []), text] };
  if (option === 'variant-url') return { ...variant, url: toPageUrls([text])[0] ?? '' };
  if (option === 'header') return { ...variant, headers: { ...variant.headers, ...readHeader(text, faults) } };
  const recipe = readRecipe(text, faults);
  return recipe ? { ...variant, recipes: [...(variant.recipes ?? []), recipe] } : variant;
}

/** Groups changes by variant: `--variant` starts one; those before the first belong to one without a name. */
export function toVariants(changes: readonly Repeated[], faults: string[]): VariantChoices[] {
  const variants: VariantChoices[] = [];
  for (const change of changes) {
    if (change.option === 'variant') variants.push({ name: change.text });
    else variants.push(addChange(variants.pop() ?? {}, change, faults));
  }
  const most = experimentBounds.variants;
  if (variants.length === 0)
    faults.push('rangelight experiment needs a change: --block, --variant-url, --recipe or --header');
  if (variants.length > most) faults.push(`an experiment has at most ${most} variants, not ${variants.length}`);
  for (const { name, ...made } of variants)
    if (name !== undefined && Object.keys(made).length === 0) faults.push(`--variant '${name}' has no change after it`);
  return variants;
}
