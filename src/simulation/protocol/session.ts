import { SimulationFault } from '../fault.ts';
import { actInRun, type Run, replay, startRun, stepRun } from '../run.ts';
import { textOf } from '../scenario.ts';
import { SCENARIOS } from '../scenarios.ts';
import { startWorld } from '../start-world.ts';
import { type Playing, updateOfRun } from '../view.ts';
import { type ClientMessage, PROTOCOL_LIMITS, type StartMessage } from './client-message.ts';
import type { ScenarioList, SimulationUpdate } from './server-message.ts';

/** The state of a connection's simulation. Immutable: keeping the previous value undoes a change. */
export interface Session extends Playing {
  /** Null before the first start. */
  run: Run | null;
}

export const NEW_SESSION: Session = {
  run: null,
  pace: PROTOCOL_LIMITS.pace.start,
  outlooks: false,
  due: null,
  since: null,
};

export interface SessionContext {
  /** ms from any origin */
  now: number;
  /** A seed for a start without one. */
  newSeed: () => number;
}

/** The session after a message. Throws a SimulationFault; the session before it goes on. */
export function receive(before: Session, message: ClientMessage, { now, newSeed }: SessionContext): Session {
  const session = { ...before, since: null };
  switch (message.action) {
    case 'list_scenarios':
      return before;
    case 'start_simulation': {
      const { pace_ms: pace = session.pace, paused, outlooks = false } = message;
      const due = paused === true ? null : now + pace;
      return settled({ run: started(message, newSeed), pace, outlooks, due, since: null });
    }
    case 'take_action':
      return { ...session, run: actInRun(runOf(session), message.name, message.parameters) };
    case 'step': {
      const run = unfinished(session);
      return settled({ ...session, run: stepRun(run, message.ticks), since: run.world.tick + 1 });
    }
    case 'run': {
      const pace = message.pace_ms ?? session.pace;
      return { ...session, run: unfinished(session), pace, due: now + pace };
    }
    case 'pause':
      return { ...session, run: runOf(session), due: null };
    case 'reset': {
      const { scenario, seed, settings } = runOf(session);
      const due = session.due === null ? null : now + session.pace;
      return { ...session, run: startRun(scenario.name, seed, settings), due };
    }
  }
}

/** Advances to `now`, by at most one tick, so that a slow client is not flooded. The same session where no tick is due. */
export function elapse(session: Session, now: number): Session {
  if (session.run === null || session.due === null || now < session.due) return session;
  // On schedule if possible, otherwise counted from now.
  const due = Math.max(session.due + session.pace, now);
  return settled({ ...session, run: stepRun(session.run), due, since: null });
}

/** The answer to a message that was received. */
export function answerTo({ action, id }: ClientMessage, session: Session): SimulationUpdate | ScenarioList {
  const answer = action === 'list_scenarios' ? listScenarios() : updateOf(session);
  return id === undefined ? answer : { ...answer, reply_to: id };
}

function started({ scenario, seed, settings = {}, actions, tick }: StartMessage, newSeed: () => number): Run {
  if (seed === undefined && (actions ?? tick) !== undefined)
    throw new SimulationFault(
      'missing_seed',
      'seed: expected that of the run whose actions or tick are given; found nothing.',
    );
  return replay({
    scenario,
    seed: seed ?? newSeed(),
    settings,
    actions: actions ?? [],
    ...(tick === undefined ? {} : { tick }),
  });
}

/** A run that is over does not advance automatically. */
function settled(session: Session): Session {
  return session.run?.world.ending == null ? session : { ...session, due: null };
}

function runOf({ run }: Session): Run {
  if (run === null)
    throw new SimulationFault(
      'not_started',
      'Send start_simulation first; list_scenarios returns the available scenarios.',
    );
  return run;
}

function unfinished(session: Session): Run {
  const run = runOf(session);
  if (run.world.ending !== null)
    throw new SimulationFault('simulation_over', 'The simulation has come to its end.');
  return run;
}

/** What is told after a tick. Throws a SimulationFault if nothing was started. */
export function updateOf(session: Session): SimulationUpdate {
  return updateOfRun(runOf(session), session);
}

function listScenarios(): ScenarioList {
  return {
    type: 'scenario_list',
    scenarios: SCENARIOS.map((scenario) => {
      const { name, title, question, story, horizon, endings } = scenario;
      return {
        name,
        title,
        question: textOf(question, startWorld(scenario, 1)),
        story,
        horizon,
        endings: endings.length,
      };
    }),
  };
}
