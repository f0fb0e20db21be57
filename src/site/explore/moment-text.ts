/** Microseconds since 1970 as ISO 8601, with the shortest fraction. */
export function momentText(micros: bigint): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - rest) / 1000n)).toISOString().replace(/\..*/, '');
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(6, '0').replace(/0+$/, '')}`;
  return `${seconds}${fraction}Z`;
}
