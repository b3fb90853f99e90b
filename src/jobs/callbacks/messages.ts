/**
 * Messages for people: a sentence for each change, with a link. Texts of clients and pages cannot mention anyone, forge
 * a link or add a line.
 */
import { toChangeAddress } from '../../api-client/stored/change.ts';
import { toHistoryAddress } from '../../api-client/stored/history.ts';
import type { MessageFormat } from '../../contract/names.ts';
import { sayMove, sayNotes } from '../../presentation/charts/history-chart.ts';
import { counted } from '../../presentation/numbers.ts';
import { toSideNames } from '../../presentation/side-names.ts';
import { nameOfMetric, sayHistoryValue } from '../../presentation/words.ts';
import type { Job, PageRow } from '../job.ts';
import type { PageAlarm } from '../schedules/alerts.ts';
import type { FailureChange } from '../schedules/run-changes.ts';

/** Max number of changes that a message names; more are counted. */
const maxLines = 10;
const maxUrl = 200;
const maxNotes = 3;

export type MessageLine = { readonly text: string; readonly link: string };

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Encodes what chat programs read as a mention, markup or the end of a link. A URL remains the same page. */
const sayUrl = (href: string): string =>
  cut(
    href.replaceAll(/[@()[\]*|<>`~]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`),
    maxUrl,
  );

/** Separates what chat programs would read together as a mention or a link, with a space of no width. */
const sayForeign = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/@|\]|:\/\//g, sign => (sign === '://' ? ':\u200b//' : `${sign}\u200b`));

const { psi, lighthouse } = toSideNames(undefined);
const sayPage = ({ url, strategy, source }: Pick<PageAlarm, 'url' | 'strategy' | 'source'>): string =>
  `${sayUrl(url)} (${strategy}, ${{ psi, lighthouse }[source].short.toLowerCase()})`;

/** Says what changed, by how much, and which notes are near. */
export function toAlarmLine(alarm: PageAlarm, origin: string): MessageLine {
  const { change, isEnd, before, level, unit } = alarm;
  const move = change ? sayMove(change, { unit }) : `${sayHistoryValue(level, unit)} again`;
  const verdict = isEnd ? `is back to ${sayHistoryValue(before, unit)}` : `got ${change?.status}`;
  const noted = sayForeign(sayNotes({ notes: change?.notes.slice(0, maxNotes) ?? [] }));
  const address = change ? toChangeAddress({ before: change.previous_id, after: change.id }) : toHistoryAddress(alarm);
  return {
    text: `${sayPage(alarm)} ${verdict}: ${nameOfMetric('performance')} ${move}.${noted === '' ? '' : ` Noted at this time: ${noted}.`}`,
    link: `${origin}/${address}`,
  };
}

export const toFailureLine = ({ page, fails }: FailureChange, link: string): MessageLine => ({
  text: `${sayUrl(page.url)} ${fails ? `can no longer be measured: ${page.outcome?.error?.title ?? 'it failed'}` : 'can be measured again'}.`,
  link,
});

/** Says how a job ended that belongs to no schedule: its totals, and the scores of its only page. */
export function toEndLine(
  { total, done, failed }: Pick<Job, 'total' | 'done' | 'failed'>,
  pages: readonly PageRow[],
  link: string,
): MessageLine {
  const [page] = pages;
  const scores = (total === 1 ? (page?.outcome?.parts ?? []) : []).map(
    ({ strategy, scores: of }) => `${strategy} ${nameOfMetric('performance')} ${of?.performance ?? 'unknown'}`,
  );
  const measured = `${done - failed} of ${counted(total, 'page')} measured`;
  const subject = `${page ? sayUrl(page.url) : 'Job'}${total > 1 ? ` and ${total - 1} more` : ''}`;
  return { text: `${subject}: ${[measured, ...scores].join(', ')}.`, link };
}

const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const writers: Readonly<Record<MessageFormat, (lines: readonly MessageLine[], rest: string) => string>> = {
  text: (lines, rest) => [...lines.map(({ text, link }) => `${text}\n${link}`), ...(rest ? [rest] : [])].join('\n\n'),
  slack: (lines, rest) =>
    JSON.stringify({
      text: [...lines.map(({ text, link }) => `${escapeSlack(text)} <${escapeSlack(link)}|Details>`), rest]
        .join('\n')
        .trim(),
      unfurl_links: false,
    }),
  // A text run shows no Markdown, so a text of a page cannot contain a link.
  teams: (lines, rest) =>
    JSON.stringify({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              ...lines.map(({ text, link }) => ({
                type: 'RichTextBlock',
                inlines: [
                  { type: 'TextRun', text: `${text} ` },
                  { type: 'TextRun', text: 'Details', selectAction: { type: 'Action.OpenUrl', url: link } },
                ],
              })),
              ...(rest ? [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: rest }] }] : []),
            ],
          },
        },
      ],
    }),
};

/** @returns the body of the callback */
export function toMessageBody(format: MessageFormat, lines: readonly MessageLine[]): string {
  const more = lines.length - maxLines;
  return writers[format](lines.slice(0, maxLines), more > 0 ? `${counted(more, 'more change')}.` : '');
}
