/** Displays screenshots from the service, even if it requires a key, which an `img` does not send. */
import { noChange } from 'lit-html';
import { AsyncDirective } from 'lit-html/async-directive.js';
import { type AttributePart, directive } from 'lit-html/directive.js';
import { askForFile } from '../../api-client/ask-service.ts';
import { readApiKey } from './api-key.ts';

/** A transparent pixel: without a source, an image would be displayed as its alt text, with a different size. */
const blank = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** Distance below the window at which a screenshot is loaded, in CSS pixels. */
const ahead = '400px';

/** Loads a screenshot with the key when it is near the window, and releases it with its element. */
class PictureWithKey extends AsyncDirective {
  #address: string | undefined;
  #element: Element | undefined;
  #source: string | undefined;
  #loading: AbortController | undefined;
  #observer: IntersectionObserver | undefined;

  override update({ element }: AttributePart, [address]: [string]): unknown {
    if (address === this.#address) return noChange;
    this.#release();
    this.#address = address;
    this.#element = element;
    this.#await();
    return blank;
  }

  render(_address: string): unknown {
    return blank;
  }

  #await(): void {
    const element = this.#element;
    if (!element) return;
    this.#observer = new IntersectionObserver(
      entries => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        this.#observer?.disconnect();
        this.#load(element);
      },
      { rootMargin: ahead },
    );
    this.#observer.observe(element);
  }

  #load(element: Element): void {
    const loading = new AbortController();
    const { signal } = loading;
    this.#loading = loading;
    const loaded = askForFile(this.#address ?? '', { signal, apiKey: readApiKey() }).then(reply => {
      if (signal.aborted) return;
      // An `img` dispatches the same event if it cannot load its source.
      if (!reply.ok) return void element.dispatchEvent(new Event('error'));
      this.#source = URL.createObjectURL(reply.blob);
      this.setValue(this.#source);
    });
    loaded.catch(reason => {
      if (!signal.aborted) throw reason;
    });
  }

  #release(): void {
    this.#observer?.disconnect();
    this.#loading?.abort();
    if (this.#source !== undefined) URL.revokeObjectURL(this.#source);
    this.#source = undefined;
  }

  override disconnected(): void {
    this.#release();
  }

  override reconnected(): void {
    this.setValue(blank);
    this.#await();
  }
}

const withKey = directive(PictureWithKey);

/** Returns the `src` of an `img` for a screenshot of this URL. */
export const keptPicture = (address: string): unknown => (readApiKey() === undefined ? address : withKey(address));
