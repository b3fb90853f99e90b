import Type, { type Static } from 'typebox';
import { arrayOf, count, described, flag, group, moment, oneOf, text } from './fields.ts';

export const Health = Type.Object(
  {
    status: oneOf(
      ['ok', 'degraded'],
      '`degraded`: local audits are not available, results cannot be read, or the service is stopping',
    ),
    version: text('API version'),
    uptime_seconds: count('Seconds since the process started'),
    lighthouse: Type.Object({
      available: flag('Whether local audits are possible'),
      version: text('Version of Lighthouse'),
      browser: described(Type.Union([Type.String(), Type.Null()]), 'Browser for local audits; its path is in the log'),
      fault: Type.Optional(text('Only if there is no usable browser: the reason, and the command that installs one')),
      sandbox: oneOf(
        ['untested', 'on', 'off', 'unavailable'],
        'Sandbox of the browser; `untested` until a browser first starts',
      ),
      running: count('Audits in progress'),
      queued: count('Audits in the queue'),
      parallel_limit: count('Maximum number of concurrent audits', 1),
    }),
    psi: Type.Object({
      analyser: oneOf(['google', 'embedded', 'custom'], 'Analyser that `/psi` uses'),
      key_configured: flag('Whether an API key is configured for it'),
      state: oneOf(['ok', 'throttled', 'down'], 'State after the latest calls'),
      until: Type.Optional(moment('Only if `throttled`: no calls are made until this time')),
      since: Type.Optional(moment('Only if `down`: time of the first failure')),
    }),
    thread: group('Thread that reads, compares and renders whole results', {
      state: oneOf(['ok', 'stuck'], '`stuck`: its task has run for more than 5 s'),
      queued: count('Waiting tasks'),
      replaced: count('Times that a task took too much time or memory'),
    }),
    cache: Type.Object({
      store: text('Storage of these figures: `memory`; in a fleet, `memory and database`'),
      entries: count('Cached results in memory'),
      bytes: count('Size of the cached results in memory'),
    }),
    fleet: Type.Optional(
      group('Only with `DATABASE_URL`: state of the fleet, a few seconds old', {
        role: oneOf(['all', 'api', 'worker'], 'Role of this instance'),
        instance: text('Id of this process'),
        database: oneOf(['ok', 'down'], '`down`: the last request to it failed'),
        instances: count('Reachable instances, including this one'),
        parallel_limit: count('Maximum number of concurrent audits on all machines'),
        running: count('Audits in progress on all machines'),
        queued: count('Queued audits on all machines'),
        members: Type.Optional(
          arrayOf(
            Type.Object({
              name: described(
                Type.Union([Type.String(), Type.Null()]),
                'Host name; null if the version of the instance does not report it',
              ),
              role: oneOf(['all', 'api', 'worker'], 'Role of the instance'),
              version: text('Version of the instance'),
              parallel_limit: count('Maximum number of concurrent audits on it'),
              running: count('Audits in progress on it'),
            }),
            'Reachable instances, this one first; with `API_KEYS`, only if the request has a key',
          ),
        ),
      }),
    ),
    results: group('Result store', {
      store: oneOf(['none', 'sqlite', 'postgres'], 'Result store'),
      state: oneOf(['ok', 'degraded'], '`degraded`: new results cannot be stored, or the database file was damaged'),
      entries: count('Stored results'),
      bytes: count('Size of the stored results'),
      artifact_bytes: count('Size of the traces and network logs on this machine'),
      retention: Type.Optional(
        group('Limits of the store; absent if nothing is stored', {
          days: count('Days that results are stored (`KEEP_DAYS`)'),
          bytes: count('Size limit of the store (`KEEP_SIZE`)'),
          artifact_bytes: count('Size limit of traces and network logs (`KEEP_ARTIFACTS`)'),
          refused: Type.Union([Type.String(), Type.Null()], {
            description: 'Reason why old results are not removed; null if they are',
          }),
        }),
      ),
      waiting: count('Results waiting to be written to the database'),
      fault: Type.Optional(
        group('Latest fault of the store, which may have been resolved since', {
          code: text('Kind of the fault'),
          message: text('Human-readable sentence'),
          at: moment('Time of the fault'),
        }),
      ),
    }),
  },
  { $id: 'Health' },
);
export type Health = Static<typeof Health>;
