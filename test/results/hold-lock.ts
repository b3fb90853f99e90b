/** Holds the lock of a SQLite file until it gets input: `hold-lock.ts FILE`. */
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2] ?? '');
database.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
await once(process.stdin, 'data');
database.exec('COMMIT');
database.close();
process.stdin.destroy();
