import type { ClientMessage } from '../../simulation/protocol/client-message.ts';
import type { SimulationUpdate } from '../../simulation/protocol/session.ts';
import type { Run } from '../../simulation/run.ts';
import type { Parameters } from '../../simulation/scenario.ts';
import { type Shown, show } from '../../simulation/view.ts';
import { describeChange } from './describe-change.ts';
import type { Prediction } from './predictions.ts';
import { courseOf, hasNews, nextStop, type RecordedRun, upTo } from './run-address.ts';
import { type OpenStage, openStage, type WhyHere } from './stages.ts';

/** The state that the page shows. */
export interface Playing {
  run: RecordedRun;
  /** The run after each tick, indexed by tick, and what is shown of it. */
  course: readonly Run[];
  history: readonly Shown[];
  /** The tick shown; the latest unless the reader looks back. */
  looked: number;
  /** False while the story is told and nothing has been played. */
  isStarted: boolean;
  isRunning: boolean;
  predictions: readonly Prediction[];
  kept: Kept | null;
  /** Where it is played: null in the service, otherwise the reason why it is played in the page. */
  local: WhyHere | null;
}

interface Kept {
  run: RecordedRun;
  history: readonly Shown[];
}

/** What the reader is doing. */
export type State = 'story' | 'back' | 'ended' | 'decision' | 'running' | 'paused';

export function stateOf({ isStarted, isRunning, looked, run, course }: Playing): State {
  if (!isStarted) return 'story';
  if (looked < run.tick) return 'back';
  const { world } = course.at(-1)!;
  if (world.ending !== null) return 'ended';
  if (world.open.length > 0) return 'decision';
  return isRunning ? 'running' : 'paused';
}

/** What is shown of a run, kept, because a page shows each tick many times. */
const SHOWN = new WeakMap<Run, Shown>();

export function shownOf(run: Run): Shown {
  const known = SHOWN.get(run) ?? show(run, { outlooks: false });
  SHOWN.set(run, known);
  return known;
}

/** Plays one run, next to at most one kept run. Calls `show` after each change, and `tell` with messages for the reader. */
export class Player {
  readonly #show: (playing: Playing) => void;
  readonly #tell: (words: string, isFault: boolean) => void;
  #stage: Promise<OpenStage> | null = null;
  #open: OpenStage | null = null;
  #playing: Playing | null = null;
  /** After the reader has decided, the run goes on by itself. */
  #goesOn = false;
  stopsAtDecisions = true;
  /** ms between two ticks. */
  pace: number;

  constructor(
    show: (playing: Playing) => void,
    tell: (words: string, isFault: boolean) => void,
    pace: number,
  ) {
    this.#show = show;
    this.#tell = tell;
    this.pace = pace;
  }

  get playing(): Playing | null {
    return this.#playing;
  }

  /** Shows the beginning of a run that the reader has yet to start. */
  prepare(run: RecordedRun, kept: RecordedRun | null = null): void {
    if (this.#playing?.isRunning) void this.#say({ action: 'pause' });
    const course = courseOf({ ...run, actions: [], tick: 0 });
    this.#playing = {
      run: { ...run, actions: [], tick: 0 },
      course,
      history: course.map(shownOf),
      looked: 0,
      isStarted: false,
      isRunning: false,
      predictions: [],
      kept: kept ? keptOf(kept) : (this.#playing?.kept ?? null),
      local: null,
    };
    this.#show(this.#playing);
  }

  /** Starts the prepared run, which runs to the first decision. */
  begin(expected: Prediction['expected'] | null): void {
    const { run } = this.#playing!;
    this.#expect({ tick: 0, decision: null, about: 'proposal' }, expected);
    void this.#say(startOf(run, false, this.pace));
  }

  /** Continues a recorded run at its tick, paused. */
  resume(run: RecordedRun, kept: RecordedRun | null = null): void {
    this.prepare(run, kept);
    void this.#say(startOf(run, true, this.pace));
  }

  /** Takes an action. One that answers a decision lets the run go on. */
  act(name: string, parameters: Parameters, decision: string | null): void {
    this.#goesOn = decision !== null;
    void this.#say({ action: 'take_action', name, parameters: { ...parameters } });
  }

  /** Records what the reader expects of a choice. */
  expect(about: Prediction['about'], decision: string, expected: Prediction['expected'] | null): void {
    this.#expect({ tick: this.#playing!.run.tick, decision, about }, expected);
  }

  run(): void {
    void this.#say({ action: 'run', pace_ms: this.pace });
  }

  pause(): void {
    void this.#say({ action: 'pause' });
  }

  /** To the next decision, vote or end. */
  toNextStop(): void {
    const now = this.#playing!.course.at(-1)!;
    this.step(nextStop(now) - now.world.tick);
  }

  step(ticks: number): void {
    if (this.#playing!.isRunning) this.pause();
    void this.#say({ action: 'step', ticks });
  }

  lookAt(tick: number): void {
    this.#change({ looked: tick });
  }

  /** Starts another run at a tick, with all earlier actions. */
  branch(tick: number): void {
    const { run, predictions } = this.#playing!;
    const branched = upTo(run, tick);
    this.#playing = {
      ...this.#playing!,
      predictions: predictions.filter((one) => one.decision === null || one.tick < tick),
    };
    void this.#say(startOf(branched, true, this.pace));
  }

  keep(): void {
    if (!this.#playing) return;
    this.#change({ kept: keptOf(this.#playing.run) });
    this.#tell('This run is kept. Branch or start another run to compare the two.', false);
  }

  forget(): void {
    this.#change({ kept: null });
  }

  async #say(message: ClientMessage): Promise<void> {
    this.#stage ??= openStage(
      {
        update: (update) => this.#hear(update),
        refused: (_, detail) => {
          this.#goesOn = false;
          this.#tell(detail, true);
        },
      },
      () => this.#resumption(),
    );
    this.#open = await this.#stage;
    this.#open.say(message);
  }

