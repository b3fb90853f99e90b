/** Reads what notices of requests say. One that says nothing known is no harm: another version may have sent it. */

export type RequestNotice = {
  /** This request has an outcome, or is gone. */
  ended: string | undefined;
  /** Somebody does not follow this request any more. */
  left: string | undefined;
  /** A forced request began beside these. */
  overtaken: readonly string[];
};

const fieldOf = (payload: unknown, name: string): unknown =>
  typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const payloadOf = (payload: unknown): RequestNotice => {
  const overtaken = fieldOf(payload, 'overtaken');
  return {
    ended: textOf(fieldOf(payload, 'ended')),
    left: textOf(fieldOf(payload, 'left')),
    overtaken: Array.isArray(overtaken) ? overtaken.map(String) : [],
  };
};

export const numberIn = (payload: unknown, name: string): number | undefined => {
  const value = fieldOf(payload, name);
  return typeof value === 'number' ? value : undefined;
};

export const textIn = (payload: unknown, name: string): string | undefined => textOf(fieldOf(payload, name));
