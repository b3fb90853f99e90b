/** Patterns of a right first statement: any true wording matches. */

/** Another page, claimed or possible, by one of these facts. */
export const pageBy = (named: string): RegExp =>
  new RegExp(`(did not load the same page|different pages?).*(${named})`, 'i');

/** A page differs, and nothing else does. */
export const elsewhere = /no known cause|CPU throttling|machines|simulation of|disturbed|network throttling/i;
export const noPage = /did not load|may have loaded|different page/i;
