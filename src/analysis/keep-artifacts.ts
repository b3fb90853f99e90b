import type { ArtifactPaths } from '../lighthouse/folders/kept-artifacts.ts';
import type { Recorder } from '../records/recorder.ts';

/** Takes copies for a result that is kept. Never throws. */
export const keepArtifacts = (
  recorder: Pick<Recorder, 'artifacts'>,
  id: string | undefined,
  files: ArtifactPaths | undefined,
): Promise<void> =>
  id === undefined || files === undefined
    ? Promise.resolve()
    : recorder.artifacts(id, { trace: files.trace, network_log: files.networkLog, gathered: files.gathered });
