import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSweep } from '../setups/sweep.ts';
import { DIGESTS, digestLines, enoughSeeds, SEEDS } from './simulation/digests.ts';
import { type Played, play } from './simulation/player.ts';
import { NAMES, SCENARIOS } from './simulation/scenarios.ts';
import { asyncApiText, conversation } from './simulation/seam.ts';
import { round6, type Story } from './simulation/story.ts';

// What a client of the simulation may rely on, from its messages alone.

const GOLDEN = readFileSync(DIGESTS, 'utf8').trimEnd().split('\n');

const NOTES = {
  'The proposal is adopted.': 'adopted',
  'The proposal is adopted, with a dissent on record.': 'adopted_with_dissent',
  'The proposal is in force without a vote.': 'imposed',
  'The proposal is rejected.': 'rejected',
  'Time has run out: the proposal lapses without a decision.': 'lapsed',
};

test('there are seven scenarios, each with its number of endings and its last tick', () => {
  const { type, scenarios } = JSON.parse(conversation()({ action: 'list_scenarios' })) as {
    type: string;
    scenarios: { name: string; horizon: number; endings: number; question: string; story: string[] }[];
  };
  expect(type).toBe('scenario_list');
  expect(scenarios.map(({ name, horizon, endings }) => [name, horizon, endings])).toEqual(
    NAMES.map((name) => {
      const { horizon, sentences } = SCENARIOS[name]!;
      return [name, horizon, Object.keys(sentences).length];
    }),
  );
  for (const { question, story } of scenarios)
    expect([question.endsWith('?'), story.length > 1]).toEqual([true, true]);
});

