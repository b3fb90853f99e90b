import { importTests } from './support/import-tests.ts';

await importTests('test/service/*.test.ts');
