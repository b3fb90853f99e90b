/** Files of the page itself in which a little was changed, as far as their bytes tell. */
import { sayBytes } from './load-difference.ts';
import type { SharedFile } from './shared-files.ts';

/** Another rule or line: what a page has on its own host is mostly the same for every visitor. */
const leastOfRule = 4;
export const isRewritten = ({ psi, lighthouse, isOwn }: SharedFile): boolean =>
  isOwn &&
  (lighthouse.type === 'Stylesheet' || lighthouse.type === 'Script') &&
  !psi.isCut &&
  !lighthouse.isCut &&
  Math.min(psi.bytes, lighthouse.bytes) > 0 &&
  Math.abs(psi.bytes - lighthouse.bytes) >= leastOfRule;

/** Where they are the same in KB, it takes the bytes to tell them apart. */
export function saySizes({ psi, lighthouse, name }: SharedFile): string {
  const [theirs, ours] = [sayBytes(psi.bytes), sayBytes(lighthouse.bytes)];
  const [said, own] = theirs === ours ? [`${psi.bytes} bytes`, `${lighthouse.bytes} bytes`] : [theirs, ours];
  return `the remote side got ${said} of ${name} where this side got ${own}`;
}
