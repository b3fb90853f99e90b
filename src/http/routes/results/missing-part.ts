/** A result that is kept, and a part of it that is not. */
import { AnalysisError } from '../../../contract/errors.ts';
import type { ArtifactName, Entry } from '../../../storage/results/store.ts';

export type ArtifactFile = {
  /** The end of its path, and of the file's name. */
  readonly part: 'trace' | 'network-log';
  readonly name: ArtifactName;
  /** In a message. */
  readonly words: readonly [one: string, many: string];
};

export const noArtifact = ({ words: [one, many] }: ArtifactFile, [elsewhere]: readonly string[], isShared: boolean) => {
  if (elsewhere !== undefined) {
    const where = `The ${one} of this result is on the disk of another machine, with the machine_id ${elsewhere}.`;
    return new AnalysisError('result_not_found', `${where} Ask the instance there.`);
  }
  const where = isShared ? `, and none is kept where another machine than the one that was asked audited the page` : '';
  const why = `${many} are removed first to make room${where}.`;
  return new AnalysisError('result_not_found', `No ${one} is kept of this result. ${why}`);
};

/** It is kept, and this part of it is made of what is not. */
export const noPart = ({ kind }: Entry, part: 'report' | 'screenshot'): AnalysisError =>
  new AnalysisError(
    'result_not_found',
    kind === 'failure'
      ? `The page could not be measured, so there is no ${part} of it.`
      : `There is no ${part} of this result: its full data is not kept, or has none.`,
  );
