import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initializeConfig } from 'lighthouse/core/config/config.js';
import { createIcuMessageFn } from 'lighthouse/core/lib/i18n/i18n.js';
import { getFormatted } from 'lighthouse/shared/localization/format.js';
import { keepFormats } from './kept-formats.ts';

const sentences = {
  plain: 'Nothing to put in',
  counted: '{count, plural, =1 {1 file} other {# files}}',
  measured: 'May save {wastedBytes, number, bytes} KiB and {wastedMs, number, milliseconds} ms',
  quoted: "It's \\{not\\} a value, {name} is",
};
const locales = ['en-US', 'de', 'ja', 'ar', 'en-XA'] as const;

/** Formats all sentences in every locale. Lighthouse does not know their file, so no locale has a translation. */
function format(): string[] {
  const toMessage = createIcuMessageFn('some/file.js', sentences);
  const messages = [
    toMessage(sentences.plain),
    ...[1, 2, 1_234].map(count => toMessage(sentences.counted, { count })),
    ...[0, 123_456].map(wastedBytes => toMessage(sentences.measured, { wastedBytes, wastedMs: 1_230 })),
    ...['a', 'b'].map(name => toMessage(sentences.quoted, { name })),
  ];
  return locales.flatMap(locale => messages.map(message => getFormatted(message, locale)));
}

/** Returns titles of Lighthouse's own audits in every locale. */
async function readTitles(): Promise<string[]> {
  const { resolvedConfig } = await initializeConfig('navigation', undefined, {});
  const titles = (resolvedConfig.audits ?? []).map(({ implementation }) => implementation.meta.title);
  return locales.flatMap(locale => titles.map(title => getFormatted(title, locale)));
}

/** Returns how often a locale was looked up, which every new formatter does. */
async function countLookUps(work: () => Promise<unknown>): Promise<number> {
  const own = Intl.NumberFormat.supportedLocalesOf;
  let count = 0;
  Intl.NumberFormat.supportedLocalesOf = (...asked) => {
    count += 1;
    return own(...asked);
  };
  try {
    await work();
    return count;
  } finally {
    Intl.NumberFormat.supportedLocalesOf = own;
  }
}

test('cached formatters give the same sentences, and none is parsed twice', async () => {
  const read = () => initializeConfig('navigation', undefined, {});
  await read();
  assert.ok((await countLookUps(read)) > 5_000, 'Lighthouse keeps its formatters itself: ours have become idle');
  const [own, titles] = [format(), await readTitles()];
  keepFormats();
  assert.deepEqual(format(), own);
  assert.deepEqual(format(), own);
  assert.deepEqual(await readTitles(), titles);
  // Lighthouse itself looks up its locale once.
  assert.equal(await countLookUps(read), 1);
});
