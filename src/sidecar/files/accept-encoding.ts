export type Encoding = 'br' | 'gzip';

/** The best first: brotli is the smaller one. */
const PREFERRED: readonly Encoding[] = ['br', 'gzip'];

/**
 * The encoding to send, out of those there are; null: the file as it is. Of several with the same weight the smaller
 * one (RFC 9110 §12.5.3). The file as it is needs no mention, so it is never refused.
 */
export function chooseEncoding(header: string | undefined, available: readonly Encoding[]): Encoding | null {
  if (header === undefined) return null;
  const weights = parseWeights(header);
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const asItIs = weights.get('identity') ?? 0;
  let best: Encoding | null = null;
  for (const encoding of PREFERRED) {
    if (!available.includes(encoding) || weightOf(encoding) < asItIs || weightOf(encoding) === 0) continue;
    if (best === null || weightOf(encoding) > weightOf(best)) best = encoding;
  }
  return best;
}

/** `gzip;q=0.5, br` → gzip 0.5, br 1. What is not of that form counts as absent. */
function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [, name, q] = /^\s*([\w*-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(item) ?? [];
    if (name !== undefined) weights.set(name === 'x-gzip' ? 'gzip' : name, Math.min(1, Number(q ?? 1)));
  }
  return weights;
}
