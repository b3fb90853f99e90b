import { importTests } from './support/import-tests.ts';

await importTests('test/jobs/*.test.ts');
