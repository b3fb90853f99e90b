/** Headers that prove who a user is, by the words in their names: each service has names of its own. */
export const secretHeaders =
  /^(?!:authority$).*(?:cookie|auth|token|secret|session|api-?key|credential|password|csrf|xsrf|signature)/i;
