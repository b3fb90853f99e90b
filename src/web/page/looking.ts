/** What a person does while looking closer at a result. */
import { type Looking, type LookPart, toggled } from '../views/look.ts';

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Up and down move from one request to the next, as in a list. */
function moveFocus(event: KeyboardEvent): void {
  const step = steps[event.key];
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('button.request')];
  const at = buttons.indexOf(event.target as HTMLElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  buttons[at + step]?.focus();
}

export function createLooking(parts: Omit<Looking, 'on'>): Looking {
  const { look, change, load } = parts;
  return {
    ...parts,
    on: {
      toggle: (part: LookPart) => event => {
        const { target, currentTarget } = event as Event;
        const { open } = currentTarget as HTMLDetailsElement;
        // Folds in it tell of theirs, too.
        if (target !== currentTarget || open === look.opened.has(part)) return;
        change({ opened: toggled(look.opened, part, open) });
        if (open) load();
      },
      toggleFinding: event => {
        if (((event as Event).currentTarget as HTMLDetailsElement).open) load();
      },
      search: event =>
        change({ filter: { ...look.filter, search: ((event as Event).target as HTMLInputElement).value } }),
      moveFocus: event => moveFocus(event as KeyboardEvent),
    },
  };
}
