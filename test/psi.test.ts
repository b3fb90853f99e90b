import { importTests } from './support/import-tests.ts';

await importTests('test/psi/*.test.ts');
