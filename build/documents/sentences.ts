/** Writes docs/internals/sentences.md: every family of generated sentences, from the cases of the tests. */
import { families, toPlain } from '../../test/sentences/families.ts';
import { toItem } from './fields.ts';

/** Each item consists of the values and the sentence made from them. */
export const toSentencesDocument = (): string =>
  [
    '# Generated sentences',
    '',
    'Sentences that users read, each whole and made of real values: the values, then the sentence. `npm run documents`',
    'writes this page from the cases in `test/sentences/`, whose test asserts every sentence.',
    ...families.flatMap(([heading, cases]) => [
      '',
      `## ${heading}`,
      '',
      ...cases.map(([values, say]) => toItem(`${values} → ${toPlain(say())}`)),
    ]),
    '',
  ].join('\n');
