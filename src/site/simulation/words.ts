import { SENTINEL_IDS } from '../../../pipeline/model/sentinel-profiles.ts';
import { formatMic, formatNumber } from '../../../pipeline/words/number.ts';
import { formatList } from '../../../pipeline/words/phrase.ts';
import { OUTCOMES, takeVote } from '../../simulation/deliberation.ts';
import { MICRO } from '../../simulation/economy.ts';
import { positionOf, statusOf } from '../../simulation/opinions.ts';
import type { Outlook, Prospect } from '../../simulation/outlooks.ts';
import { isDecided } from '../../simulation/scenario.ts';
import type { Position, Status, Vote, World } from '../../simulation/world.ts';

export type Stance = Position | 'offline' | 'recused';

/** Where sentinel i stands, or why it does not. */
export function stanceOf({ sentinels, conditions }: World, i: number): Stance {
  const status = statusOf(sentinels[i]!);
  return status === 'operational' ? positionOf(conditions.opinion[i]!) : status;
}

export const STANCES: Readonly<Record<Stance, string>> = {
  support: 'for it',
  support_with_conditions: 'for it, with conditions',
  abstain: 'undecided',
  oppose: 'against it',
  offline: 'offline',
  recused: 'standing aside',
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

const IF_NOW: Readonly<Record<Vote['result'], string>> = {
  carried: 'If they voted today, it would be carried.',
  rejected: 'If they voted today, it would be rejected.',
  divided: 'If they voted today, the vote would be divided.',
  no_quorum: 'If they voted today, too few would take a position.',
};

/** How a vote would go, or what became of the proposal; and what a vote needs. */
export function tallyInWords(world: World): Record<'verdict' | 'count' | 'needs', string> {
  const { support, oppose, result } = takeVote(world);
  const { sentinels, levers, deliberation } = world;
  // Rounded up against the rounding of shares such as 0.7.
  const needed = (share: number, all: number) => Math.ceil(share * all - 1e-9);
  const taken = support + oppose;
  const agree = taken === 0 ? '' : ` Of ${taken} who do, ${needed(levers.consensus, taken)} must agree.`;
  return {
    verdict: isDecided(world) ? OUTCOMES[deliberation.status as keyof typeof OUTCOMES] : IF_NOW[result],
    count: `${support} for, ${oppose} against.`,
    needs: `At least ${needed(levers.quorum, sentinels.length)} must take a position.${agree}`,
  };
}

/** The least changes of the integrity index, and of the MIC that circulate, that are worth a word. */
const NOTICED = { index: 0.002, mic: 100 };
/** The most sentinels that are named. */
const NAMED = 4;

/** What has changed from one world to a later one: one sentence each, with at most two numbers. */
export function changesInWords(before: World, now: World): string[] {
  const votes = now.deliberation.votes.slice(before.deliberation.votes.length);
  const happened = [
    ...votes.map((vote) => ({ tick: vote.tick, text: voteInWords(vote) })),
    ...now.log.slice(before.log.length),
  ].sort((a, b) => a.tick - b.tick);
  const moved = now.sentinels.flatMap(({ id }, i) => {
    const stance = stanceOf(now, i);
    return stance === stanceOf(before, i) ? [] : [`${id} is now ${STANCES[stance]}.`];
  });
  const index = now.economy.mii - before.economy.mii;
  const { isMinting } = now.economy;
  return [
    ...happened.map(({ tick, text }) => `Day ${tick}: ${text}`),
    ...(moved.length > NAMED ? [`${moved.length} sentinels changed their position.`] : moved),
    Math.abs(index) >= NOTICED.index &&
      `The integrity index ${index > 0 ? 'rose' : 'fell'} by ${formatNumber(Math.abs(index), 3)}.`,
    isMinting !== before.economy.isMinting && `Minting is ${isMinting ? 'on again' : 'off'}.`,
  ].filter((said) => said !== false);
}

/** A line of what a choice would do. */
export interface Consequence {
  kind: 'pleases' | 'troubles' | 'then';
  term: string;
  text: string;
}

/** What a choice would do: whom it pleases and troubles, and what follows in a week, beside the outlook if nobody chooses. */
export function prospectInWords(prospect: Prospect, otherwise: Outlook, isOver: boolean): Consequence[] {
  const { pleases, troubles, isTurned, outlook } = prospect;
  const index = outlook.mii.middle - otherwise.mii.middle;
  const mic = outlook.circulating.middle - otherwise.circulating.middle;
  const then = [
    !isOver && fateInWords(outlook),
    Math.abs(index) >= NOTICED.index &&
      `integrity index ${formatNumber(Math.abs(index), 3)} ${index > 0 ? 'higher' : 'lower'}`,
    Math.abs(mic) >= NOTICED.mic && `${formatMic(Math.abs(mic))} ${mic > 0 ? 'more' : 'fewer'}`,
  ].filter((said) => said !== false);
  const lines: Consequence[] = isTurned
    ? [{ kind: 'pleases', term: 'Turns', text: 'the question round: who was for it is against it' }]
    : [
        { kind: 'pleases', term: 'Pleases', text: namesInWords(pleases) },
        { kind: 'troubles', term: 'Troubles', text: namesInWords(troubles) },
      ];
  return [
    ...lines.filter(({ text }) => text !== ''),
    { kind: 'then', term: 'In a week', text: then.join(' · ') || 'no difference' },
  ];
}

const FATES: Readonly<Record<Status, string>> = {
  open: 'still undecided',
  lapsed: 'still undecided',
  held: 'carried',
  adopted: 'carried',
  adopted_with_dissent: 'carried',
  imposed: 'in force',
  rejected: 'turned down',
  withdrawn: 'turned down',
};

/** What becomes of the proposal in most futures: `carried`, where it is in all; `carried in 14 of 20 forecasts`. */
function fateInWords({ deliberation, runs }: Outlook): string {
  const counts = new Map<string, number>();
  for (const [status, count] of Object.entries(deliberation))
    counts.set(FATES[status as Status], (counts.get(FATES[status as Status]) ?? 0) + count);
  const [fate, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most));
  return count === runs ? fate : `${fate} in ${count} of ${runs} forecasts`;
}

/** From this number of the ten on, only the others are named. */
const NEARLY_ALL = 7;

function namesInWords(ids: readonly string[]): string {
  if (ids.length < NEARLY_ALL) return ids.join(', ');
  const others = SENTINEL_IDS.filter((id) => !ids.includes(id));
  return others.length === 0 ? 'all ten' : `all but ${formatList(others)}`;
}

/** What circulates, beside what would without the player’s choices and events. */
export function supplyInWords({ economy, unchanged }: World): string {
  const more = (economy.circulating - unchanged.circulating) / MICRO;
  const all = `${formatMic(economy.circulating / MICRO)} circulate`;
  if (Math.abs(more) < 1) return `${all}.`;
  return `${all}, ${formatNumber(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'} than without the changes.`;
}
