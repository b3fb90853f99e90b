/** Says in words for an agent why a route refused, or why no answer arrived. */
export class RouteFailure extends Error {}
