import { applyChange, changeOf } from './change.ts';
import { closeMoot, expireDecisions, openDecisions } from './decisions.ts';
import { deliberate } from './deliberation.ts';
import { type Chance, chanceOf, chanceOfFuture } from './draws.ts';
import { advanceEconomy } from './economy.ts';
import { exchangeViews } from './opinions.ts';
import { always, hazardOf, isDecided, type Scenario } from './scenario.ts';
import type { World } from './world.ts';

/** Ticks from the last possible event to the end of a run: enough to see what came of it. */
export const AFTERMATH = 3;

/** Computes one tick, which is a cycle (a day). Does nothing after an ending. */
export function advance(world: World, scenario: Scenario, seed: number): World {
  return world.ending === null ? tick(world, scenario, chanceOf(seed, world.tick + 1)) : world;
}

/** Computes the given number of ticks without actions, by the chance of one of many futures. */
export function forecast(world: World, scenario: Scenario, ticks: number, future: number): World {
  let next = world;
  for (let count = 0; count < ticks && next.ending === null; count += 1)
    next = tick(next, scenario, chanceOfFuture(future, next.tick + 1));
  return next;
}

function tick(world: World, scenario: Scenario, chance: Chance): World {
  const begun = { ...world, tick: world.tick + 1 };
  const happened = happen(expireDecisions(begun, scenario), scenario, chance);
  const moved = advanceEconomy(exchangeViews(happened), chance.noise);
  const deliberated = closeMoot(deliberate(moved, scenario), scenario);
  return finish(openDecisions(deliberated, scenario), scenario);
}

function happen(world: World, { events }: Scenario, { hazards }: Chance): World {
  let next = world;
  for (const event of events) {
    const { name, when, hazard, change } = event;
    // Drawn for each event in each tick, so that the draws of one do not depend on the others.
    const draw = hazard === undefined ? 0 : hazards();
    if (next.past.includes(name) || !when(next)) continue;
    if (draw >= hazardOf(event, next)) continue;
    const changed = applyChange(next, changeOf(change, next));
    next = { ...changed, past: [...next.past, name] };
  }
  return next;
}

function finish(world: World, scenario: Scenario): World {
  const settled = world.settled ?? (isSettled(world, scenario) ? world.tick : null);
  const isOver = world.tick >= scenario.horizon || (settled !== null && world.tick >= settled + AFTERMATH);
  if (!isOver) return settled === world.settled ? world : { ...world, settled };
  const { endings } = scenario;
  const reached = endings.find(({ isReached = always }) => isReached(world))!;
  return { ...world, settled, open: [], ending: reached.name };
}

/** Whether nothing more can happen. */
function isSettled(world: World, scenario: Scenario): boolean {
  return isDecided(world) && world.open.length === 0 && scenario.isSettled(world);
}
