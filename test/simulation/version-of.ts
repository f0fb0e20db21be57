import { createHash } from 'node:crypto';
import type { Run } from '../../src/simulation/run.ts';
import { hazardOf } from '../../src/simulation/scenario.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import type { World } from '../../src/simulation/world.ts';
import { play } from './arbitrary-run.ts';
import { everyWay } from './every-way.ts';

const PICKS = [
  [3, 1, 4, 1, 5],
  [0, 0, 0, 0, 0],
  [2, 7, 1, 8, 2],
  [1, 2, 0, 2, 1],
];

/** Of the course of some runs in which something is done, and of every way of two seeds: of everything but the texts. */
export function versionOf(name: string): string {
  const hash = createHash('sha256');
  const add = ({ log: _, ...course }: World) => hash.update(JSON.stringify(course));
  for (const [seed, picks] of PICKS.entries()) {
    const moves = picks.map((pick) => ({ wait: 4, pick, share: 0.5 }));
    play({ scenario: name, seed: 151 + seed, moves, rest: 60 }, ({ world }: Run) => add(world));
  }
  const scenario = SCENARIOS.find((one) => one.name === name)!;
  // The probabilities too: another one may happen to change none of these runs, but it changes others.
  const likely = (world: World) =>
    (scenario.events ?? []).map((event) => (event.when(world) ? hazardOf(event, world) : 0));
  for (const seed of [151, 152]) {
    const { ways } = everyWay(scenario, seed, (world) => hash.update(JSON.stringify(likely(world))));
    for (const { end } of ways) add(end);
  }
  return hash.digest('hex').slice(0, 8);
}
