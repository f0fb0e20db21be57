import type { ClientMessage } from '../../../simulation/protocol/client-message.ts';
import type { SimulationUpdate } from '../../../simulation/protocol/session.ts';
import { isServed } from '../live/is-served.ts';
import { localStage } from './local-stage.ts';
import { socketStage } from './socket-stage.ts';
import type { Stage, Told } from './stage.ts';

/** Codes with which the service says that it does not want to, and not that something is wrong. */
const UNWILLING: ReadonlySet<string> = new Set([
  'rate_limited',
  'request_not_counted',
  'internal_error',
  'too_many_messages',
]);

export interface OpenStage extends Stage {
  /** Whether the service plays. */
  isServed: () => boolean;
}

/**
 * The service where it answers, else the page itself. A run that the service does not start, or that it loses, goes on in the
 * page: the engine is the same, so nobody need notice. `resume`: the start that leads to where the run is now.
 */
export async function openStage(told: Told, resume: () => ClientMessage | null): Promise<OpenStage> {
  const here = localStage(told);
  let there: Stage | null = null;
  let isOver = false;
  let started: ClientMessage | null = null;
  const moveHere = (message: ClientMessage | null) => {
    const left = there;
    there = null;
    left?.close();
    if (message && !isOver) here.say(message);
  };
  const served = {
    update(update: SimulationUpdate) {
      started = null;
      told.update(update);
    },
    refused(code: string, detail: string) {
      if (there && UNWILLING.has(code)) moveHere(started ?? resume());
      else told.refused(code, detail);
    },
  };
  if (await isServed()) there = await socketStage(served, () => there && moveHere(resume()));
  return {
    isServed: () => there !== null,
    say(message) {
      started = 'scenario' in message ? message : null;
      (there ?? here).say(message);
    },
    close() {
      isOver = true;
      here.close();
      there?.close();
    },
  };
}
