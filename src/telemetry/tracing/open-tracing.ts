import type { OtlpProtocol } from './otlp-tracing.ts';
import type { Tracing } from './tracing.ts';

type Log = {
  info: (message: string) => void;
  warn: (facts: object, message: string) => void;
};

const protocols: readonly string[] = ['http/protobuf', 'http/json'] satisfies OtlpProtocol['protocol'][];
const isProtocol = (protocol: string): protocol is OtlpProtocol['protocol'] => protocols.includes(protocol);

/** Opens tracing. Undefined if tracing is off, or set to an unsupported format, which does not stop the service. */
export async function openTracing(
  wanted: { readonly exporter: string; readonly protocol: string } | undefined,
  { log, ...service }: { log: Log; version: string; role: string },
): Promise<Tracing | undefined> {
  if (!wanted) return undefined;
  const { exporter, protocol } = wanted;
  if (exporter !== 'otlp' || !isProtocol(protocol)) {
    log.warn({ exporter, protocol }, 'traces are off: only OTLP as http/protobuf or http/json can be sent');
    return undefined;
  }
  const { createOtlpTracing } = await import('./otlp-tracing.ts');
  return createOtlpTracing({
    protocol,
    ...service,
    onState: (isSent, err) =>
      isSent
        ? log.info('traces are sent')
        : log.warn({ err }, 'traces cannot be sent: those of the last moments are lost'),
  });
}
