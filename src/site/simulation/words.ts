import { SENTINEL_IDS } from '../../../pipeline/model/sentinel-profiles.ts';
import { formatNumber } from '../../../pipeline/words/number.ts';
import { formatList } from '../../../pipeline/words/phrase.ts';
import { MICRO } from '../../simulation/economy.ts';
import { positionOf, statusOf } from '../../simulation/opinions.ts';
import type { Outlook, Prospect } from '../../simulation/outlooks.ts';
import type { Parameter } from '../../simulation/scenario.ts';
import type { Position, Status, Vote, World } from '../../simulation/world.ts';

export type Stance = Position | 'offline' | 'recused';

/** Where sentinel i stands, or why it does not. */
export function stanceOf({ sentinels, conditions }: World, i: number): Stance {
  const status = statusOf(sentinels[i]!);
  return status === 'operational' ? positionOf(conditions.opinion[i]!) : status;
}

export const STANCE_WORDS: Readonly<Record<Stance, string>> = {
  support: 'is for it',
  support_with_conditions: 'is for it, with conditions',
  abstain: 'is undecided',
  oppose: 'is against it',
  offline: 'is offline',
  recused: 'stands aside',
};

/** The state of the proposal in a sentence. */
export const STATUS_SENTENCES: Readonly<Record<Status, string>> = {
  open: 'The proposal is open.',
  held: 'The proposal was carried, and a dissent holds it up.',
  adopted: 'The proposal is adopted.',
  adopted_with_dissent: 'The proposal is adopted, with a dissent on record.',
  imposed: 'The proposal is in force without a vote.',
  rejected: 'The proposal is rejected.',
  withdrawn: 'The proposal is withdrawn.',
  lapsed: 'Time ran out: the proposal lapsed without a decision.',
};

const RESULTS: Readonly<Record<Vote['result'], string>> = {
  carried: 'The vote carries the proposal',
  rejected: 'The vote rejects the proposal',
  divided: 'The vote is divided, so the debate goes on',
  no_quorum: 'Too few took a position, so the vote does not count',
};

/** The result of a vote in two sentences. */
export function voteInWords({ support, oppose, abstain, result }: Vote): string {
  const silent = abstain === 0 ? '' : ` ${abstain} took no position.`;
  return `${RESULTS[result]}: ${support || 'nobody'} for and ${oppose || 'nobody'} against.${silent}`;
}

/** A smaller change of the index, or of what circulates, MIC, is not worth a word. */
const NOTICED = { index: 0.002, mic: 100 };

/** What has changed from one world to a later one: one sentence each, with at most two numbers. */
export function changesInWords(before: World, now: World): string[] {
  const told = now.log.slice(before.log.length);
  const votes = now.deliberation.votes.slice(before.deliberation.votes.length);
  const happened = [...votes.map((vote) => ({ tick: vote.tick, text: voteInWords(vote) })), ...told].sort(
    (a, b) => a.tick - b.tick,
  );
  const index = now.economy.mii - before.economy.mii;
  const minting = now.economy.isMinting === before.economy.isMinting;
  return [
    ...happened.map(({ tick, text }) => `Day ${tick}: ${text}`),
    ...movesInWords(before, now),
    ...(Math.abs(index) < NOTICED.index
      ? []
      : [`The integrity index ${index > 0 ? 'rose' : 'fell'} by ${formatNumber(Math.abs(index), 3)}.`]),
    ...(minting ? [] : [`Minting is ${now.economy.isMinting ? 'on again' : 'off'}.`]),
  ];
}

/** At most so many sentinels are named. */
const NAMED = 4;

function movesInWords(before: World, now: World): string[] {
  const moved = now.sentinels.flatMap(({ id }, i) => {
    const stance = stanceOf(now, i);
    return stance === stanceOf(before, i) ? [] : [`${id} ${STANCE_WORDS[stance].replace('is', 'is now')}.`];
  });
  return moved.length <= NAMED ? moved : [`${moved.length} sentinels changed their position.`];
}

