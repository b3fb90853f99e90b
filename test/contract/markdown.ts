import { globSync, readFileSync } from 'node:fs';
import { projectRoot } from './source-files.ts';

/** A Markdown file of the project, with its path from the root. */
export type MarkdownFile = { readonly path: string; readonly text: string };

const isOwn = (path: string): boolean => !/^(node_modules|dist)\//.test(path);

export const readMarkdownFiles = (): MarkdownFile[] =>
  globSync('**/*.md', { cwd: projectRoot, exclude: path => /node_modules|\.git$/.test(path) })
    .map(path => path.replaceAll('\\', '/'))
    .filter(isOwn)
    .toSorted()
    .map(path => ({ path, text: readFileSync(`${projectRoot}${path}`, 'utf8') }));

/** The text without fenced code blocks; line numbers stay the same. */
export const withoutCodeBlocks = (markdown: string): string =>
  markdown.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, block => block.replaceAll(/[^\n]/g, ''));

/** Cells of all table rows in a Markdown text, without header rows and separators. */
export function readTableRows(markdown: string): string[][] {
  const lines = markdown.split('\n').map(line => line.trim());
  const isRow = (line: string | undefined) => line?.startsWith('|') ?? false;
  const isRule = (line: string | undefined) => /^\|[\s:|-]+\|$/.test(line ?? '');
  return lines
    .filter((line, index) => isRow(line) && !isRule(line) && !isRule(lines[index + 1]))
    .map(line =>
      line
        .replace(/^\|/, '')
        .replace(/\|$/, '')
        .split(/(?<!\\)\|/)
        .map(cell => cell.trim().replaceAll('\\|', '|')),
    );
}

export const withoutBackticks = (text: string): string => text.replaceAll('`', '');
