/** Scripts and style sheets that hold up the page come first; others and those at its end come later. */
import { evidenceOf, type LoadDifference, strong } from './load-difference.ts';
import type { SharedFile } from './shared-files.ts';

const isMoved = ({ psi, lighthouse }: SharedFile): boolean => psi.priority !== lighthouse.priority;

/** Another version of the browser gives all files of a type another priority: the page is the same. */
const isOfBrowser = (files: readonly SharedFile[]): boolean =>
  files.every(isMoved) &&
  new Set(files.map(({ psi, lighthouse }) => `${psi.priority} ${lighthouse.priority}`)).size === 1;

export const toPriorities = (files: readonly SharedFile[], isSameBrowser: boolean): LoadDifference[] =>
  ['Script', 'Stylesheet'].flatMap(type => {
    const told = files.filter(({ psi, lighthouse }) => psi.type === type && psi.priority && lighthouse.priority);
    if (!isSameBrowser && isOfBrowser(told)) return [];
    return told.filter(isMoved).map(({ psi, lighthouse, name, key }) => ({
      kind: `priority ${key}`,
      evidence: evidenceOf(`priority ${name}`, psi.priority, lighthouse.priority),
      words: `${name} was asked for with ${psi.priority?.toLowerCase()} priority on the remote side and with ${lighthouse.priority?.toLowerCase()} priority on this side`,
      weight: strong,
    }));
  });
