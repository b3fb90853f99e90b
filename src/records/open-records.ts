/** What an instance keeps of what it measures: the store, what writes into it, and what makes room in it. */
import type { Logger } from 'pino';
import type { StoreEvent } from '../results/fault.ts';
import { openResultStore } from '../results/open-store.ts';
import type { ResultStore } from '../results/store.ts';
import { createRecorder, noRecorder, type Recorder } from './recorder.ts';
import { type SweepSettings, sweepByTimer } from './sweep-by-timer.ts';

export type Records = {
  /** Undefined where nothing is kept. */
  readonly store: ResultStore | undefined;
  readonly recorder: Recorder;
  close(): Promise<void>;
};

type RecordSettings = SweepSettings & {
  dataDir: string | undefined;
  databaseUrl: string | undefined;
  role: string;
};

const toStoreMessage: Readonly<Record<StoreEvent['event'], string>> = {
  fault: 'results cannot be kept now',
  recovered: 'results are kept again',
  moved_aside: 'the file of results is corrupt: it has another name now, and a new one was begun',
  file_gone: 'the file of results was replaced while it was open',
  dropped: 'a result that waited to be kept is lost',
};

/** @throws StoreFaultError where the database is of a newer version */
export async function openRecords(settings: RecordSettings, machineId: string, log: Logger): Promise<Records> {
  const { dataDir, databaseUrl, role } = settings;
  if (dataDir === undefined && databaseUrl === undefined)
    return { store: undefined, recorder: noRecorder, close: async () => {} };
  const store = await openResultStore(
    { dataDir, databaseUrl },
    {
      machineId,
      onEvent: ({ event, ...facts }) => log[event === 'recovered' ? 'info' : 'warn'](facts, toStoreMessage[event]),
    },
  );
  const sweeping = sweepByTimer(store, settings);
  return {
    store,
    // What other machines audit leaves no artifacts here: there they need not be written.
    recorder: createRecorder({ store, machineId, keepsArtifacts: dataDir !== undefined && role !== 'api' }),
    async close() {
      sweeping.stop();
      await store.close();
    },
  };
}
