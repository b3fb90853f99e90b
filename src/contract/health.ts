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
    results: Type.Object(
      {
        store: Type.Enum(['none', 'sqlite', 'postgres']),
        state: Type.Enum(['ok', 'degraded'], { description: 'Degraded: new results cannot be kept now' }),
        entries: Type.Integer({ minimum: 0 }),
        bytes: Type.Integer({ minimum: 0 }),
        artifact_bytes: Type.Integer({ minimum: 0, description: 'Traces and network logs of this machine' }),
        waiting: Type.Integer({ minimum: 0, description: 'Results in memory that the database could not take yet' }),
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
