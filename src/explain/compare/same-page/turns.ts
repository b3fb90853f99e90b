/** What others fill a place of the page with, one thing on each load: the advertiser that bid the most. */
import { ratioOf } from '../numbers.ts';
import type { LoadedFile } from '../sides/loaded-files.ts';

/** What one side loaded and the other did not, and the bytes of its whole load. */
type Part = { files: readonly LoadedFile[]; allBytes: number };

export const totalOf = (files: Iterable<LoadedFile>): number => {
  let sum = 0;
  for (const { bytes } of files) sum += bytes;
  return sum;
};

/** About as many bytes and as much work on both sides, and a small part of the page. */
const limits = { ratio: 2, ms: 50, share: 0.25 };

const siteOf = (host: string): string => host.split('.').slice(-2).join('.');
const pathOf = ({ place, host }: LoadedFile): string => place.slice(host.length);
const workOf = (files: readonly LoadedFile[]): number => files.reduce((sum, { scriptMs }) => sum + scriptMs, 0);

export function takeTurns(psi: Part, lighthouse: Part, pageHost: string | null): boolean {
  const parts = [psi, lighthouse];
  const paths = new Set(psi.files.map(pathOf));
  const isOthers = ({ host, type }: LoadedFile) => siteOf(host) !== siteOf(pageHost ?? '') && type !== 'Stylesheet';
  return (
    pageHost !== null &&
    parts.every(({ files }) => files.length > 0 && files.every(isOthers)) &&
    // The same from another host is no other thing.
    !lighthouse.files.some(file => paths.has(pathOf(file))) &&
    parts.every(({ files, allBytes }) => totalOf(files) <= limits.share * allBytes) &&
    (ratioOf(totalOf(psi.files), totalOf(lighthouse.files)) ?? 1) <= limits.ratio &&
    Math.abs(workOf(psi.files) - workOf(lighthouse.files)) < limits.ms
  );
}
