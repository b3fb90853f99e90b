/** Floating-point noise of a subtraction is no difference, and minus zero is zero. */
export const tidy = (value: number, decimals: number): number => Number(value.toFixed(decimals)) || 0;

/** How many times one of two positive numbers is the other, whichever is larger; null where one is absent. */
export const ratioOf = (one: number | null, other: number | null): number | null => {
  if (one === null || other === null) return null;
  if (one === other) return 1;
  const [small, large] = one < other ? [one, other] : [other, one];
  return small === 0 ? Number.POSITIVE_INFINITY : large / small;
};