/** What a choice would do, a line each: whom it pleases and troubles, and what follows in a week. */
export function prospectInWords(
  { pleases, troubles, isTurned, outlook }: Prospect,
  /** The outlook if nobody chooses. */
  otherwise: Outlook,
  isDecided: boolean,
): [kind: 'pleases' | 'troubles' | 'then', term: string, text: string][] {
  const index = outlook.mii.middle - otherwise.mii.middle;
  const mic = outlook.circulating.middle - otherwise.circulating.middle;
  const size = (value: number, places: number) => formatNumber(Math.abs(value), places);
  const then = [
    ...(isDecided ? [] : [fateInWords(outlook)]),
    ...(Math.abs(index) < NOTICED.index
      ? []
      : [`integrity index ${size(index, 3)} ${index > 0 ? 'higher' : 'lower'}`]),
    ...(Math.abs(mic) < NOTICED.mic ? [] : [`${size(mic, 0)} MIC ${mic > 0 ? 'more' : 'less'}`]),
  ];
  const moved = isTurned
    ? ([['pleases', 'Turns', 'the question round: who was for it is against it']] as const)
    : [
        ...(pleases.length === 0 ? [] : [['pleases', 'Pleases', namesInWords(pleases)] as const]),
        ...(troubles.length === 0 ? [] : [['troubles', 'Troubles', namesInWords(troubles)] as const]),
      ];
  return [
    ...moved.map(([kind, term, text]): ['pleases' | 'troubles', string, string] => [kind, term, text]),
    ['then', 'In a week', then.join(' · ') || 'no difference'],
  ];
}

const FATES: Readonly<Record<string, readonly Status[]>> = {
  carried: ['held', 'adopted', 'adopted_with_dissent', 'imposed'],
  'turned down': ['rejected', 'withdrawn'],
  'not decided': ['open', 'lapsed'],
};

/** What becomes of the proposal in most futures: `carried in 14 of 20 futures`. */
function fateInWords({ deliberation, runs }: Outlook): string {
  const counts = Object.entries(FATES).map(([fate, all]) => ({
    fate,
    count: all.reduce((sum, status) => sum + (deliberation[status] ?? 0), 0),
  }));
  const { fate, count } = counts.reduce((most, one) => (one.count > most.count ? one : most));
  return `${fate} in ${count === runs ? `all ${runs}` : `${count} of ${runs}`} futures`;
}

/** From so many of the ten on, only the others are named. */
const NEARLY_ALL = 7;

function namesInWords(ids: readonly string[]): string {
  if (ids.length < NEARLY_ALL) return ids.join(', ');
  const others = SENTINEL_IDS.filter((id) => !ids.includes(id));
  return others.length === 0 ? 'all ten' : `all but ${formatList(others)}`;
}

/** Why MIC are minted, or are not. */
export function mintingInWords({ economy: { mii, threshold, isMinting }, levers }: World): string {
  if (isMinting) return 'Minting is on: the integrity index is high enough.';
  if (levers.mint_share === 0) return 'Minting is suspended.';
  return mii < threshold
    ? 'Minting is off: the integrity index is too low.'
    : 'Minting is off; the index is high enough again.';
}

/** What circulates, beside what would without the player’s choices and events. */
export function supplyInWords({ economy, unchanged }: World): string {
  const more = (economy.circulating - unchanged.circulating) / MICRO;
  const all = `${formatNumber(economy.circulating / MICRO, 0)} MIC circulate`;
  if (Math.abs(more) < 1) return `${all}.`;
  return `${all}, ${formatNumber(Math.abs(more), 0)} ${more > 0 ? 'more' : 'less'} than without the changes.`;
}

export function formatValue(value: number | string): string {
  return typeof value === 'number' ? formatNumber(value, { max: 4 }) : value;
}

export function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The largest of 1, 2 and 5 times a power of ten that meets the default and the end of a slider, with enough stops to try. */
export function stepOf({ minimum, maximum, default: start }: Extract<Parameter, { kind: 'number' }>): number {
  const range = maximum - minimum;
  const meets = (step: number, value: number) =>
    Math.abs((value - minimum) / step - Math.round((value - minimum) / step)) < 1e-6;
  const size = 10 ** Math.floor(Math.log10(range));
  const steps = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01].map((part) => Number((part * size).toPrecision(1)));
  return (
    steps.find((step) => range / step >= STOPS && meets(step, start) && meets(step, maximum)) ?? range / 100
  );
}

/** At least as many stops between the ends of a slider. */
const STOPS = 8;
