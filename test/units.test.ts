/** The unit tests of src/: they have no globals and start no service. */
import { importTests } from './support/import-tests.ts';

await importTests('src/**/*.test.ts');
