import { importTests } from './support/import-tests.ts';

await importTests('test/results/*.test.ts');
