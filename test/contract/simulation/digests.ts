import { createHash } from 'node:crypto';
import type { Played } from './player.ts';

/** Ten seeds a line: every plan of a player is among them. */
const GROUP = 10;
const LINES = 20;
export const SEEDS = Array.from({ length: LINES * GROUP }, (_, i) => i + 1);
export const DIGESTS = new URL('./digests.txt', import.meta.url);

/** Lines whose seeds together reach each ending of a scenario and say each of its sentences. */
const ENOUGH: Readonly<Record<string, readonly number[]>> = {
  cathedral_multiplier_proposal: [0, 1, 9],
  emergency_protocol_activation: [0, 1, 3],
  sentinel_disagreement: [0, 1, 3],
  economic_failure_cascade: [0, 1, 18],
  model_drift: [0, 4, 5],
  conflicting_incentives: [0, 4, 10],
  moral_dilemma: [0, 1, 3],
};

export function enoughSeeds(scenario: string): number[] {
  return ENOUGH[scenario]!.flatMap((line) => SEEDS.slice(line * GROUP, (line + 1) * GROUP));
}

/** A line for each ten of the runs, which are in the order of their seeds: the SHA-256 of all their messages. */
export function digestLines(scenario: string, runs: readonly Played[]): string[] {
  return Array.from({ length: runs.length / GROUP }, (_, group) => {
    const ten = runs.slice(group * GROUP, (group + 1) * GROUP);
    const hash = createHash('sha256');
    for (const { texts } of ten) for (const text of texts) hash.update(text);
    const [first, last] = [ten[0], ten.at(-1)].map((run) => run!.story.end.seed);
    return `${scenario} ${first}-${last} ${hash.digest('hex')}`;
  });
}
