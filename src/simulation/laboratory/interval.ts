/** The 97.5 % point of the normal distribution. */
const Z = 1.959964;

/**
 * The 95 % interval of a share after `count` of `total`, by E. B. Wilson (1927), doi:10.1080/01621459.1927.10502953. Unlike the simple
 * one, it is not empty when the count is 0 or all. `total` is at least 1.
 */
export function wilsonInterval(count: number, total: number): { low: number; high: number } {
  const share = count / total;
  const square = (Z * Z) / total;
  const middle = share + square / 2;
  const half = Z * Math.sqrt((share * (1 - share)) / total + square / (4 * total));
  const low = (middle - half) / (1 + square);
  const high = (middle + half) / (1 + square);
  // Rounding could leave a trace of −0 or 1.0000000000000002.
  return { low: count === 0 ? 0 : low, high: count === total ? 1 : high };
}
