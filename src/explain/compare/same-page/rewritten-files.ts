/** What the bytes under one address tell: a little that was changed, or more files by other queries. */
import { ratioOf } from '../numbers.ts';
import type { LoadedFile } from '../sides/loaded-files.ts';
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

const countOf = ({ urls }: LoadedFile): number => new Set(urls).size;
const leastRatio = 1.5;

/** A side that asked for more pictures, by other queries, got no other file: pages draw lots for what they show. */
export const isOtherCount = ({ psi, lighthouse }: SharedFile): boolean => {
  const [theirs, ours] = [countOf(psi), countOf(lighthouse)];
  const isAlike = (ratioOf(psi.bytes / theirs, lighthouse.bytes / ours) ?? 1) < leastRatio;
  return lighthouse.type === 'Image' && theirs !== ours && isAlike;
};

const sayCount = (file: LoadedFile): string => `${countOf(file)} (${sayBytes(file.bytes)})`;

/** Where they are the same in KB, it takes the bytes to tell them apart. */
export function saySizes(file: SharedFile): string {
  const { psi, lighthouse, name } = file;
  if (isOtherCount(file))
    return `of ${name} the remote side loaded ${sayCount(psi)} and this side ${sayCount(lighthouse)}, by their queries`;
  const [theirs, ours] = [sayBytes(psi.bytes), sayBytes(lighthouse.bytes)];
  const [said, own] = theirs === ours ? [`${psi.bytes} bytes`, `${lighthouse.bytes} bytes`] : [theirs, ours];
  return `the remote side got ${said} of ${name} where this side got ${own}`;
}
