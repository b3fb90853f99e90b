import Type, { type Static } from 'typebox';

export const Health = Type.Object(
  {
    status: Type.Enum(['ok', 'degraded']),
    version: Type.String(),
    uptime_seconds: Type.Integer({ minimum: 0 }),
    lighthouse: Type.Object({
      available: Type.Boolean(),
      version: Type.String(),
      browser: Type.Union([Type.String(), Type.Null()]),
      fault: Type.Optional(
        Type.String({ description: 'Only without a usable browser: the reason, and the command that installs one' }),
      ),
      sandbox: Type.Enum(['untested', 'on', 'off', 'unavailable']),
      running: Type.Integer({ minimum: 0 }),
      queued: Type.Integer({ minimum: 0 }),
      parallel_limit: Type.Integer({ minimum: 1 }),
    }),
    psi: Type.Object({
      analyser: Type.Enum(['google', 'embedded', 'custom']),
      key_configured: Type.Boolean(),
      state: Type.Enum(['ok', 'throttled', 'down'], { description: 'As the last calls were answered' }),
      until: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only when throttled: nothing is sent before' }),
      ),
      since: Type.Optional(Type.String({ format: 'date-time', description: 'Only when down: the first failure' })),
    }),
    cache: Type.Object({
      store: Type.String(),
      entries: Type.Integer({ minimum: 0 }),
      bytes: Type.Integer({ minimum: 0 }),
    }),
    fleet: Type.Optional(
      Type.Object(
        {
          role: Type.Enum(['all', 'api', 'worker']),
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
        store: Type.Enum(['none', 'sqlite', 'postgres']),
        state: Type.Enum(['ok', 'degraded'], {
          description: 'Degraded: new results cannot be stored now, or the database file was damaged',
        }),
        entries: Type.Integer({ minimum: 0 }),
        bytes: Type.Integer({ minimum: 0 }),
        artifact_bytes: Type.Integer({ minimum: 0, description: 'Traces and network logs of this machine' }),
        retention: Type.Optional(
          Type.Object(
            {
              days: Type.Integer({ minimum: 0 }),
              bytes: Type.Integer({ minimum: 0 }),
              artifact_bytes: Type.Integer({ minimum: 0 }),
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
            { code: Type.String(), message: Type.String(), at: Type.String({ format: 'date-time' }) },
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
