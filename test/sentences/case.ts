/** One sentence for users: the values it is made of, the call that makes it, and the whole sentence. */
export type Case = readonly [values: string, say: () => string | undefined, sentence: string];
