import type { Settings } from '../levers.ts';
import { actInRun, type Recorded, type Run, replay, startRun, stepRun } from '../run.ts';
import { textOf } from '../scenario.ts';
import { SCENARIOS, scenarioNamed } from '../scenarios.ts';
import { startWorld } from '../start-world.ts';
import { type Shown, type ShownState, show } from '../view.ts';
import type { ClientMessage, MessageId, ResumeMessage, StartMessage } from './client-message.ts';
import { PROTOCOL_LIMITS } from './limits.ts';
import { refuse } from './refusal.ts';
import type { ScenarioList } from './server-message.ts';

/** The state of a connection's simulation. Immutable: keeping the previous value undoes a change. */
export interface Session {
  /** Null before the first start. */
  run: Run | null;
  isRunning: boolean;
  /** ms between two ticks. */
  pace: number;
  /** Whether updates have forecasts. */
  outlooks: boolean;
  /** When the next tick is due, ms; null if none is. */
  due: number | null;
  /** The first tick of which the next update shows the log; null: its own. */
  since: number | null;
}

export const NEW_SESSION: Session = {
  run: null,
  isRunning: false,
  pace: PROTOCOL_LIMITS.pace.start,
  outlooks: false,
  due: null,
  since: null,
};

/** The client's view of its run: the schema of the same name, as computed by the engine. */
export interface SimulationUpdate extends Omit<Shown, 'current_state'> {
  type: 'simulation_update';
  current_state: ShownState & { is_running: boolean; pace_ms: number };
  /** Added by the service. */
  resume_token?: string | null;
  /** In the answer to a message with an id. */
  reply_to?: MessageId;
}

/** The session after a message or a tick, and the reply to the client; null: no reply. */
export interface Reply {
  session: Session;
  answer: 'update' | 'scenarios' | null;
  /** The id of the message that is answered. */
  replyTo?: MessageId;
}

/** Creates and advances runs. An implementation may share runs between clients. */
export interface RunFactory {
  start: (scenario: string, seed: number, settings?: Settings) => Run;
  /** Advances by one tick. Returns the same run if it is over. */
  step: (run: Run) => Run;
}

const EACH_ITS_OWN: RunFactory = { start: startRun, step: stepRun };

export interface SessionContext {
  /** ms from any origin */
  now: number;
  /** A seed for a start without one. */
  newSeed: () => number;
  /** The run of a resume token. Throws a SimulationRefusal. Without it, no run is resumed. */
  openToken?: (token: string) => Recorded;
  runs?: RunFactory;
}

/** Handles a message. Throws a SimulationRefusal or a SimulationFault; the session is then unchanged. */
export function receive(session: Session, message: ClientMessage, surroundings: SessionContext): Reply {
  const reply = message.id === undefined ? {} : { replyTo: message.id };
  if (message.action === 'list_scenarios') return { ...reply, session, answer: 'scenarios' };
  return { ...reply, session: follow(session, message, surroundings), answer: 'update' };
}

function follow(
  before: Session,
  message: Exclude<ClientMessage, { action: 'list_scenarios' }>,
  surroundings: SessionContext,
): Session {
  const session = { ...before, since: null };
  const { now, runs = EACH_ITS_OWN } = surroundings;
  switch (message.action) {
    case 'start_simulation':
      return started(session, message, surroundings);
    case 'resume':
      return resumed(session, message, surroundings);
    case 'take_action':
      return { ...session, run: actInRun(runOf(session), message.name, message.parameters) };
    case 'step':
      return settled({
        ...session,
        run: stepped(unfinished(session), message.ticks, runs),
        since: session.run!.world.tick + 1,
      });
    case 'run': {
      const pace = message.pace_ms ?? session.pace;
      return { ...session, run: unfinished(session), isRunning: true, pace, due: now + pace };
    }
    case 'pause':
      return { ...session, run: runOf(session), isRunning: false, due: null };
    case 'reset': {
      const { scenario, seed, settings } = runOf(session);
      const due = session.isRunning ? now + session.pace : null;
      return { ...session, run: runs.start(scenario.name, seed, settings), due };
    }
  }
}

