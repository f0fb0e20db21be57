import type { ClientMessage } from '../../simulation/protocol/client-message.ts';
import { errorMessage } from '../../simulation/protocol/refusal.ts';
import type { SimulationError } from '../../simulation/protocol/server-message.ts';
import {
  elapse,
  messageOf,
  NEW_SESSION,
  type Reply,
  receive,
  type SimulationUpdate,
} from '../../simulation/protocol/session.ts';
import { isServed } from '../layout/live/is-served.ts';

/** How long to wait for the service, ms. */
const PATIENCE = 4000;

/** The service’s simulation once connected; null without one. Calls `lost` with the close code when an open connection ends. */
function socketStage(told: Told, lost: (code: number) => void): Promise<Stage | null> {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/philosophy/simulation`);
  return new Promise((resolve) => {
    const giveUp = () => {
      resolve(null);
      socket.close();
    };
    const patience = setTimeout(giveUp, PATIENCE);
    let isOpen = false;
    socket.addEventListener('open', () => {
      clearTimeout(patience);
      isOpen = true;
      resolve({ say: (message) => socket.send(JSON.stringify(message)), close: () => socket.close() });
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const message = JSON.parse(data) as SimulationUpdate | SimulationError;
      if (message.type === 'simulation_update') told.update(message);
      if (message.type === 'simulation_error') told.refused(message.problem.code, message.problem.detail);
    });
    socket.addEventListener('close', ({ code }) => {
      clearTimeout(patience);
      if (isOpen) lost(code);
      resolve(null);
    });
  });
}

const SEEDS = 16;

/** The service’s engine and sessions in the page, for static copies and for when the service is unreachable. */
function localStage(told: Told): Stage {
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

/**
 * Why the page plays a run itself: there is no service, only files; the service cannot be reached, or the connection was lost; this
 * network has reached a limit; or the service cannot start or continue the run at present.
 */
export type WhyHere = 'no_service' | 'offline' | 'limit' | 'unable';

/** Codes with which the service declines a valid message, by what they mean for the reader. */
const UNWILLING: ReadonlyMap<string, WhyHere> = new Map([
  ['rate_limited', 'limit'],
  ['too_many_connections', 'limit'],
  ['too_many_messages', 'limit'],
  ['too_many_resumes', 'limit'],
  ['request_not_counted', 'unable'],
  ['internal_error', 'unable'],
  ['invalid_token', 'unable'],
  ['token_expired', 'unable'],
  ['resume_unavailable', 'unable'],
]);

/** The server shuts down or restarts, or the network broke: another server, or the same one later, can continue the run. */
const RESUMABLE: ReadonlySet<number> = new Set([1001, 1006, 1012, 1013]);
/** Before each attempt to reconnect, ms, and up to as much again: a server that shuts down has many clients. */
const RECONNECT_AFTER = [250, 1000, 2000];

export interface OpenStage extends Stage {
  /** Whether the service runs it. */
  isServed: () => boolean;
  /** Null while the service runs it. */
  whyHere: () => WhyHere | null;
}

/**
 * Uses the service if it answers, otherwise the page itself. If a connection ends, the service continues the run on the next one.
 * If it rejects or loses a run, the page
 * continues it with the same engine, so readers need not notice. `resume` returns the start message that leads to the run's current
 * state.
 */
export async function openStage(told: Told, resume: () => ClientMessage | null): Promise<OpenStage> {
  const here = localStage(told);
  let there: Stage | null = null;
  let isOver = false;
  let started: ClientMessage | null = null;
  let token: string | null = null;
  /** What the reader does while the run has no connection. */
  const waiting: ClientMessage[] = [];
  let attempts = 0;
  let whyHere: WhyHere = 'no_service';
  const moveHere = (message: ClientMessage | null, why: WhyHere) => {
    const left = there;
    there = null;
    whyHere = why;
    left?.close();
    if (isOver) return;
    for (const one of [...(message ? [message] : []), ...waiting.splice(0)]) here.say(one);
  };
  const served = {
    update(update: SimulationUpdate) {
      started = null;
      attempts = 0;
      if (update.resume_token !== undefined) token = update.resume_token;
      told.update(update);
    },
    refused(code: string, detail: string) {
      // A start that waits for a connection follows by itself.
      // The page has checked the run that it starts: a service that refuses it is of another version.
      const why = UNWILLING.get(code) ?? (started ? 'unable' : undefined);
      if (there && why) moveHere((waiting.length === 0 && started) || resume(), why);
      else told.refused(code, detail);
    },
  };
  const lost = (code: number) => {
    if (!there || isOver) return;
    const start = resume();
    if (token === null || start?.action !== 'start_simulation' || !RESUMABLE.has(code))
      return moveHere(start, 'offline');
    const { tick, paused, pace_ms, outlooks } = start;
    void reconnect({ action: 'resume', token, tick, paused, pace_ms, outlooks });
  };
  const reconnect = async (resumption: ClientMessage) => {
    let stage: Stage | null = null;
    const gap: Stage = { say: (message) => void waiting.push(message), close: () => stage?.close() };
    there = gap;
    const update = (update: SimulationUpdate) => {
      const isFirst = there === gap;
      if (isFirst) there = stage;
      served.update(update);
      if (isFirst) for (const message of waiting.splice(0)) stage!.say(message);
    };
    while (!stage && attempts < RECONNECT_AFTER.length) {
      const pause = RECONNECT_AFTER[attempts]! * (1 + Math.random());
      attempts += 1;
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (isOver) return;
      stage = await socketStage({ ...served, update }, lost);
    }
    if (isOver) stage?.close();
    else if (stage) stage.say(resumption);
    else moveHere(resume(), 'offline');
  };
  if (await isServed()) {
    there = await socketStage(served, lost);
    whyHere = 'offline';
  }
  return {
    isServed: () => there !== null,
    whyHere: () => (there ? null : whyHere),
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

export interface Told {
  update: (update: SimulationUpdate) => void;
  /** A rejected message; the run continues unchanged. */
  refused: (code: string, detail: string) => void;
}

/** Where a run takes place: in the service or in the page. Both use the same messages. */
interface Stage {
  say: (message: ClientMessage) => void;
  close: () => void;
}
