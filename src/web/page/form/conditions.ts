/**
 * The part of the form for private pages and staging hosts. Its fields have no names, so no address contains them: a
 * state is as good as a password.
 */
import type { Conditions } from '../../../contract/conditions/conditions.ts';
import type { ValidationError } from '../../../contract/problem.ts';

const linesOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map(entry => entry.trim())
    .filter(Boolean);

const toHosts = (text: string): Record<string, string> | undefined => {
  const pairs = linesOf(text).map(entry => /^([^=]+)=(.+)$/.exec(entry));
  return pairs.every(pair => pair !== null) ? Object.fromEntries(pairs.map(([, name, at]) => [name, at])) : undefined;
};

const isState = (value: unknown): value is { cookies: []; origins: [] } =>
  typeof value === 'object' && value !== null && 'cookies' in value && 'origins' in value;

/** Reads a file as Playwright writes it. */
async function readState(file: File | undefined): Promise<object | undefined> {
  try {
    const { cookies, origins } = JSON.parse((await file?.text()) ?? '');
    return isState({ cookies, origins }) && Array.isArray(cookies) ? { cookies, origins } : undefined;
  } catch {
    return undefined;
  }
}

export function connectConditions(part: HTMLDetailsElement) {
  const [file, expect, hosts, block] = ['state', 'expect', 'hosts', 'block'].map(id =>
    part.querySelector<HTMLInputElement>(`#${id}`),
  ) as [HTMLInputElement, HTMLInputElement, HTMLInputElement, HTMLInputElement];
  let state: object | undefined;
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? [];
    file.setCustomValidity(chosen ? 'The file is still being read.' : '');
    state = await readState(chosen);
    const isWrong = chosen !== undefined && !state;
    file.setCustomValidity(isWrong ? 'This file is not a storage state of Playwright.' : '');
  });
  hosts.addEventListener('input', () =>
    hosts.setCustomValidity(toHosts(hosts.value) ? '' : 'Write NAME=ADDRESS, such as www.example.com=10.0.0.5:8443.'),
  );
  // A corrected field is judged again by the service.
  for (const field of [expect, block]) field.addEventListener('input', () => field.setCustomValidity(''));
  // A fault in a folded part could not be shown.
  part.addEventListener('invalid', () => (part.open = true), { capture: true });
  return {
    /** Returns the stated conditions; undefined without any. */
    read(): Partial<Conditions> | undefined {
      const [patterns, mapped, selector] = [linesOf(block.value), toHosts(hosts.value) ?? {}, expect.value.trim()];
      const access = { ...(state ? { state } : {}), ...(selector ? { expect: { selector } } : {}) };
      const conditions = {
        ...(patterns.length > 0 ? { block: patterns } : {}),
        ...(Object.keys(mapped).length > 0 ? { hosts: mapped } : {}),
        ...(Object.keys(access).length > 0 ? { access } : {}),
      };
      return Object.keys(conditions).length > 0 ? conditions : undefined;
    },
    /** Displays faults that the service found, each at its field. */
    refuse(faults: readonly ValidationError[]): void {
      for (const { loc, msg } of faults) {
        const field = { hosts, block, access: loc.includes('expect') ? expect : file }[`${loc[1]}`];
        field?.setCustomValidity(msg);
        field?.reportValidity();
      }
    },
    clear(): void {
      state = undefined;
      for (const field of [file, expect, hosts, block]) {
        field.value = '';
        field.setCustomValidity('');
      }
    },
  };
}
