import { listed } from './deliberation.ts';
import { formatMic, MICRO } from './economy.ts';
import { LEVERS, type Lever } from './levers.ts';
import { POSITIONS_FROM } from './opinions.ts';
import { roundTo6 } from './round-to-6.ts';
import type { Changed, OwnPart, Why, WhySentinel } from './why.ts';

/** Smaller changes of an opinion are not mentioned. */
const NOTICEABLE = 0.005;
/** Smaller changes of an influence are not mentioned. */
const NOTICEABLE_INFLUENCE = 0.01;
/** From which change of an opinion on it is called clear, and large. */
const CLEAR = 0.03;
const LARGE = 0.1;

/** What an action moved, in sentences with at most two numbers each. Names that the readers know; no names of the engine. */
export function whyInWords(
  why: Pick<Why, 'sentinels' | 'mean_resting_opinion' | 'changed' | 'influences'>,
): string[] {
  // Only a question that is turned into its opposite turns the opinions themselves.
  const isTurned = why.changed.some(({ what }) => what === 'opinion');
  if (isTurned) return ['The proposal is now the opposite of what it was, and every opinion turns with it.'];
  const said = [...sayOwnOpinions(why), ...sayInfluences(why), ...sayRest(why), ...sayChanged(why.changed)];
  if (said.length > 0) return said;
  return [
    why.changed.length === 0 && !why.sentinels.some(hasMoved)
      ? 'It moved no opinion, and no value of the model changed.'
      : 'It moved no opinion by enough to notice.',
  ];
}

/** Parts that cancel each other count, such as that of a briefing and that of a limit. */
function hasMoved({ own_parts }: Why['sentinels'][number]): boolean {
  return Object.values(own_parts).some((part) => part !== 0);
}

const CAUSES: Readonly<Record<OwnPart, string>> = {
  integrity: 'because of integrity',
  temperance: 'because of temperance',
  justice: 'because of justice',
  prudence: 'because of prudence',
  courage: 'because of courage',
  weights: 'because it now weighs the virtues differently',
  stake: 'because of what its cathedral stands to gain or lose',
  interest: 'because of how much its own interest counts',
  lure: 'because of its drift',
  temper: 'because of its temper',
  limit: 'because its opinion could not go further before',
};

function sayOwnOpinions({ sentinels }: Pick<Why, 'sentinels'>): string[] {
  const moved = sentinels
    .map((one) => ({ ...one, by: one.own_opinion.after - one.own_opinion.before }))
    .filter(({ by }) => Math.abs(by) >= NOTICEABLE)
    .sort((a, b) => Math.abs(b.by) - Math.abs(a.by));
  const [most] = moved;
  if (!most) return [];
  const better = moved.filter(({ by }) => by > 0).length;
  const cause = CAUSES[causeOf(most)];
  if (moved.length === 1)
    return [
      `By itself, ${most.id} thinks ${most.by > 0 ? 'better' : 'worse'} of the proposal than before, ${cause}.`,
    ];
  return [
    `By themselves, ${sayCounts(better, moved.length - better)}.`,
    `${most.id} moved most, ${most.by > 0 ? 'towards' : 'away from'} the proposal, ${cause}.`,
  ];
}

function sayCounts(better: number, worse: number): string {
  if (worse === 0) return `${better} sentinels think better of the proposal than before`;
  if (better === 0) return `${worse} sentinels think worse of the proposal than before`;
  return `${better} of the sentinels ${better === 1 ? 'thinks' : 'think'} better of the proposal than before, and ${worse} worse`;
}

/** The largest part in the direction of the change. */
function causeOf({ own_parts, own_opinion }: WhySentinel): OwnPart {
  const direction = own_opinion.after - own_opinion.before > 0 ? 1 : -1;
  const parts = Object.entries(own_parts) as [OwnPart, number][];
  return parts.reduce((best, one) => (direction * one[1] > direction * best[1] ? one : best))[0];
}

function sayInfluences({ influences: { grew, shrank } }: Pick<Why, 'influences'>): string[] {
  const [up] = grew;
  const [down] = shrank;
  const said: string[] = [];
  if (up && up.after - up.before >= NOTICEABLE_INFLUENCE)
    said.push(`The influence of ${up.speaker} on ${up.listener} grew most.`);
  if (down && down.before - down.after >= NOTICEABLE_INFLUENCE)
    said.push(`The influence of ${down.speaker} on ${down.listener} shrank most.`);
  return said;
}

function sayRest({ mean_resting_opinion: { before, after } }: Pick<Why, 'mean_resting_opinion'>): string[] {
  if (before === null || after === null) return [];
  const how = howMuch(after - before);
  if (how === null) return [];
  const [was, is] = [nameOfMean(before), nameOfMean(after)];
  const change = was === is ? `at ${is} as before` : `at ${is} instead of ${was}`;
  return [`If nothing else changed, the assembly would settle ${how}: on average ${change}.`];
}

