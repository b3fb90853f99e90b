/** What a session does with the window around it. */

import type { PageRequest } from '../../../api-client/page-request.ts';
import type { BatchMemory } from '../../../api-client/stored/kept-batch.ts';
import type { Actions, View } from '../view.ts';

export type Screen = {
  show(view: View, actions: Actions): void;
  /** For screen readers. */
  announce(words: string): void;
  /** A request was answered, and the answer is kept: the address bar can lead to it. */
  keep(request: PageRequest, ids: readonly string[]): void;
  /** What a list has by now: after a reload, or a step back, it is shown and not measured again. */
  remember(request: PageRequest, memory: BatchMemory): void;
  /** What is shown turned out to have this address, and to be of this page. */
  lead(address: string, request: PageRequest): void;
  /** A list was chosen from a sitemap: measures it with what the form says. */
  measureList(urls: readonly string[]): void;
  /** A run is over: moves the focus to its result. */
  settle(): void;
};
