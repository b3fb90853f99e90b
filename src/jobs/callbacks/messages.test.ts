/** Messages for people: what they say, and what texts of clients and pages cannot do in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHistory } from '../../../test/support/builders/history.ts';
import type { Note } from '../../contract/stored/notes.ts';
import type { PageRow } from '../job.ts';
import type { PageAlarm } from '../schedules/alerts.ts';
import { toAlarmLine, toEndLine, toFailureLine, toMessageBody } from './messages.ts';

const history = buildHistory('performance');
const note: Note = {
  ...{ id: 'n', text: 'Deploy 1.8.0', site: 'harbour.example', url: null, link: null },
  time: '2026-11-10T20:00:00.000Z',
};
const alarmOf = (given: Partial<PageAlarm> = {}, notes: readonly Note[] = [note]): PageAlarm => {
  const [change] = history.change_points;
  assert.ok(change);
  return {
    ...{ url: 'https://harbour.example/', strategy: 'mobile', source: 'lighthouse', unit: 'point' },
    ...{ isEnd: false, change: { ...change, notes: [...notes] }, level: 74, before: 92 },
    ...given,
  };
};
const origin = 'https://range.example';

test('a change is one sentence with its page, its interval, its notes and an absolute link', () => {
  const { text, link } = toAlarmLine(alarmOf(), origin);
  assert.equal(
    text,
    'https://harbour.example/ (mobile, local) got worse: Performance 92 → 74 (−18; between −21.6 and −14.4). Noted at this time: Deploy 1.8.0 (2026-11-10 20:00 UTC).',
  );
  assert.match(link, /^https:\/\/range\.example\/\?before=[\w-]+&after=[\w-]+$/);
});

test('an end says which value is back, with or without a change point', () => {
  const withChange = toAlarmLine(alarmOf({ isEnd: true, before: 74 }, []), origin);
  assert.match(withChange.text, /is back to 74: Performance /);
  const without = toAlarmLine(alarmOf({ isEnd: true, change: undefined, level: 91, before: 92 }), origin);
  assert.match(without.text, /is back to 92: Performance 91 again\.$/);
  assert.match(without.link, /^https:\/\/range\.example\/\?history=/);
});

const hostile = '@channel <!here> <https://evil.example|click> [click](https://evil.example)\n@here &amp;';
const evilUrl = 'https://harbour.example/@channel|x>?a=[b](c)';

test('texts of clients and pages mention nobody, forge no link and add no line', () => {
  const lines = [toAlarmLine(alarmOf({ url: evilUrl }, [{ ...note, text: hostile }]), origin)];
  const { text: slack } = JSON.parse(toMessageBody('slack', lines)) as { text: string };
  assert.deepEqual(slack.match(/<[^>]*>/g), [`<${lines[0]?.link.replaceAll('&', '&amp;')}|Details>`]);
  for (const format of ['slack', 'teams', 'text'] as const) {
    const body = toMessageBody(format, lines);
    assert.doesNotMatch(body, /@(channel|here)/, format);
    assert.doesNotMatch(body, /\]\(/, format);
    assert.doesNotMatch(body, /:\/\/evil/, format);
  }
  assert.equal(toMessageBody('text', lines).split('\n').length, 2);
});

test('Teams gets an Adaptive Card whose texts are not Markdown, below its limit of 28 KB', () => {
  const long = { ...note, text: 'x'.repeat(300) };
  const url = `https://harbour.example/${'y'.repeat(3000)}`;
  const lines = Array.from({ length: 500 }, () => toAlarmLine(alarmOf({ url }, Array(10).fill(long)), origin));
  const body = toMessageBody('teams', lines);
  assert.ok(body.length < 28_000, `${body.length}`);
  const { type, attachments } = JSON.parse(body);
  assert.deepEqual([type, attachments[0].contentType], ['message', 'application/vnd.microsoft.card.adaptive']);
  const blocks = attachments[0].content.body as { type: string; inlines: { text: string }[] }[];
  assert.deepEqual([...new Set(blocks.map(block => block.type))], ['RichTextBlock']);
  assert.equal(blocks.at(-1)?.inlines[0]?.text, '490 more changes.');
});

test('a job and a failure have a sentence, too', () => {
  const page: PageRow = {
    ...{ position: 0, url: 'https://harbour.example/', tries: 1, sameAs: null, copies: 1 },
    state: 'succeeded',
    outcome: {
      ...{ comparisonId: null, error: null },
      parts: [{ source: 'psi', strategy: 'mobile', id: null, scores: { performance: 90 }, error: null }],
    },
  };
  const { text } = toEndLine({ total: 1, done: 1, failed: 0 }, [page], origin);
  assert.equal(text, 'https://harbour.example/: 1 of 1 page measured, mobile Performance 90.');
  const many = toEndLine({ total: 3, done: 3, failed: 1 }, [page], origin).text;
  assert.equal(many, 'https://harbour.example/ and 2 more: 2 of 3 pages measured.');
  assert.equal(toFailureLine({ page, fails: false }, origin).text, 'https://harbour.example/ can be measured again.');
});
