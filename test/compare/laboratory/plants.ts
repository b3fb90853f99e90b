/** Every plant without a browser, by the cause that its verdict names first. */
import type { NothingRow, PlantRow, PurePlant } from './compare-plant.ts';
import { alike, blames, elsewhere } from './drafts.ts';
import { audits } from './plants/audits.ts';
import { documents } from './plants/documents.ts';
import { failedFiles } from './plants/failed-files.ts';
import { fileSizes } from './plants/file-sizes.ts';
import { layoutShifts } from './plants/layout-shifts.ts';
import { machines } from './plants/machines.ts';
import { nothingAboutConditions } from './plants/nothing-about-conditions.ts';
import { nothingAboutContent } from './plants/nothing-about-content.ts';
import { nothingOnPages } from './plants/nothing-on-pages.ts';
import { oneSidedFiles } from './plants/one-sided-files.ts';
import { scripts } from './plants/scripts.ts';
import { servers } from './plants/servers.ts';
import { settings } from './plants/settings.ts';
import { unexplained } from './plants/unexplained.ts';

const ofPage = (rows: readonly PlantRow[]): PurePlant[] =>
  rows.map(row => ({ first: 'different_page', never: elsewhere, ...row }));

const blamesOrDoubts = new RegExp(`may have loaded|${blames.source}`, 'i');
const toNothings = (rows: readonly NothingRow[]): PurePlant[] =>
  rows.map(row => ({
    first: [null, 'run_noise'],
    says: alike,
    never: blamesOrDoubts,
    ...row,
    planted: `nothing: ${row.planted}`,
  }));

export const plants: Readonly<Record<string, readonly PurePlant[]>> = {
  documents: ofPage(documents),
  'failed-files': ofPage(failedFiles),
  'one-sided-files': ofPage(oneSidedFiles),
  'file-sizes': ofPage(fileSizes),
  scripts: ofPage(scripts),
  settings,
  servers: servers.map(row => ({ first: 'server', ...row })),
  machines,
  'layout-shifts': layoutShifts,
  audits,
  unexplained,
  'nothing-about-content': toNothings(nothingAboutContent),
  'nothing-about-conditions': toNothings(nothingAboutConditions),
  'nothing-on-pages': toNothings(nothingOnPages),
};
