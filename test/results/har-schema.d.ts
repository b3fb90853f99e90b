declare module 'har-schema' {
  /** JSON schemas by the name of a part of a HAR file. */
  const schemas: Record<string, Record<string, unknown>>;
  export = schemas;
}
