/** `npm run documents`: writes the generated parts of the documents. */
import { readFileSync, writeFileSync } from 'node:fs';
import { toFieldsDocument } from './fields.ts';
import { withOptionLists } from './options.ts';
import { toSentencesDocument } from './sentences.ts';
import { withSettingTables } from './settings.ts';

const docs = new URL('../../docs/', import.meta.url);
const settings = new URL('settings.md', docs);
const commandLine = new URL('command-line.md', docs);

writeFileSync(new URL('fields.md', docs), toFieldsDocument());
writeFileSync(new URL('internals/sentences.md', docs), toSentencesDocument());
writeFileSync(settings, withSettingTables(readFileSync(settings, 'utf8')));
writeFileSync(commandLine, withOptionLists(readFileSync(commandLine, 'utf8')));
