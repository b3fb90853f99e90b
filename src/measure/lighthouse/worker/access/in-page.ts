/** Expressions that are evaluated in a page. They are texts, because this program has no types of a page. */

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

/** Covers typed values, in fields and in texts that repeat them. */
export const coverValues = (values: readonly string[]): string =>
  call(
    `values => {
      for (const field of document.querySelectorAll('input, textarea'))
        if (field.value !== '' && !/^(button|submit|reset|checkbox|radio|hidden|file)$/.test(field.type)) {
          if (!/^(text|password|search|tel|url|textarea)$/.test(field.type)) field.type = 'text';
          field.value = '••••••••';
        }
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let count = 0; count < 10000 && texts.nextNode(); count += 1)
        if (values.some(value => value !== '' && texts.currentNode.data.includes(value)))
          texts.currentNode.data = '••••••••';
    }`,
    values,
  );

export const includesText = (text: string): string =>
  call('text => document.body?.innerText.includes(text) ?? false', text);

export const scrollTo = (x: number, y: number): string => call('(x, y) => window.scrollTo(x, y)', x, y);
