import { importTests } from './support/import-tests.ts';

await importTests('test/web/!(states-*).test.ts');
