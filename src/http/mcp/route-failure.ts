/** Explains to an agent why a route refused, or why there was no answer. */
export class RouteFailure extends Error {}
