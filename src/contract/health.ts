import Type, { type Static } from 'typebox';
import { described } from './fields.ts';

export const Health = Type.Object(
  {
    status: Type.Enum(['ok', 'degraded'], {
      description: '`degraded`: local audits are not available, results cannot be read, or the service is stopping',
    }),
    version: Type.String({ description: 'API version' }),
    uptime_seconds: Type.Integer({ minimum: 0, description: 'Seconds since the process started' }),
    lighthouse: Type.Object({
      available: Type.Boolean({ description: 'Whether local audits are possible' }),
      version: Type.String({ description: 'Version of Lighthouse' }),
      browser: described(Type.Union([Type.String(), Type.Null()]), 'Browser for local audits; its path is in the log'),
      fault: Type.Optional(
        Type.String({
          description: 'Only if there is no usable browser: the reason, and the command that installs one',
        }),
      ),
      sandbox: Type.Enum(['untested', 'on', 'off', 'unavailable'], {
        description: 'Sandbox of the browser; `untested` until a browser first starts',
      }),
      running: Type.Integer({ minimum: 0, description: 'Audits in progress' }),
      queued: Type.Integer({ minimum: 0, description: 'Audits in the queue' }),
      parallel_limit: Type.Integer({ minimum: 1, description: 'Maximum number of concurrent audits' }),
    }),
    psi: Type.Object({
      analyser: Type.Enum(['google', 'embedded', 'custom'], { description: 'Analyser that `/psi` uses' }),
      key_configured: Type.Boolean({ description: 'Whether an API key is configured for it' }),
      state: Type.Enum(['ok', 'throttled', 'down'], { description: 'State after the latest calls' }),
      until: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only if `throttled`: no calls are made until this time' }),
      ),
      since: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only if `down`: time of the first failure' }),
      ),
    }),
    thread: Type.Object(
      {
        state: Type.Enum(['ok', 'stuck'], { description: '`stuck`: its task has run for more than 5 s' }),
        queued: Type.Integer({ minimum: 0, description: 'Waiting tasks' }),
        replaced: Type.Integer({ minimum: 0, description: 'Times that a task took too much time or memory' }),
      },
      { description: 'Thread that reads, compares and renders whole results' },
    ),
    cache: Type.Object({
      store: Type.String({ description: 'Storage of these figures: `memory`; in a fleet, `memory and database`' }),
      entries: Type.Integer({ minimum: 0, description: 'Cached results in memory' }),
      bytes: Type.Integer({ minimum: 0, description: 'Size of the cached results in memory' }),
    }),
    fleet: Type.Optional(
      Type.Object(
        {
          role: Type.Enum(['all', 'api', 'worker'], { description: 'Role of this instance' }),
          instance: Type.String({ description: 'Id of this process' }),
          database: Type.Enum(['ok', 'down'], { description: '`down`: the last request to it failed' }),
          instances: Type.Integer({ minimum: 0, description: 'Reachable instances, including this one' }),
          parallel_limit: Type.Integer({
            minimum: 0,
            description: 'Maximum number of concurrent audits on all machines',
          }),
          running: Type.Integer({ minimum: 0, description: 'Audits in progress on all machines' }),
          queued: Type.Integer({ minimum: 0, description: 'Queued audits on all machines' }),
          members: Type.Optional(
            Type.Array(
              Type.Object({
                name: described(
                  Type.Union([Type.String(), Type.Null()]),
                  'Host name; null if the version of the instance does not report it',
                ),
                role: Type.Enum(['all', 'api', 'worker'], { description: 'Role of the instance' }),
                version: Type.String({ description: 'Version of the instance' }),
                parallel_limit: Type.Integer({ minimum: 0, description: 'Maximum number of concurrent audits on it' }),
                running: Type.Integer({ minimum: 0, description: 'Audits in progress on it' }),
              }),
              { description: 'Reachable instances, this one first; with `API_KEYS`, only if the request has a key' },
            ),
          ),
        },
        { description: 'Only with `DATABASE_URL`: state of the fleet, a few seconds old' },
      ),
    ),
    results: Type.Object(
      {
        store: Type.Enum(['none', 'sqlite', 'postgres'], { description: 'Result store' }),
        state: Type.Enum(['ok', 'degraded'], {
          description: '`degraded`: new results cannot be stored, or the database file was damaged',
        }),
        entries: Type.Integer({ minimum: 0, description: 'Stored results' }),
        bytes: Type.Integer({ minimum: 0, description: 'Size of the stored results' }),
        artifact_bytes: Type.Integer({
          minimum: 0,
          description: 'Size of the traces and network logs on this machine',
        }),
        retention: Type.Optional(
          Type.Object(
            {
              days: Type.Integer({ minimum: 0, description: 'Days that results are stored (`KEEP_DAYS`)' }),
              bytes: Type.Integer({ minimum: 0, description: 'Size limit of the store (`KEEP_SIZE`)' }),
              artifact_bytes: Type.Integer({
                minimum: 0,
                description: 'Size limit of traces and network logs (`KEEP_ARTIFACTS`)',
              }),
              refused: Type.Union([Type.String(), Type.Null()], {
                description: 'Reason why old results are not removed; null if they are',
              }),
            },
            { description: 'Limits of the store; absent if nothing is stored' },
          ),
        ),
        waiting: Type.Integer({ minimum: 0, description: 'Results waiting to be written to the database' }),
        fault: Type.Optional(
          Type.Object(
            {
              code: Type.String({ description: 'Kind of the fault' }),
              message: Type.String({ description: 'Human-readable sentence' }),
              at: Type.String({ format: 'date-time', description: 'Time of the fault' }),
            },
            { description: 'Latest fault of the store, which may have been resolved since' },
          ),
        ),
      },
      { description: 'Result store' },
    ),
  },
  { $id: 'Health' },
);
export type Health = Static<typeof Health>;
