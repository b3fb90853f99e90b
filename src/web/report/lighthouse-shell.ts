import { ReportGenerator } from 'lighthouse/report/generator/report-generator.js';
import { toFilePolicy } from './file-policy.ts';

/** Lighthouse's own report without a result. Each part is HTML. */
export type LighthouseShell = {
  /** @param note displayed above the report */
  fill(parts: { title: string; note: string; plain: string; json: string }): string;
  policy: string;
};

const slots = {
  policy: '%rangelight-policy%',
  title: '%rangelight-title%',
  note: '%rangelight-note%',
  plain: '%rangelight-plain%',
} as const;
const dataSlot = '%rangelight-data%';

/**
 * Reads the result from data instead of a script, so that all reports have the same scripts, whose hashes a policy can
 * list.
 */
const readResult = `
  // A report saved from its own menu contains its earlier rendering, after the new one.
  document.addEventListener('DOMContentLoaded', () => {
    for (const older of [...document.querySelectorAll('.lh-root')].slice(1)) older.remove();
  });
  window.__LIGHTHOUSE_JSON__ = JSON.parse(document.getElementById('lighthouse-result').textContent);
`;

/** Removes buttons that send the result to another site, because a report sends nothing. */
const takeAwaySenders = `
  for (const sender of document.querySelectorAll('[data-action="open-viewer"], .lh-report-icon--treemap'))
    sender.remove();
`;

const changes: readonly (readonly [from: RegExp, to: string])[] = [
  [
    /<meta charset="utf-8">/,
    `<meta charset="utf-8">\n  <meta http-equiv="Content-Security-Policy" content="${slots.policy}">\n  <meta name="robots" content="noindex">`,
  ],
  [/(?<=<title>)[^<]*(?=<\/title>)/, slots.title],
  [/<noscript>[^<]*(?=<\/noscript>)/, `${slots.note}<noscript>${slots.plain}`],
  [
    /<script>window\.__LIGHTHOUSE_JSON__ = "%rangelight-data%";<\/script>/,
    `<script type="application/json" id="lighthouse-result">${dataSlot}</script>\n  <script>${readResult}</script>`,
  ],
  [/(?<=<script>)console\.log\([^<]*\);(?=<\/script>)/, takeAwaySenders],
];

function change(html: string, [from, to]: (typeof changes)[number]): string {
  if (!from.test(html)) throw new Error(`Lighthouse's report has changed: there is no ${from.source} in it`);
  return html.replace(from, () => to);
}

const scriptTexts = (html: string): string[] =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text = '']) => text);

function build(): LighthouseShell {
  const html = changes.reduce(change, ReportGenerator.generateReportHtml(dataSlot as never));
  const policy = toFilePolicy({ scripts: scriptTexts(html), styles: 'any' });
  const [head = '', afterTitle = '', afterNote = '', afterPlain = '', end = ''] = html
    .replace(slots.policy, () => policy)
    .split(new RegExp([slots.title, slots.note, slots.plain, dataSlot].join('|')));
  return {
    fill: ({ title, note, plain, json }) =>
      [head, title, afterTitle, note, afterNote, plain, afterPlain, json, end].join(''),
    policy,
  };
}

let built: LighthouseShell | undefined;

/** Returns the shell, which is created at the first call and is the same for every report. */
export const lighthouseShell = (): LighthouseShell => {
  built ??= build();
  return built;
};
