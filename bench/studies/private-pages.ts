/**
 * `npm run bench:cold -- --pairs 30` compares loads with and without a login that the page ignores.
 * `npm run bench:cold -- --expired 200` measures private pages whose session has ended, and counts the login pages that
 * have a score. Results are added to files, so an interrupted study continues.
 */
import { parseArgs } from 'node:util';
import { type ColdLoad, measureCold, toColdTable } from './cold-loads.ts';
import { type ExpiredTry, toExpiredTable, tryExpired } from './expired-sessions.ts';
import { openLines } from './lines.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '0' },
    expired: { type: 'string', default: '0' },
    folder: { type: 'string', default: '.' },
  },
});

if (Number(values.pairs) > 0) {
  const lines = openLines<ColdLoad>(`${values.folder}/cold-loads.ndjson`);
  await measureCold(Number(values.pairs), lines);
  console.log(toColdTable(lines.all));
}
if (Number(values.expired) > 0) {
  const lines = openLines<ExpiredTry>(`${values.folder}/expired-sessions.ndjson`);
  await tryExpired(Number(values.expired), lines);
  console.log(toExpiredTable(lines.all));
}
