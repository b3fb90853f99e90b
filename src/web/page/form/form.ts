/**
 * The form is part of the HTML and works without scripts; the script checks the input immediately, and displays the
 * state.
 */
import { type Backend, type PageRequest, readRequest } from '../../../api-client/page-request.ts';
import { hasSpace, sayHasSpace } from '../../../api-client/read-urls.ts';
import { optionsAt } from '../../../contract/measuring-options.ts';
import { categoryNames } from '../../../contract/names.ts';
import type { FailureReason } from '../../../presentation/errors-in-words.ts';
import { counted } from '../../../presentation/numbers.ts';
import { connectConditions } from './conditions.ts';

type FormParts = ReturnType<typeof findParts>;

function findParts(form: HTMLFormElement) {
  const find = <T extends HTMLElement>(selector: string): T => {
    const element = form.querySelector<T>(selector);
    if (!element) throw new Error(`The form lacks ${selector}`);
    return element;
  };
  return {
    form,
    field: find<HTMLTextAreaElement>('textarea'),
    fault: find('#url-fault'),
    unfold: find<HTMLButtonElement>('.unfold'),
    askedUrl: find('.asked-url'),
    askedChoices: find('.asked-choices'),
    again: find<HTMLButtonElement>('.again'),
    remote: find<HTMLInputElement>('[value="remote"]'),
    conditions: connectConditions(find<HTMLDetailsElement>('#conditions')),
  };
}

const readForm = ({ form, conditions }: FormParts, usual: Backend): PageRequest => {
  const entries = [...new FormData(form)].map(([name, value]) => [name, `${value}`]);
  const stated = conditions.read();
  return { ...readRequest(new URLSearchParams(entries), usual), ...(stated ? { conditions: stated } : {}) };
};

const maxFaults = 3;

/** Describes why a request cannot be sent; empty if it can. */
function findFaults({ urls, conditions }: PageRequest): string[] {
  const faults = urls.filter(hasSpace);
  const more = faults.length - maxFaults;
  const texts = faults.slice(0, maxFaults).map(entry => `${sayHasSpace(entry)}.`);
  if (more > 0) texts.push(`${counted(more, 'more entry', 'more entries')} with a space in them.`);
  if (conditions && urls.length > 1) texts.push('A private page or a staging host is measured alone.');
  return texts;
}

function showFaults({ field, fault }: FormParts, texts: readonly string[]): void {
  fault.replaceChildren(
    ...texts.map(text => {
      const line = document.createElement('p');
      line.textContent = text;
      return line;
    }),
  );
  fault.hidden = texts.length === 0;
  if (texts.length === 0) field.removeAttribute('aria-invalid');
  else field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', texts.length === 0 ? 'url-hint' : 'url-fault url-hint');
}

/** Describes the selected options: `Local, Mobile, 4 categories`. */
function sayChoices(form: HTMLFormElement, request: PageRequest): string {
  const chosen = [...form.querySelectorAll<HTMLInputElement>('#choices > fieldset [type="radio"]:checked')];
  const count = form.querySelectorAll('[name="categories"]:checked').length;
  const words = chosen.map(input => input.labels?.[0]?.textContent?.trim() ?? '');
  const extras = optionsAt('form').map(([name, { choices }]) => {
    const value = request[name];
    const [, , summary = value] = choices?.find(([known]) => known === value) ?? [];
    return summary;
  });
  if (request.conditions) extras.push('under conditions');
  return [...words, counted(count || categoryNames.length, 'category', 'categories'), ...extras]
    .filter(Boolean)
    .join(', ');
}

