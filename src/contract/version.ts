/** Version of the interface, as in the specification. */
export const serviceVersion = '2.0.0';
