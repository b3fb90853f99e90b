/** Returns a set with a value or without it: by default, without it if it is in the set. */
export const toggled = <T>(known: ReadonlySet<T>, value: T, isIn = !known.has(value)): ReadonlySet<T> => {
  const next = new Set(known);
  if (isIn) next.add(value);
  else next.delete(value);
  return next;
};
