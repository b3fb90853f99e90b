import log from 'lighthouse-logger';
import type { Stage } from '../../../contract/analysis/progress.ts';
import type { OnStage } from '../messages.ts';

/** Lighthouse tells what it is doing only in its log: these are the lines between the stages (13.5). */
const toStage = (event: 'status' | 'statusEnd', message: string): Stage | undefined => {
  if (message.startsWith('Navigating to http')) return event === 'status' ? 'loading' : 'gathering';
  return event === 'status' && message.startsWith('Analyzing and running audits') ? 'auditing' : undefined;
};

/**
 * Follows the one audit that runs in this process from stage to stage.
 * @returns a function that ends it
 */
export function followStages(onStage: OnStage): () => void {
  const hear = ([event, message]: readonly unknown[]) => {
    const stage = toStage(event === 'statusEnd' ? 'statusEnd' : 'status', String(message));
    if (stage) onStage(stage);
  };
  log.events.on('status', hear);
  log.events.on('statusEnd', hear);
  return () => {
    log.events.off('status', hear);
    log.events.off('statusEnd', hear);
  };
}