/** `clearly closer to support`; null for a difference of opinion that is not worth a word. */
export function howMuch(by: number): string | null {
  const size = Math.abs(by);
  if (size < NOTICEABLE) return null;
  const degree = size < CLEAR ? 'a little' : size < LARGE ? 'clearly' : 'much';
  return `${degree} ${by > 0 ? 'closer to support' : 'farther from support'}`;
}

/** A mean opinion, by the position that a single sentinel would have with it. */
function nameOfMean(opinion: number): string {
  if (opinion >= POSITIONS_FROM.support) return 'support';
  if (opinion >= POSITIONS_FROM.support_with_conditions) return 'support with conditions';
  return opinion > POSITIONS_FROM.abstain ? 'the middle' : 'opposition';
}

function sayChanged(changed: readonly Changed[]): string[] {
  const kinds = Object.keys(SAY) as (keyof typeof SAY)[];
  return kinds.flatMap((what) => {
    const of = changed.filter((one) => one.what === what);
    return of.length === 0 ? [] : SAY[what](of);
  });
}

/** Effects, stakes and tempers are said by what they do to opinions. */
const SAY: Readonly<
  Record<
    Exclude<Changed['what'], 'effect' | 'stake' | 'opinion' | 'temper'>,
    (changed: readonly Changed[]) => string[]
  >
> = {
  deliberation: (changed) => changed.flatMap(sayDeliberation),
  multiplier: (changed) =>
    changed.map(({ name, before, after }) => `The multiplier of ${name} goes from ${before} to ${after}.`),
  lever: (changed) =>
    changed.map(
      ({ name, before, after }) =>
        `${sentenceCase(LEVERS[name as Lever].meaning.split(';')[0]!)}: from ${before} to ${after}.`,
    ),
  status: (changed) =>
    changed.map(({ name, after }) => `${name} ${STATUS_SAID[after as keyof typeof STATUS_SAID]}.`),
  trust: (changed) => upAndDown(changed, 'will be listened to more', 'will be listened to less'),
  stubbornness: (changed) =>
    upAndDown(changed, 'will hold more to what they think themselves', 'will be more open to others'),
  pressure: (changed) => upAndDown(changed, 'will drift more from now on', 'will drift less from now on'),
  drift: (changed) => upAndDown(changed, 'drifted at once', 'came back from some of their drift at once'),
  economy: (changed) => changed.flatMap(sayEconomy),
  risks: (changed) =>
    changed.map(({ name, before, after }) => {
      const count = Number(after) - Number(before);
      const risks = count === 1 ? '1 risk was' : `${count} risks were`;
      return name === 'known' ? `${risks} added to those that are known.` : `${risks} addressed.`;
    }),
};

const STATUS_SAID = {
  operational: 'is online and takes part',
  offline: 'is offline',
  recused: 'neither speaks nor votes any more',
} as const;

const ENDED: Readonly<Record<string, string>> = {
  open: 'There is one more round.',
  held: 'The decision is held up by a dissent.',
  adopted: 'The proposal is adopted.',
  adopted_with_dissent: 'The proposal is adopted, with a dissent on record.',
  imposed: 'The proposal is in force without a vote.',
  rejected: 'The proposal is rejected.',
  withdrawn: 'The proposal is withdrawn.',
  lapsed: 'The proposal lapses.',
};

function sayDeliberation({ name, before, after }: Changed): string[] {
  if (name === 'status') return [ENDED[after]!];
  if (name === 'rounds') return [`The time box has ${after} rounds instead of ${before}.`];
  return [`The next vote is on day ${after} instead of ${before}.`];
}

function sayEconomy({ name, before, after }: Changed): string[] {
  const by = roundTo6(Number(after) - Number(before));
  if (name === 'strain')
    return [`The strain ${by > 0 ? 'rises, which lowers' : 'falls, which raises'} the integrity index.`];
  if (name === 'burned') return [`${formatMic(by * MICRO)} MIC are burned.`];
  if (name === 'locked')
    return [`${formatMic(Math.abs(by) * MICRO)} MIC are ${by > 0 ? 'locked' : 'released'}.`];
  return [];
}

function upAndDown(changed: readonly Changed[], up: string, down: string): string[] {
  return [
    { words: up, names: changed.filter(({ before, after }) => after > before) },
    { words: down, names: changed.filter(({ before, after }) => after < before) },
  ].flatMap(({ words, names }) =>
    names.length === 0 ? [] : [`${listed(names.map(({ name }) => name))} ${words}.`],
  );
}

function sentenceCase(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
