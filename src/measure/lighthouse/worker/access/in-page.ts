/** Expressions that are evaluated in a page. They are texts, because this program has no types of a page. */
import type { Frame } from 'puppeteer-core';

const call = (body: string, ...values: readonly unknown[]): string =>
  `(${body})(${values.map(value => JSON.stringify(value)).join(', ')})`;

export type Items = Readonly<Record<string, string>>;

/** Stores items if a document has this origin. A sandboxed document has no storage. */
export const storeItems = (origin: string, local: Items, session: Items): string =>
  call(
    `(origin, local, session) => {
      if (location.origin !== origin) return;
      try {
        for (const [name, value] of Object.entries(local)) localStorage.setItem(name, value);
        for (const [name, value] of Object.entries(session)) sessionStorage.setItem(name, value);
      } catch {}
    }`,
    origin,
    local,
    session,
  );

export const readItems = '({ local: { ...localStorage }, session: { ...sessionStorage } })';

/**
 * Evaluates an expression where it shares the elements of a document, and no function that its scripts may have
 * replaced: values of the expression are secrets to them, and to frames of other origins.
 */
export const evaluateApart = (frame: Frame, expression: string): Promise<unknown> =>
  // The driver uses this world for its own selectors, and does not declare it.
  (frame as unknown as { isolatedRealm(): Pick<Frame, 'evaluate'> }).isolatedRealm().evaluate(expression);

/** Covers typed values in a document and in its open shadow roots: in fields, and in texts that repeat them. */
export const coverValues = (values: readonly string[]): string =>
  call(
    `values => {
      const cover = root => {
        for (const element of root.querySelectorAll('*')) {
          if (element.shadowRoot) cover(element.shadowRoot);
          const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
          if (!isField || element.value === '') continue;
          if (/^(button|submit|reset|checkbox|radio|hidden|file|image)$/.test(element.type)) continue;
          if (!/^(text|password|search|tel|url|textarea)$/.test(element.type)) element.type = 'text';
          element.value = '••••••••';
        }
        const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (texts.nextNode())
          if (values.some(value => value !== '' && texts.currentNode.data.includes(value)))
            texts.currentNode.data = '••••••••';
      };
      cover(document);
      return true;
    }`,
    values,
  );

export const includesText = (text: string): string =>
  call('text => document.body?.innerText.includes(text) ?? false', text);

export const scrollTo = (x: number, y: number): string => call('(x, y) => window.scrollTo(x, y)', x, y);
