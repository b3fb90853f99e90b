/** What a route refused, or why no answer of it arrived, in words for an agent. */
export class RouteFailure extends Error {}
