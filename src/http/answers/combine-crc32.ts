/**
 * CRC32 of two pieces from the CRC32 of each, as zlib's `crc32_combine` computes it: a CRC is a remainder of
 * polynomials over GF(2), and to append n bytes is to multiply by x to the power of 8n.
 */

/** The polynomial of CRC32, lowest power first, as all numbers here: 2³¹ stands for 1, 2³⁰ for x. */
const polynomial = 0xedb88320;
const [one, x] = [0x80000000, 0x40000000];

/** The product of two remainders. */
function multiply(first: number, second: number): number {
  let product = 0;
  let shifted = second;
  for (let power = one; power > 0; power >>>= 1) {
    if (first & power) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return product >>> 0;
}

/** x to the power of 8, 16, 32 and so on: a length in bytes has up to 53 bits. */
const powers: number[] = [];
for (let power = 0, value = x; power < 3 + 53; power += 1, value = multiply(value, value))
  if (power >= 3) powers.push(value);

/** CRC32 of `first` and then `second`. @param secondLength in bytes */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  let shifted = first;
  let rest = secondLength;
  for (let bit = 0; rest > 0; bit += 1) {
    if (rest % 2 === 1) shifted = multiply(powers[bit] ?? 0, shifted);
    rest = Math.floor(rest / 2);
  }
  return (shifted ^ second) >>> 0;
}
