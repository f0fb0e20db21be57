import type { ClientMessage } from '../../../simulation/protocol/client-message.ts';
import type { SimulationUpdate } from '../../../simulation/protocol/session.ts';
import type { Shown } from '../../../simulation/view.ts';
import { describeChange } from './describe-change.ts';
import { historyOf, type RecordedRun, upTo } from './run-address.ts';
import { type OpenStage, openStage } from './stages.ts';

/** What the page shows. */
export interface Playing {
  update: SimulationUpdate;
  run: RecordedRun;
  /** By tick. */
  history: readonly Shown[];
  /** The tick that is looked at; the newest, unless somebody looks back. */
  looked: number;
  kept: Kept | null;
  isServed: boolean;
}

interface Kept {
  run: RecordedRun;
  history: readonly Shown[];
}

/** One run at a time, and at most one that is kept beside it. Calls `show` after each change, and `tell` with what is worth saying. */
export class Player {
  readonly #show: (playing: Playing) => void;
  readonly #tell: (words: string) => void;
  #stage: Promise<OpenStage> | null = null;
  #open: OpenStage | null = null;
  #playing: Playing | null = null;
  /** For the first run that is begun. */
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

  /** From the beginning, or where the recorded run is; then it waits. */
  begin(run: Partial<RecordedRun> & { scenario: string }, paused: boolean, pace: number): Promise<void> {
    this.#look(null);
    return this.say(startOf(run, paused, pace));
  }

  lookAt(tick: number): void {
    this.#look(tick);
  }

  /** Another run from the tick that is looked at, with everything that was done before it. */
  branch(pace: number): Promise<void> {
    const { run, looked } = this.#playing!;
    return this.begin(upTo(run, looked), true, pace);
  }

  keep(): void {
    if (!this.#playing) return;
    const { run, history } = this.#playing;
    this.#change({ kept: { run, history } });
    this.#tell('This run is kept. Branch or begin again, and the two are compared.');
  }

  /** One to compare with, before anything is played. Throws a SimulationFault where there can be no such run. */
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
    // The same engine: what the service has told of earlier ticks need not be kept.
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
