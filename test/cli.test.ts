import { importTests } from './support/import-tests.ts';

await importTests('test/cli/*.test.ts');
