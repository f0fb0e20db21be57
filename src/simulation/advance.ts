import { applyChange } from './change.ts';
import { expireDecisions, openDecisions } from './decisions.ts';
import { deliberate } from './deliberation.ts';
import { type Draws, drawsOf, QUIET } from './draws.ts';
import { advanceEconomy } from './economy.ts';
import { exchangeViews } from './opinions.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

/** Computes one tick, which is a cycle (a day). Does nothing after an ending. */
export function advance(world: World, scenario: Scenario, seed: number): World {
  return world.ending === null ? tick(world, scenario, drawsOf(seed, world.tick + 1)) : world;
}

/** Computes the given number of ticks as a forecast: without chance and without actions. */
export function forecast(world: World, scenario: Scenario, ticks: number): World {
  let next = world;
  for (let count = 0; count < ticks && next.ending === null; count += 1) next = tick(next, scenario, QUIET);
  return next;
}

function tick(world: World, scenario: Scenario, draws: Draws): World {
  const begun = { ...world, tick: world.tick + 1, happened: [] };
  const happened = happen(expireDecisions(begun, scenario), scenario);
  const moved = advanceEconomy(exchangeViews(happened), draws);
  return finish(openDecisions(deliberate(moved, scenario), scenario), scenario);
}

function happen(world: World, { events = [] }: Scenario): World {
  let next = world;
  for (const { name, when, change } of events) {
    if (next.past.includes(name) || !when(next)) continue;
    const changed = applyChange(next, typeof change === 'function' ? change(next) : change);
    next = { ...changed, past: [...next.past, name] };
  }
  return next;
}

function finish(world: World, { horizon, endings }: Scenario): World {
  if (world.tick < horizon) return world;
  const reached = endings.find(({ isReached }) => isReached(world)) ?? endings.at(-1)!;
  return { ...world, open: [], ending: reached.name };
}
