/** What a person does while looking closer at a result. */
import { wholeFilter } from '../../../presentation/whole/requests.ts';
import { type Choosing, type Looking, type LookPart, requestId, toggled } from '../../views/looking/look.ts';

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

type Parts = Omit<Looking, 'on' | 'showRequest' | 'choosing'> & {
  /** Of the findings: what the address holds. */
  readonly metric: Choosing['metric'];
  readonly chooseMetric: (value: string) => void;
};

export function createLooking({ metric, chooseMetric, ...parts }: Parts): Looking {
  const { look, change, load, name } = parts;
  return {
    ...parts,
    showRequest(row) {
      const requests = toggled(look.requests, row, true);
      change({ opened: toggled(look.opened, 'requests', true), filter: wholeFilter, requests });
      // Drawn by now: it is in a fold that has just been opened.
      document.getElementById(requestId(name, row))?.focus();
    },
    choosing: { metric, choose: event => chooseMetric(((event as Event).target as HTMLInputElement).value) },
    on: {
      toggle: (part: LookPart) => event => {
        const { target, currentTarget } = event as Event;
        const { open } = currentTarget as HTMLDetailsElement;
        // Folds in it tell of theirs, too.
        if (target !== currentTarget || open === look.opened.has(part)) return;
        change({ opened: toggled(look.opened, part, open) });
        if (open) load();
      },
      toggleAudit: id => event => {
        const { open } = (event as Event).currentTarget as HTMLDetailsElement;
        if (open === look.audits.has(id)) return;
        change({ audits: toggled(look.audits, id, open) });
        if (open) load();
      },
      search: event =>
        change({ filter: { ...look.filter, search: ((event as Event).target as HTMLInputElement).value } }),
      moveFocus: event => moveFocus(event as KeyboardEvent),
    },
  };
}