  #hear({ scenario, seed, tick, current_state: state }: SimulationUpdate): void {
    const before = this.#playing!;
    const run: RecordedRun = { scenario, seed, settings: state.settings, actions: [...state.actions], tick };
    // The page has the same engine, so it computes what it shows instead of storing updates.
    const course = courseOf(run);
    const isSame = before.isStarted && continues(before.run, run);
    const earlier = isSame ? before.course.at(-1) : undefined;
    this.#playing = {
      ...before,
      run,
      course,
      history: course.map(shownOf),
      looked: tick,
      isStarted: true,
      isRunning: state.is_running,
      local: this.#open?.whyHere() ?? null,
    };
    this.#follow(earlier, course.at(-1)!);
    this.#show(this.#playing);
    const words = describeChange(earlier && shownOf(earlier), shownOf(course.at(-1)!));
    if (words) this.#tell(words, false);
  }

  /** Goes on after a decision, and stops where there is something new. */
  #follow(earlier: Run | undefined, now: Run): void {
    const { isRunning } = this.#playing!;
    const hasActed = earlier !== undefined && now.actions.length > earlier.actions.length;
    if (hasActed && this.#goesOn) {
      this.#goesOn = false;
      if (now.world.open.length === 0 && now.world.ending === null) this.run();
      return;
    }
    const isNew = earlier ? hasNews(earlier.world, now.world) : now.world.open.length > 0;
    if (isRunning && isNew && this.stopsAtDecisions) {
      this.#playing = { ...this.#playing!, isRunning: false };
      this.pause();
    }
  }

  #expect(about: Omit<Prediction, 'expected'>, expected: Prediction['expected'] | null): void {
    if (expected === null || !this.#playing) return;
    const others = this.#playing.predictions.filter(({ decision }) => decision !== about.decision);
    this.#playing = { ...this.#playing, predictions: [...others, { ...about, expected }] };
  }

  #change(part: Partial<Playing>): void {
    if (!this.#playing) return;
    this.#playing = { ...this.#playing, ...part };
    this.#show(this.#playing);
  }

  #resumption(): ClientMessage | null {
    if (!this.#playing?.isStarted) return null;
    const { run, isRunning } = this.#playing;
    return startOf(run, !isRunning, this.pace);
  }
}

function keptOf(run: RecordedRun): Kept {
  return { run, history: courseOf(run).map(shownOf) };
}

/** Whether `now` is the same run, as far or farther. */
function continues(before: RecordedRun, now: RecordedRun): boolean {
  return (
    before.scenario === now.scenario &&
    before.seed === now.seed &&
    now.tick >= before.tick &&
    now.actions.length >= before.actions.length
  );
}

function startOf(
  { actions, settings = {}, ...run }: RecordedRun,
  paused: boolean,
  pace: number,
): ClientMessage {
  const done = actions.map((action) => ({ ...action, parameters: { ...action.parameters } }));
  return {
    action: 'start_simulation',
    ...run,
    settings: { ...settings },
    ...(done.length > 0 ? { actions: done } : {}),
    paused,
    pace_ms: pace,
  };
}
