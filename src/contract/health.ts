import Type, { type Static } from 'typebox';
import { described } from './fields.ts';

export const Health = Type.Object(
  {
    status: Type.Enum(['ok', 'degraded'], {
      description: '`degraded`: local audits are not available, or the service is stopping',
    }),
    version: Type.String({ description: 'Version of the interface' }),
    uptime_seconds: Type.Integer({ minimum: 0, description: 'Age of the process' }),
    lighthouse: Type.Object({
      available: Type.Boolean({ description: 'Whether a local audit is possible' }),
      version: Type.String({ description: 'Version of Lighthouse' }),
      browser: described(Type.Union([Type.String(), Type.Null()]), 'Browser of local audits; the log has its path'),
      fault: Type.Optional(
        Type.String({ description: 'Only without a usable browser: the reason, and the command that installs one' }),
      ),
      sandbox: Type.Enum(['untested', 'on', 'off', 'unavailable'], {
        description: 'Sandbox of the browser; `untested` before the first start of a browser',
      }),
      running: Type.Integer({ minimum: 0, description: 'Audits in progress' }),
      queued: Type.Integer({ minimum: 0, description: 'Audits in the queue' }),
      parallel_limit: Type.Integer({ minimum: 1, description: 'Audits that may run at once' }),
    }),
    psi: Type.Object({
      analyser: Type.Enum(['google', 'embedded', 'custom'], { description: 'Analyser of `/psi`' }),
      key_configured: Type.Boolean({ description: 'Whether the analyser gets a key' }),
      state: Type.Enum(['ok', 'throttled', 'down'], { description: 'State after the latest calls' }),
      until: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only if `throttled`: no call before this time' }),
      ),
      since: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only if `down`: time of the first failure' }),
      ),
    }),
    cache: Type.Object({
      store: Type.String({ description: 'Store of the cache: `memory`, `sqlite` or `postgres`' }),
      entries: Type.Integer({ minimum: 0, description: 'Cached results' }),
      bytes: Type.Integer({ minimum: 0, description: 'Size of the cached results' }),
    }),
    fleet: Type.Optional(
      Type.Object(
        {
          role: Type.Enum(['all', 'api', 'worker'], { description: 'Role of this instance' }),
          instance: Type.String({ description: 'Id of this process' }),
          database: Type.Enum(['ok', 'down'], { description: '`down`: the last request to it failed' }),
          instances: Type.Integer({ minimum: 0, description: 'Reachable instances, including this one' }),
          parallel_limit: Type.Integer({ minimum: 0, description: 'Audits that may run at once on all machines' }),
          running: Type.Integer({ minimum: 0, description: 'Audits in progress on all machines' }),
          queued: Type.Integer({ minimum: 0, description: 'Audits in the queue of all machines' }),
          members: Type.Optional(
            Type.Array(
              Type.Object({
                name: described(Type.Union([Type.String(), Type.Null()]), 'Host name; null if its version sends none'),
                role: Type.Enum(['all', 'api', 'worker'], { description: 'Role of the instance' }),
                version: Type.String({ description: 'Version of the instance' }),
                parallel_limit: Type.Integer({ minimum: 0, description: 'Audits that may run at once on it' }),
                running: Type.Integer({ minimum: 0, description: 'Audits in progress on it' }),
              }),
              { description: 'Reachable instances, this one first; with `API_KEYS`, only if the request has a key' },
            ),
          ),
        },
        { description: 'Only with `DATABASE_URL`: state of the fleet, some seconds old' },
      ),
    ),
    results: Type.Object(
      {
        store: Type.Enum(['none', 'sqlite', 'postgres'], { description: 'Store of results' }),
        state: Type.Enum(['ok', 'degraded'], {
          description: '`degraded`: new results cannot be stored, or the database file was damaged',
        }),
        entries: Type.Integer({ minimum: 0, description: 'Stored results' }),
        bytes: Type.Integer({ minimum: 0, description: 'Size of the stored results' }),
        artifact_bytes: Type.Integer({
          minimum: 0,
          description: 'Size of the traces and network logs of this machine',
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
                description: 'Reason why nothing is removed by age; null if removal works',
              }),
            },
            { description: 'Limits of the store; absent if nothing is stored' },
          ),
        ),
        waiting: Type.Integer({ minimum: 0, description: 'Results that wait for the database' }),
        fault: Type.Optional(
          Type.Object(
            {
              code: Type.String({ description: 'Kind of the fault' }),
              message: Type.String({ description: 'One sentence for a person' }),
              at: Type.String({ format: 'date-time', description: 'Time of the fault' }),
            },
            { description: 'Latest fault of the store; it may be over' },
          ),
        ),
      },
      { description: 'Store of results' },
    ),
  },
  { $id: 'Health' },
);
export type Health = Static<typeof Health>;
