import type { ClientMessage } from '../../../simulation/protocol/client-message.ts';
import type { SimulationUpdate } from '../../../simulation/protocol/session.ts';
import type { Shown } from '../../../simulation/view.ts';
import { describeChange } from './describe-change.ts';
import { historyOf, type RecordedRun, upTo } from './run-address.ts';
import { type OpenStage, openStage } from './stages.ts';

/** The state that the page shows. */
export interface Playing {
  update: SimulationUpdate;
  run: RecordedRun;
  /** Indexed by tick. */
  history: readonly Shown[];
  /** The tick shown; the latest unless the reader looks back. */
  looked: number;
  kept: Kept | null;
  isServed: boolean;
}

interface Kept {
  run: RecordedRun;
  history: readonly Shown[];
}

/** Plays one run, next to at most one kept run. Calls `show` after each change, and `tell` with messages for the reader. */
export class Player {
  readonly #show: (playing: Playing) => void;
  readonly #tell: (words: string) => void;
  #stage: Promise<OpenStage> | null = null;
  #open: OpenStage | null = null;
  #playing: Playing | null = null;
  /** The kept run until the first run starts. */
  #keptBeside: Kept | null = null;
  stopsAtDecisions = true;

  constructor(show: (playing: Playing) => void, tell: (words: string) => void) {
    this.#show = show;
    this.#tell = tell;
  }

  get playing(): Playing | null {
    return this.#playing;
  }

  async say(message: ClientMessage): Promise<void> {
    this.#stage ??= openStage(
      {
        update: (update) => this.#hear(update),
        refused: (_, detail) => this.#tell(detail),
      },
      () => this.#resumption(),
    );
    this.#open = await this.#stage;
    this.#open.say(message);
  }

  /** Starts a run from the beginning, or resumes a recorded one at its tick. */
  begin(run: Partial<RecordedRun> & { scenario: string }, paused: boolean, pace: number): Promise<void> {
    this.#look(null);
    return this.say(startOf(run, paused, pace));
  }

  lookAt(tick: number): void {
    this.#look(tick);
  }

  /** Starts another run at the tick shown, with all earlier actions. */
  branch(pace: number): Promise<void> {
    const { run, looked } = this.#playing!;
    return this.begin(upTo(run, looked), true, pace);
  }

  keep(): void {
    if (!this.#playing) return;
    const { run, history } = this.#playing;
    this.#change({ kept: { run, history } });
    this.#tell('This run is kept. Branch or start another run to compare the two.');
  }

  /** Sets the kept run before the first run starts. Throws a SimulationFault for an invalid run. */
  keepBeside(run: RecordedRun): void {
    this.#keptBeside = { run, history: historyOf(run) };
  }

  forget(): void {
    this.#change({ kept: null });
  }

  #hear(update: SimulationUpdate): void {
    const { scenario, seed, tick, current_state: state } = update;
    const run = { scenario, seed, actions: [...state.actions], tick };
    const before = this.#playing;
    // The page has the same engine, so it recomputes earlier ticks instead of storing updates.
    const history = historyOf(run);
    const kept = before ? before.kept : this.#keptBeside;
    const isServed = this.#open?.isServed() ?? false;
    this.#playing = { update, run, history, looked: tick, kept, isServed };
    const isOther =
      !before || before.run.scenario !== scenario || before.run.seed !== seed || tick < before.run.tick;
    const earlier = isOther ? undefined : before.history.at(-1);
    if (this.stopsAtDecisions && state.is_running && opensDecision(earlier, update))
      void this.say({ action: 'pause' });
    this.#show(this.#playing);
    const words = describeChange(earlier, update);
    if (words) this.#tell(words);
  }

  #look(tick: number | null): void {
    if (this.#playing) this.#change({ looked: tick ?? this.#playing.run.tick });
  }

  #change(part: Partial<Playing>): void {
    if (!this.#playing) return;
    this.#playing = { ...this.#playing, ...part };
    this.#show(this.#playing);
  }

  #resumption(): ClientMessage | null {
    if (!this.#playing) return null;
    const { run, update } = this.#playing;
    const { is_running, pace_ms } = update.current_state;
    return startOf(run, !is_running, pace_ms);
  }
}

function startOf(
  { actions = [], ...run }: Partial<RecordedRun> & { scenario: string },
  paused: boolean,
  pace: number,
): ClientMessage {
  const how = { paused, pace_ms: pace, outlooks: true };
  const done = actions.map((action) => ({ ...action, parameters: { ...action.parameters } }));
  return { action: 'start_simulation', ...run, ...(done.length > 0 ? { actions: done } : {}), ...how };
}

function opensDecision(before: Shown | undefined, now: Shown): boolean {
  const known = new Set(before?.current_state.decisions.map(({ name }) => name));
  return now.current_state.decisions.some(({ name }) => !known.has(name));
}
