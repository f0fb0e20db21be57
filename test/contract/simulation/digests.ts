import { createHash } from 'node:crypto';
import type { Played } from './player.ts';

/** Ten seeds a line. */
const GROUP = 10;
export const SEEDS = Array.from({ length: 200 }, (_, i) => i + 1);
export const DIGESTS = new URL('./digests.txt', import.meta.url);

/** A line for ten seeds: the SHA-256 of all messages of their runs. */
export function digestLines(scenario: string, runs: readonly Played[]): string[] {
  return Array.from({ length: SEEDS.length / GROUP }, (_, group) => {
    const seeds = SEEDS.slice(group * GROUP, (group + 1) * GROUP);
    const hash = createHash('sha256');
    for (const seed of seeds) for (const text of runs[seed - 1]!.texts) hash.update(text);
    return `${scenario} ${seeds[0]}-${seeds.at(-1)} ${hash.digest('hex')}`;
  });
}
