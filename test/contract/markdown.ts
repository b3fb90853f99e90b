/** The rows of all tables in a Markdown text as cells, heads and rules left out. */
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
