import type { Comparison, Evidence } from '../../contract/analysis/comparison.ts';

const sayMs = (value: unknown): string => `${Math.round(Number(value))} ms`;

/** Less is seen on one machine while it is busy. */
const lateMs = 400;

const toLateWords = ({ fact, psi, lighthouse }: Evidence): string =>
  `the server took ${sayMs(psi)} to send ${fact.replace(/^answer_ms /, '')} to the remote side and ${sayMs(lighthouse)} to send it to this side`;

const toResponseWords = (psi: unknown, lighthouse: unknown): string[] =>
  typeof psi === 'number' && typeof lighthouse === 'number' && Math.abs(psi - lighthouse) >= lateMs
    ? [`the server took ${sayMs(psi)} to answer the remote side and ${sayMs(lighthouse)} to answer this side`]
    : [];

/** A server that answered much later is worth a word whatever it cost: the document, else a single file. */
export const tellServer = ({ causes }: Comparison): string[] => {
  const evidence = causes.find(({ cause }) => cause === 'server')?.evidence ?? [];
  const response = evidence.find(({ fact }) => fact === 'server_response_ms');
  const single = evidence.find(({ fact }) => fact.startsWith('answer_ms '));
  return [...toResponseWords(response?.psi, response?.lighthouse), ...(single ? [toLateWords(single)] : [])].slice(
    0,
    1,
  );
};
