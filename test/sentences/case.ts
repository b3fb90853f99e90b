/** A sentence for users: its values, the call that generates it, and the whole sentence. */
export type Case = readonly [values: string, say: () => string | undefined, sentence: string];