/** Advances to `now`, by at most one tick, so that a slow client is not flooded. */
export function elapse(session: Session, now: number, runs: RunFactory = EACH_ITS_OWN): Reply {
  if (session.run === null || session.due === null || now < session.due) return { session, answer: null };
  const due = nextBeat(session.due, session.pace, now);
  return {
    session: settled({ ...session, run: runs.step(session.run), due, since: null }),
    answer: 'update',
  };
}

/** The next due time: on schedule if possible, otherwise counted from now. */
export function nextBeat(due: number, pace: number, now: number): number {
  return Math.max(due + pace, now);
}

/** The content of a reply; null for none. */
export function messageOf({ session, answer, replyTo }: Reply): SimulationUpdate | ScenarioList | null {
  if (answer === null) return null;
  const message = answer === 'update' ? updateOf(session) : listScenarios();
  return replyTo === undefined ? message : { ...message, reply_to: replyTo };
}

function started(session: Session, message: StartMessage, surroundings: SessionContext): Session {
  const { now, newSeed, runs = EACH_ITS_OWN } = surroundings;
  const { scenario, seed = newSeed(), settings = {}, actions = [], tick } = message;
  if (message.seed === undefined && (message.actions ?? tick) !== undefined)
    throw refuse(
      'missing_seed',
      'seed: expected that of the run whose actions or tick are given; found nothing.',
    );
  const isFromStart = actions.length === 0 && tick === undefined;
  const run = isFromStart
    ? runs.start(scenario, seed, settings)
    : replay({ scenario, seed, settings, actions, ...(tick === undefined ? {} : { tick }) });
  return begun(session, run, message, now);
}

function resumed(session: Session, message: ResumeMessage, surroundings: SessionContext): Session {
  const { now, openToken, runs = EACH_ITS_OWN } = surroundings;
  if (!openToken) throw refuse('invalid_token', 'Only the service can check a token.');
  const { scenario, seed, settings = {}, actions, ...recorded } = openToken(message.token);
  const tick = message.tick ?? recorded.tick ?? 0;
  // After a failover, everyone who watches the same run comes at once.
  const run =
    actions.length === 0 && tick <= scenarioNamed(scenario).horizon
      ? stepped(runs.start(scenario, seed, settings), tick, runs)
      : replay({ scenario, seed, settings, actions, tick });
  return begun(session, run, message, now);
}

function begun(session: Session, run: Run, message: StartMessage | ResumeMessage, now: number): Session {
  const { pace_ms: pace = session.pace, paused, outlooks = false } = message;
  const isRunning = paused !== true;
  return settled({ run, isRunning, pace, outlooks, due: isRunning ? now + pace : null, since: null });
}

function stepped(run: Run, ticks: number, runs: RunFactory): Run {
  let next = run;
  for (let count = 0; count < ticks && next.world.ending === null; count += 1) next = runs.step(next);
  return next;
}

/** A run that is over does not advance automatically. */
function settled(session: Session): Session {
  return session.run?.world.ending == null ? session : { ...session, isRunning: false, due: null };
}

function runOf({ run }: Session): Run {
  if (run === null)
    throw refuse(
      'not_started',
      'Send start_simulation first; list_scenarios returns the available scenarios.',
    );
  return run;
}

function unfinished(session: Session): Run {
  const run = runOf(session);
  if (run.world.ending !== null) throw refuse('simulation_over', 'The simulation has come to its end.');
  return run;
}

export function updateOf(session: Session): SimulationUpdate {
  const { outlooks, since } = session;
  const shown = show(runOf(session), { outlooks, ...(since === null ? {} : { since }) });
  const { isRunning: is_running, pace: pace_ms } = session;
  const current_state = { ...shown.current_state, is_running, pace_ms };
  return { type: 'simulation_update', ...shown, current_state };
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
        story: [...story],
        horizon,
        endings: endings.length,
      };
    }),
  };
}
