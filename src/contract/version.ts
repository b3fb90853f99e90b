/** The version of the interface: the specification's. */
export const serviceVersion = '2.0.0';