function fillIn({ form, field, askedUrl, askedChoices, conditions }: FormParts, request: PageRequest): void {
  if (!request.conditions) conditions.clear();
  const { urls, backend, strategy, categories } = request;
  const extras = optionsAt('form').map(([name, { choices }]) => [name, request[name] ?? choices?.[0]?.[0] ?? '']);
  const chosen: Readonly<Record<string, string | readonly string[]>> = {
    categories,
    backend: [backend],
    strategy: [strategy],
    ...Object.fromEntries(extras),
  };
  field.value = urls.join('\n');
  field.rows = Math.min(6, Math.max(1, urls.length));
  for (const input of form.querySelectorAll<HTMLInputElement>('input[name]')) {
    const value = chosen[input.name] ?? '';
    if (input.type === 'text') input.value = `${value}`;
    else input.checked = typeof value === 'string' ? value === input.value : value.includes(input.value);
  }
  const more = form.querySelector<HTMLDetailsElement>('.extras');
  if (more && optionsAt('form').some(([name]) => name in request)) more.open = true;
  const [url = 'Measure a page'] = urls;
  askedUrl.textContent = urls.length > 1 ? counted(urls.length, 'page') : url.replace(/^https?:\/\//, '');
  askedChoices.textContent = sayChoices(form, request);
}

/**
 * @param onAsk called when the user submits a valid request
 * @param onSitemap called with a URL when the user requests the pages of a site
 */
export function connectForm(
  form: HTMLFormElement,
  onAsk: (request: PageRequest) => void,
  onSitemap: (request: PageRequest) => void,
) {
  const parts = findParts(form);
  const { field, unfold, again, remote } = parts;
  let measureAgain: (() => void) | undefined;
  const setFolded = (isFolded: boolean): void => {
    if (isFolded) form.dataset.folded = '';
    else delete form.dataset.folded;
    unfold.setAttribute('aria-expanded', isFolded ? 'false' : 'true');
  };
  // The form is collapsed again when a result is displayed.
  setFolded(false);
  const usual = (form.querySelector<HTMLInputElement>('[name="backend"][checked]')?.value ?? 'local') as Backend;
  const check = (request: PageRequest): boolean => {
    const faults = findFaults(request);
    showFaults(parts, faults);
    // Errors must be visible, even if the form was collapsed.
    if (faults.length > 0) setFolded(false);
    if (faults.length > 0) field.focus();
    return faults.length === 0;
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    const request = readForm(parts, usual);
    if (request.urls.length > 0) {
      if (check(request)) onAsk(request);
      return;
    }
    // The field contains only separators, which `required` accepts; for an empty field, the browser displays an error.
    field.value = '';
    field.reportValidity();
  });
  field.addEventListener('input', () => showFaults(parts, []));
  form.addEventListener('input', () => {
    const isRefused = readForm(parts, usual).backend === 'remote' && parts.conditions.read() !== undefined;
    remote.setCustomValidity(isRefused ? 'Local or Compare measures a private page or a staging host.' : '');
  });
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.querySelector('.from-sitemap')?.addEventListener('click', () => {
    const request = readForm(parts, usual);
    const [url] = request.urls;
    if (url === undefined) {
      field.value = '';
      field.reportValidity();
    } else if (check({ ...request, urls: [url] })) onSitemap({ ...request, urls: [url] });
  });
  unfold.addEventListener('click', () => {
    setFolded(false);
    field.focus();
  });
  again.addEventListener('click', () => measureAgain?.());
  return {
    /** Backend that is selected when the page opens. */
    usual,
    read: () => readForm(parts, usual),
    /** Returns whether every entry may be a URL; otherwise displays which ones are not, and leaves the text unchanged. */
    check,
    /** Fills the form with a request, adds schemes to URLs, and folds it. */
    show(request: PageRequest): void {
      fillIn(parts, request);
      setFolded(true);
    },
    /** Displays faults that the service found in the conditions, each at its field. */
    refuse(failure: FailureReason): void {
      if (failure.kind !== 'invalid' || !parts.conditions.read()) return;
      setFolded(false);
      parts.conditions.refuse(failure.faults);
    },
    /** Displays or hides the button that measures the displayed page again. */
    offerAgain(next: (() => void) | undefined): void {
      measureAgain = next;
      again.hidden = next === undefined;
    },
  };
}