describe.each(NAMES)('%s', (scenario) => {
  const { sentences, horizon } = SCENARIOS[scenario]!;
  let runs: Played[] = [];
  let stories: Story[] = [];
  beforeAll(() => {
    runs = (isSweep ? SEEDS : enoughSeeds(scenario)).map((seed) => play(scenario, seed));
    stories = runs.map(({ story }) => story);
  });
  afterAll(() => {
    runs = [];
    stories = [];
  });

  test('sends the messages that it always sent for these seeds and actions', () => {
    const lines = digestLines(scenario, runs);
    const nameOf = (line: string) => line.slice(0, line.lastIndexOf(' '));
    const played = new Set(lines.map(nameOf));
    expect(lines).toEqual(GOLDEN.filter((line) => played.has(nameOf(line))));
    expect(lines).toHaveLength(runs.length / 10);
  });

  test('says at its end only what is true, in sentences that are known', () => {
    const wrong = stories.flatMap((story) =>
      sentencesOf(story).flatMap(({ claim, found, holds }) =>
        found && holds(story, found) ? [] : [`seed ${story.end.seed}, ${story.debrief.ending}: ${claim}`],
      ),
    );
    expect(wrong).toEqual([]);
  });

  test('reaches each of its endings, and says each of its sentences', () => {
    const said = new Set(
      stories.flatMap((story) => sentencesOf(story).map(({ place }) => `${story.debrief.ending} ${place}`)),
    );
    const all = Object.entries(sentences).flatMap(([ending, own]) =>
      own.map((_, place) => `${ending} ${place}`),
    );
    expect([...said].toSorted()).toEqual(all.toSorted());
  });

  test('says nothing that would be true of every end', () => {
    const one = new Map<string, { ending: string; isTrue: (story: Story) => boolean }>();
    for (const story of stories)
      for (const { claim, place, found, holds } of sentencesOf(story))
        one.set(`${story.debrief.ending} ${place}: ${claim}`, {
          ending: story.debrief.ending,
          isTrue: (other) => holds(other, found!),
        });
    const empty = [...one].filter(
      ([, { ending, isTrue }]) =>
        !stories.some((other) => other.debrief.ending !== ending && !isTrueOf(other, isTrue)),
    );
    expect(empty.map(([claim]) => claim)).toEqual([]);
  });

  test('notes the outcome that its messages have, and no text is unfinished', () => {
    const wrong = stories.flatMap(({ log, status, end, debrief }) => [
      ...Object.entries(NOTES)
        .filter(([note, outcome]) => log.some(({ text }) => text === note) !== (status === outcome))
        .map(([note]) => `seed ${end.seed}, ${status}: ${note}`),
      ...[...log.map(({ text }) => text), debrief.text, debrief.title, debrief.question].filter((text) =>
        /undefined|NaN|null|Infinity|\[object|\b0 MIC/.test(text),
      ),
    ]);
    expect(wrong).toEqual([]);
  });

  test('ends at its last tick at the latest, and then nothing can be done', () => {
    for (const { end, debrief } of stories) {
      expect(end.tick).toBeLessThanOrEqual(horizon);
      expect(debrief.text).toBe(debrief.claims.join(' '));
      expect([end.current_state.horizon, end.next_actions, end.current_state.decisions]).toEqual([
        horizon,
        [],
        [],
      ]);
    }
  });

  test('keeps the books: nothing appears or is lost, and shares are shares', () => {
    const isShare = (share: number) => share >= 0 && share <= 1;
    const wrong = stories.flatMap(({ first, start, end }) => {
      const days = first.filter(({ current_state: { economy }, sentinels }) => {
        const { total_supply, circulating, locked, burned, mii, threshold, strain } = economy;
        return !(
          round6(circulating + locked + burned) === round6(total_supply) &&
          [mii, threshold, strain, ...sentinels.map(({ opinion }) => opinion)].every(isShare)
        );
      });
      const minted = end.sentinels.reduce((sum, { total_rewards }) => sum + total_rewards, 0);
      const grown = end.current_state.economy.total_supply - start.current_state.economy.total_supply;
      const isMinted = Math.abs(grown - minted) < 1e-5;
      return [...days, ...(isMinted ? [] : [end])].map(({ seed, tick }) => `seed ${seed}, day ${tick}`);
    });
    expect(wrong).toEqual([]);
  });

  test('takes the default of a decision in its tick, and leaves none open for longer', () => {
    const wrong = stories.flatMap(({ last, debrief }) =>
      last.flatMap(({ tick, current_state: { decisions, deliberation } }) =>
        decisions
          .filter(({ until }) => until <= tick && deliberation.status !== 'held')
          .map(({ name }) => `${name} is open on day ${tick} (${debrief.ending})`),
      ),
    );
    expect(wrong).toEqual([]);
  });

  test('is replayed from scenario, seed, settings and actions', () => {
    for (const { story, texts } of runs.filter((_, i) => i % 10 < 2)) {
      const { seed, tick, current_state } = story.end;
      const { settings, actions } = current_state as typeof current_state & { settings: object };
      const again = conversation()({
        action: 'start_simulation',
        ...{ scenario, seed, settings, actions, tick, paused: true },
      });
      expect(JSON.parse(again)).toEqual(JSON.parse(texts.at(-1)!));
    }
  });

  test('sends what /asyncapi.json describes', () => {
    validate ??= validatorOf(asyncApiText());
    const texts = runs.flatMap((run) => [...run.texts.slice(1, 3), run.texts.at(-1)!]);
    for (const text of texts.filter((_, i) => i % 9 < 3)) {
      validate(JSON.parse(text));
      expect(validate.errors ?? []).toEqual([]);
    }
  });

  /** Each sentence of an end, with what it claims. */
  function sentencesOf({ debrief }: Story) {
    const own = sentences[debrief.ending] ?? [];
    return debrief.claims.map((claim, place) => {
      const [words, holds] = own[place] ?? [/^$/, () => false];
      return { claim, place, found: words.exec(claim), holds };
    });
  }
});

let validate: ValidateFunction | null = null;

function validatorOf(document: string): ValidateFunction {
  const { components } = JSON.parse(document) as {
    components: { messages: Record<string, { payload: object }> };
  };
  return new Ajv({ strict: false }).compile(components.messages.simulation_update!.payload);
}

/** A condition about what did not happen in a run is not true of it. */
function isTrueOf(story: Story, isTrue: (story: Story) => boolean): boolean {
  try {
    return isTrue(story);
  } catch {
    return false;
  }
}

const MEMBERS = {
  update: ['current_state', 'model', 'next_actions', 'scenario', 'seed', 'sentinels', 'tick', 'type'],
  sentinel: [
    ...'cathedral coordination_score drift gi_score id innate_opinion opinion position'.split(' '),
    ...['reasoning', 'status', 'stubbornness', 'total_rewards', 'virtue_tags'],
  ],
  current_state: [
    ...'actions cycle debrief decisions deliberation economy happened horizon is_over'.split(' '),
    ...['is_running', 'opinions', 'outlook', 'pace_ms', 'question', 'settings', 'virtues'],
  ],
  economy: [
    ...['burned', 'circulating', 'locked', 'mii', 'minting_active', 'multipliers', 'strain', 'threshold'],
    'total_supply',
  ],
  next_action: ['decision', 'label', 'meaning', 'name', 'outlook', 'parameters'],
  debrief: ['choices', 'claims', 'ending', 'question', 'text', 'title'],
};

test('messages have their members, and the ten sentinels in their order', () => {
  const { story } = play('moral_dilemma', 3);
  const opened = story.first.find(({ next_actions }) => next_actions.some(({ decision }) => decision))!;
  const members = (value: object) => Object.keys(value).toSorted();
  expect({
    update: members(story.end),
    sentinel: members(story.end.sentinels[0]!),
    current_state: members(story.end.current_state),
    economy: members(story.economy),
    next_action: members(opened.next_actions[0]!),
    debrief: members(story.debrief),
  }).toEqual(MEMBERS);
  expect(opened.sentinels.map(({ id }) => id).join(' ')).toBe(
    'ATLAS HERMES ZEUS AUREA ZENITH DAEDALUS ECHO URIEL EVE JADE',
  );
});

test('a forecast is of 20 futures of seven ticks, for each choice and for none', () => {
  const say = conversation();
  say({ action: 'start_simulation', scenario: 'model_drift', seed: 3, paused: true, outlooks: true });
  const update = JSON.parse(say({ action: 'step' })) as {
    tick: number;
    current_state: { outlook: Outlook };
    next_actions: { decision: string | null; outlook: Outlook }[];
  };
  const choices = update.next_actions.filter(({ decision }) => decision !== null);
  expect(choices.length).toBeGreaterThan(1);
  for (const { outlook } of [...choices, update.current_state]) {
    expect(outlook).toMatchObject({ runs: 20, tick: update.tick + 7 });
    expect(Object.values(outlook.deliberation).reduce((sum, one) => sum + one, 0)).toBe(20);
    for (const { low, middle, high } of [outlook.mii, outlook.mean_opinion, outlook.circulating])
      expect(low <= middle && middle <= high).toBe(true);
  }
});

interface Spread {
  low: number;
  middle: number;
  high: number;
}

interface Outlook {
  tick: number;
  runs: number;
  deliberation: Record<string, number>;
  mii: Spread;
  mean_opinion: Spread;
  circulating: Spread;
}
