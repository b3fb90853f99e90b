import { importTests } from './support/import-tests.ts';

await importTests('test/contract/*.test.ts', 'test/leak/*.test.ts');
