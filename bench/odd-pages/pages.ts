/** All odd pages, by kind. */
import { errorPages, statusPages, typePages } from './answer-pages.ts';
import type { Row } from './answers.ts';
import { artifactPages } from './artifact-pages.ts';
import { blankPages, heavyPages } from './content-pages.ts';
import { headPages } from './head-pages.ts';
import { navigationPages } from './navigation-pages.ts';
import type { Page } from './site.ts';
import { namePages, urlPages } from './url-pages.ts';

const kinds: Readonly<Record<string, readonly Row[]>> = {
  'response heads': headPages,
  'error statuses': errorPages,
  'other statuses': statusPages,
  'host names': namePages,
  artifacts: artifactPages,
  navigations: navigationPages,
  types: typePages,
  'blank pages': blankPages,
  URLs: urlPages,
  weight: heavyPages,
};

const toFolder = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** The folder of a page is its name, or its number if its name has too few letters that a path may have. */
const toPages = (kind: string, rows: readonly Row[]): Page[] =>
  rows.map((row, at) => ({
    ...row,
    kind,
    id: rows === urlPages || rows === namePages ? `${toFolder(kind)}-${at}` : toFolder(row.name),
  }));

export const pages: readonly Page[] = Object.entries(kinds).flatMap(([kind, rows]) => toPages(kind, rows));

const ids = pages.map(({ id }) => id);
const twice = ids.find((id, at) => ids.indexOf(id) !== at);
if (twice !== undefined) throw new Error(`two pages are in the folder ${twice}`);
