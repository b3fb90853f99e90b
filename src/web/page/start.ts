/** The page's beginning: connects the form, the address bar, and what is shown. */
import { render } from 'lit-html';
import { fromAddress, type PageRequest, toAddress } from '../page-request.ts';
import { connectForm } from './form.ts';
import { createSession, type Screen } from './session.ts';
import { outcomeView, type View } from './view.ts';

const find = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}`);
  return element;
};

const place = find('outcome');
const told = find('told');
const form = find('form');

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

const titles: Readonly<Partial<Record<View['kind'], string>>> = { waiting: 'Measuring ', trouble: 'Failed: ' };

const toTitle = (view: View): string => {
  if (view.kind === 'batch') return `${view.state.request.urls.length} pages · Rangelight`;
  return `${titles[view.kind] ?? ''}${hostOf(view.request.urls[0] ?? '')} · Rangelight`;
};

/** What stood there is the page's own, until the first run. */
let isEmpty = true;

const screen: Screen = {
  show(view, actions) {
    if (isEmpty) place.replaceChildren();
    isEmpty = false;
    document.title = toTitle(view);
    render(outcomeView(view, actions), place);
  },
  tell(words) {
    if (told.textContent !== words) told.textContent = words;
  },
  settle() {
    // Only where the focus was on something that is gone, or nowhere: who has gone on reading is not called back.
    const { activeElement } = document;
    if (activeElement && activeElement !== document.body && activeElement !== place) return;
    (place.querySelector<HTMLElement>('[tabindex="-1"]') ?? place).focus();
  },
};

const session = createSession(screen);

/** What the address bar holds, or undefined for the empty page. */
let asked: string | undefined;

const ask = (request: PageRequest): void => {
  asked = JSON.stringify(request);
  history.pushState(null, '', new URL(toAddress(request), new URL('.', location.href)));
  fields.show(request);
  session.run(request);
};

const fields = connectForm(form as HTMLFormElement, ask);

/** What the address asks for: a link that was opened, or a step back or forth. */
function followAddress(follow: (request: PageRequest) => void): void {
  const request = fromAddress(location);
  asked = request && JSON.stringify(request);
  if (!request) return;
  fields.show(request);
  follow(request);
}

addEventListener('popstate', () => {
  const request = fromAddress(location);
  if (asked === (request && JSON.stringify(request))) return;
  // Back to where nothing had been asked: the page as it came.
  if (!request) return location.reload();
  followAddress(session.recall);
});

// A fragment may hold a request: this one link must not take its place.
document.querySelector('.skip')?.addEventListener('click', event => {
  event.preventDefault();
  place.focus();
});

followAddress(session.run);
