/** Pictures that the service keeps, also where it requires a key: an `img` sends none. */
import { noChange } from 'lit-html';
import { AsyncDirective } from 'lit-html/async-directive.js';
import { type AttributePart, directive } from 'lit-html/directive.js';
import { askForFile } from '../../../api-client/ask-service.ts';
import { readApiKey } from '../key/api-key.ts';

/** One transparent pixel: an image without a source would be drawn as its words, in another size. */
const blank = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** As far below the window a picture is loaded, in CSS pixels. */
const ahead = '400px';

/** Loads a picture with the key once it comes near the window, and lets go of it with its element. */
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
      // As an `img` does that cannot load its source.
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

/** What an `img` has as its source to show a picture of this address. */
export const keptPicture = (address: string): unknown => (readApiKey() === undefined ? address : withKey(address));
