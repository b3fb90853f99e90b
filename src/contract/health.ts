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
      state: Type.Enum(['ok', 'throttled', 'down'], { description: 'As the last calls were answered' }),
      until: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only when throttled: nothing is sent before' }),
      ),
      since: Type.Optional(Type.String({ format: 'date-time', description: 'Only when down: the first failure' })),
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
          instance: Type.String({ description: 'Another one after each start' }),
          database: Type.Enum(['ok', 'down'], { description: 'Down: it did not answer the last time' }),
          instances: Type.Integer({ minimum: 0, description: 'That were there a moment ago, this one too' }),
          parallel_limit: Type.Integer({ minimum: 0, description: 'Audits that can run at once on all machines' }),
          running: Type.Integer({ minimum: 0, description: 'On all machines' }),
          queued: Type.Integer({ minimum: 0, description: 'For all machines' }),
        },
        { description: 'Only with `DATABASE_URL`: what the instances share, as it was some seconds ago' },
      ),
    ),
    results: Type.Object(
      {
        store: Type.Enum(['none', 'sqlite', 'postgres'], { description: 'Store of results' }),
        state: Type.Enum(['ok', 'degraded'], {
          description: 'Degraded: new results cannot be stored now, or the database file was damaged',
        }),
        entries: Type.Integer({ minimum: 0, description: 'Stored results' }),
        bytes: Type.Integer({ minimum: 0, description: 'Size of the stored results' }),
        artifact_bytes: Type.Integer({ minimum: 0, description: 'Traces and network logs of this machine' }),
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
                description: 'Why nothing is removed by its age now',
              }),
            },
            { description: 'The bounds of the store; absent where nothing is kept' },
          ),
        ),
        waiting: Type.Integer({ minimum: 0, description: 'Results that the database could not take yet' }),
        fault: Type.Optional(
          Type.Object(
            {
              code: Type.String({ description: 'Kind of the fault' }),
              message: Type.String({ description: 'One sentence for a person' }),
              at: Type.String({ format: 'date-time', description: 'Time of the fault' }),
            },
            { description: 'The last one; it may be over' },
          ),
        ),
      },
      { description: 'Where results are kept' },
    ),
  },
  { $id: 'Health' },
);
export type Health = Static<typeof Health>;
