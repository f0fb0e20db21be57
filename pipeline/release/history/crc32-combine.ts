/** The polynomial of CRC-32 (RFC 1952 §8), reflected: bit 31 is the coefficient of x⁰. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/**
 * CRC-32 of the bytes A ‖ B from those of A and B and the length of B: appending n zero bytes multiplies a
 * CRC by x^8n modulo the polynomial, and CRCs add up (xor). The powers x^(2^i) are made by squaring, so the
 * cost is log₂ of the length.
 */
export function combineCrc32(a: number, b: number, bytesOfB: number): number {
  return (multiply(a, powerOfX(bytesOfB)) ^ b) >>> 0;
}

/** x^(8n) modulo the polynomial. A length is under 2^53, so bits are taken off by division. */
function powerOfX(bytes: number): number {
  let power = ONE;
  let square = 0x00800000; // x^8
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}

/** The product of two polynomials over GF(2), modulo the polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}
