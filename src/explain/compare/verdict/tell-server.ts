import type { Comparison, Evidence } from '../../../contract/analysis/comparison.ts';

const sayMs = (value: unknown): string => `${Math.round(Number(value))} ms`;

/** Less is seen on one machine while it is busy. */
const lateMs = 400;

const toLateWords = ({ fact, psi, lighthouse }: Evidence): string =>
  `the server took ${sayMs(psi)} to send ${fact.replace(/^answer_ms /, '')} to the remote side and ${sayMs(lighthouse)} to send it to this side`;

const toResponseWords = (psi: unknown, lighthouse: unknown): string[] =>
  typeof psi === 'number' && typeof lighthouse === 'number' && Math.abs(psi - lighthouse) >= lateMs
    ? [`the server took ${sayMs(psi)} to answer the remote side and ${sayMs(lighthouse)} to answer this side`]
    : [];

const toProtocolWords = ({ fact, psi, lighthouse }: Evidence): string =>
  `${fact.replace(/^protocol /, '')} answered the remote side by ${psi} and this side by ${lighthouse}`;

/**
 * A server that answered much later is worth a word whatever it cost: the document, else a single file. Another protocol
 * is where the scores are apart.
 */
export const tellServer = ({ causes }: Comparison, isApart: boolean): string[] => {
  const evidence = causes.find(({ cause }) => cause === 'server')?.evidence ?? [];
  const response = evidence.find(({ fact }) => fact === 'server_response_ms');
  const single = evidence.find(({ fact }) => fact.startsWith('answer_ms '));
  const protocol = isApart ? evidence.find(({ fact }) => fact.startsWith('protocol ')) : undefined;
  return [
    ...toResponseWords(response?.psi, response?.lighthouse),
    ...(single ? [toLateWords(single)] : []),
    ...(protocol ? [toProtocolWords(protocol)] : []),
  ].slice(0, 1);
};
