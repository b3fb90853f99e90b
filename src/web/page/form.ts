/** The form: it stands in the HTML and works without us; here it answers at once, and shows what runs. */
import { type PageRequest, readRequest } from '../page-request.ts';

export type Form = {
  /** Fills it with a request, addresses with their schemes. */
  show(request: PageRequest): void;
  focus(): void;
};

const readForm = (form: HTMLFormElement): PageRequest => {
  const entries = [...new FormData(form)].map(([name, value]) => [name, `${value}`]);
  return readRequest(new URLSearchParams(entries));
};

/** @param onAsk called when the person asks for something; never without an address */
export function connectForm(form: HTMLFormElement, onAsk: (request: PageRequest) => void): Form {
  const field = form.querySelector<HTMLTextAreaElement>('textarea');
  if (!field) throw new Error('The form has no field for addresses');
  form.addEventListener('submit', event => {
    event.preventDefault();
    const request = readForm(form);
    if (request.urls.length > 0) return onAsk(request);
    // Nothing but spaces, which pass for an address. Of an empty field the browser says that it is missing.
    field.value = '';
    field.reportValidity();
  });
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  return {
    show({ urls, backend, strategy, categories }) {
      field.value = urls.join('\n');
      field.rows = Math.min(6, Math.max(1, urls.length));
      for (const input of form.querySelectorAll('input')) {
        const chosen: readonly string[] = input.name === 'categories' ? categories : [backend, strategy];
        input.checked = chosen.includes(input.value);
      }
    },
    focus: () => field.focus(),
  };
}
