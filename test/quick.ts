/**
 * `npm run test:quick` runs these tests after the unit tests and those of `test/contract/`: they use the service over HTTP,
 * and need neither a browser nor PostgreSQL. It has no `.test` in its name, because `npm test` runs the same files by folder.
 */
import { importTests } from './support/import-tests.ts';

await importTests(
  'test/http/{clock,docs,hosts,not-found,sitemap}.test.ts',
  'test/psi/{fairness,field-data,psi-post}.test.ts',
  'test/jobs/{callbacks,idempotency,operators,other-clients,schedules,tables-sqlite,verdicts}.test.ts',
  'test/results/{backup,migrations,postgres-not-loaded,sqlite,sqlite-faults,two-services-clear}.test.ts',
);
