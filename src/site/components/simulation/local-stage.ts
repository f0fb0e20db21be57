import { errorMessage } from '../../../simulation/protocol/refusal.ts';
import {
  elapse,
  messageOf,
  NEW_SESSION,
  type Reply,
  receive,
  type SimulationUpdate,
} from '../../../simulation/protocol/session.ts';
import type { Stage, Told } from './stage.ts';

const SEEDS = 16;

/** The service’s own engine and sessions, in the page: for a copy of the site without a service, and where it cannot be reached. */
export function localStage(told: Told): Stage {
  let session = NEW_SESSION;
  let timer = 0;
  const adopt = (reply: Reply) => {
    session = reply.session;
    clearTimeout(timer);
    if (session.due !== null) {
      const wait = Math.max(0, session.due - performance.now());
      timer = window.setTimeout(() => adopt(elapse(session, performance.now())), wait);
    }
    if (reply.answer === 'update') told.update(messageOf(reply) as SimulationUpdate);
  };
  return {
    say(message) {
      try {
        const newSeed = () => 1 + Math.floor(Math.random() * SEEDS);
        adopt(receive(session, message, { now: performance.now(), newSeed }));
      } catch (error) {
        const refused = errorMessage(error);
        if (!refused) throw error;
        told.refused(refused.problem.code, refused.problem.detail);
      }
    },
    close: () => clearTimeout(timer),
  };
}
