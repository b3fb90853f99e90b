/** Explains to an agent why a route refused a request, or why there was no answer. */
export class RouteFailure extends Error {}
