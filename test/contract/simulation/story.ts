/** A run as a client saw it, and what can be concluded from its messages alone. */

type Virtue = 'integrity' | 'temperance' | 'justice' | 'prudence' | 'courage';

/** The parameters of the model that a player may set. */
export type Lever =
  | 'interest'
  | 'lure'
  | 'stubbornness'
  | 'kinship'
  | 'reach'
  | 'quorum'
  | 'consensus'
  | 'contagion'
  | 'recovery'
  | 'mint_share'
  | 'lock_share'
  | 'unlock_rate'
  | 'burn_rate'
  | 'strain_rate'
  | 'mending'
  | 'patience';

export interface Update {
  type: 'simulation_update';
  scenario: string;
  seed: number;
  tick: number;
  sentinels: {
    id: string;
    cathedral: string;
    position: string;
    opinion: number;
    innate_opinion: number;
    gi_score: number;
    status: 'operational' | 'offline' | 'recused';
    coordination_score: number;
    drift: number;
    total_rewards: number;
  }[];
  model: {
    levers: Record<Lever, number>;
    effects: Record<Virtue, number>;
    stakes: Record<string, number>;
    influence: number[][];
    sentinels: {
      id: string;
      weights: Record<Virtue, number>;
      stubbornness: number;
      trust: number;
      temper: number;
      pressure: number;
    }[];
  };
  current_state: {
    is_over: boolean;
    is_running: boolean;
    horizon: number;
    deliberation: {
      status: string;
      votes: {
        tick: number;
        support: number;
        oppose: number;
        abstain: number;
        turnout: number;
        agreement: number;
        result: string;
      }[];
      dissenters: string[];
      dissent: string;
      quorum: number;
      consensus: number;
    };
    opinions: { mean: number; polarisation: number; movement: number };
    economy: {
      total_supply: number;
      circulating: number;
      locked: number;
      burned: number;
      mii: number;
      threshold: number;
      minting_active: boolean;
      strain: number;
      multipliers: Record<string, number>;
    };
    question: string;
    decisions: { name: string; title: string; until: number; otherwise: string }[];
    happened: { tick: number; text: string }[];
    actions: { tick: number; name: string; parameters: Record<string, number | string> }[];
    debrief: Debrief | null;
  };
  next_actions: {
    name: string;
    decision: string | null;
    parameters: Record<string, Parameter>;
  }[];
}

export type Parameter =
  | { kind: 'number' | 'whole_number'; minimum: number; maximum: number; default: number }
  | { kind: 'one_of'; values: string[]; default: string };

interface Debrief {
  ending: string;
  title: string;
  text: string;
  claims: string[];
  question: string;
  choices: { tick: number; choice: string; by: 'you' | 'time' }[];
}

/** What a sentence claims: its words, and what must then have been in the messages. */
type Sentence = readonly [words: RegExp, holds: (story: Story, found: readonly string[]) => boolean];
/** By ending: its sentences, in order. */
export type Sentences = Readonly<Record<string, readonly Sentence[]>>;

const MICRO = 1e6;
const IN_FORCE = ['adopted', 'adopted_with_dissent', 'imposed'];
const OUTCOME =
  /^(The proposal is (adopted|rejected|withdrawn)|The proposal is in force without a vote|Time has run out)/;

export class Story {
  /** Of each tick, the first and the last update: between them are actions. */
  readonly first: Update[] = [];
  readonly last: Update[] = [];
  readonly log: { tick: number; text: string }[] = [];

  constructor(updates: readonly Update[]) {
    for (const update of updates) {
      this.first[update.tick] ??= update;
      this.last[update.tick] = update;
    }
    // An update repeats what happened before in its tick.
    for (const { tick, current_state } of this.last)
      this.log.push(...current_state.happened.filter((entry) => entry.tick === tick));
  }

  get start() {
    return this.first[0]!;
  }

  get end() {
    return this.last.at(-1)!;
  }

  get economy() {
    return this.end.current_state.economy;
  }

