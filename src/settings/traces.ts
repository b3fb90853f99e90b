/** OpenTelemetry's own environment variables say whether traces are sent, and in which form. */

/** `http/protobuf` and `http/json` can be sent; anything else cannot. */
export type Traces = { readonly exporter: string; readonly protocol: string };

const read = (env: NodeJS.ProcessEnv, name: string): string | undefined => env[name]?.trim() || undefined;

/** @returns undefined where they are off: without an endpoint nothing of it is loaded */
export function readTraces(env: NodeJS.ProcessEnv): Traces | undefined {
  const exporter = read(env, 'OTEL_TRACES_EXPORTER') ?? 'otlp';
  const endpoint = read(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? read(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const isDisabled = read(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
  if (endpoint === undefined || isDisabled || exporter === 'none') return undefined;
  const protocol = read(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read(env, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  return { exporter, protocol: protocol ?? 'http/protobuf' };
}
