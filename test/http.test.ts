import { importTests } from './support/import-tests.ts';

await importTests('test/http/*.test.ts');