  get status() {
    return this.end.current_state.deliberation.status;
  }

  get dissent() {
    return this.end.current_state.deliberation.dissent;
  }

  get debrief() {
    return this.end.current_state.debrief!;
  }

  get isInForce() {
    return IN_FORCE.includes(this.status);
  }

  get vote() {
    return this.end.current_state.deliberation.votes.at(-1)!;
  }

  lever(name: Lever): number {
    return this.end.model.levers[name];
  }

  /** The day of the first thing of these words that happened. Infinity: it did not. */
  day(words: RegExp): number {
    return this.log.find(({ text }) => words.test(text))?.tick ?? Infinity;
  }

  saw(words: RegExp): boolean {
    return this.day(words) < Infinity;
  }

  /** The day on which nothing was left to vote on. */
  get decided(): number {
    return this.day(OUTCOME);
  }

  /** Chosen by the player, or taken by itself. */
  chose(...names: string[]): boolean {
    return this.debrief.choices.some(({ choice }) => names.includes(choice));
  }

  /** A number that was given with an action, or its default. */
  given(action: string, parameter: string, byDefault: number): number {
    const taken = this.end.current_state.actions.find(({ name }) => name === action);
    return Number(taken?.parameters[parameter] ?? byDefault);
  }

  sentinel(id: string) {
    return this.end.sentinels.find((one) => one.id === id)!;
  }

  get offline(): string[] {
    return this.end.sentinels.filter(({ status }) => status === 'offline').map(({ id }) => id);
  }

  /** The cathedrals whose multiplier is above, or below, that of the beginning. */
  get changed(): { up: string[]; down: string[] } {
    const before = this.start.current_state.economy.multipliers;
    const gain = (name: string) => this.economy.multipliers[name]! - before[name]!;
    const names = Object.keys(before);
    return { up: names.filter((name) => gain(name) > 0), down: names.filter((name) => gain(name) < 0) };
  }

  /**
   * The stocks as they would be on a day with the multipliers and the rules of money of the first update, from the scores and the
   * integrity index of each day: by the equations of docs/simulation.md.
   */
  unchanged(day: number) {
    const { multipliers, total_supply, circulating, locked, burned } = this.start.current_state.economy;
    const { lock_share, unlock_rate, burn_rate, mint_share } = this.start.model.levers;
    const micro = (mic: number) => Math.round(mic * MICRO);
    let [total, free, held, lost] = [total_supply, circulating, locked, burned].map(micro) as [
      number,
      number,
      number,
      number,
    ];
    const paid: Record<string, number> = {};
    for (const { sentinels, current_state } of this.first.slice(1, day + 1)) {
      const { mii } = current_state.economy;
      const isMinting = mint_share > 0 && mii >= round6((95 - 2 * Math.log10(total / MICRO / 1e6)) / 100);
      let minted = 0;
      for (const { id, cathedral, status, coordination_score } of isMinting ? sentinels : []) {
        if (status === 'offline') continue;
        const curve = 1000 / (1 + Math.exp(-0.05 * (coordination_score - 50)));
        const reward = micro(curve * (multipliers[cathedral] ?? 1) * mint_share);
        paid[id] = (paid[id] ?? 0) + reward;
        minted += reward;
      }
      const lock = Math.floor(minted * lock_share);
      const unlock = Math.floor(held * unlock_rate);
      free += minted - lock + unlock;
      const burn = Math.floor(free * burn_rate);
      total += minted;
      free -= burn;
      held += lock - unlock;
      lost += burn;
    }
    return { total: total / MICRO, circulating: free / MICRO, burned: lost / MICRO, paid };
  }
}

export function round6(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** `4,012,345` as a number. */
export function mic(text: string): number {
  return Number(text.replaceAll(',', ''));
}

/** Amounts are said in whole MIC. */
export function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1;
}

/** `one day`, `5 days`. */
export function days(text: string): number {
  return text === 'one day' ? 1 : Number(/^(\d+) days$/.exec(text)?.[1]);
}

export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
