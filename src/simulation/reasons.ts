import { loudestFor, positionOf, type Term, termsOf } from './opinions.ts';
import { type Position, VIRTUES, type Virtue, type World } from './world.ts';

/** Smaller terms of the utility are not mentioned. */
const NOTICEABLE = 0.03;

const POSITIONS: Readonly<Record<Position, readonly [i: string, it: string]>> = {
  support: ['support it', 'supports it'],
  support_with_conditions: ['support it with conditions', 'supports it with conditions'],
  abstain: ['take no side', 'takes no side'],
  oppose: ['oppose it', 'opposes it'],
};

/** For the proposal, and against it. */
const CAUSES: Readonly<Record<Term[0], readonly [pro: string, contra: string]>> = {
  ...(Object.fromEntries(
    VIRTUES.map((virtue) => [virtue, [`${virtue} speaks for it`, `${virtue} speaks against it`]]),
  ) as Record<Virtue, [string, string]>),
  stake: ['my cathedral would gain by it', 'my cathedral would lose by it'],
  lure: ['my drift draws me towards it', 'my drift draws me away from it'],
  temper: ['it suits my temper', 'it goes against my temper'],
};

/** What a sentinel says of its position: the two largest terms of its own judgement, and the loudest voice that it hears. */
export function reasonOf(world: World, i: number): { reasoning: string; virtue_tags: readonly Virtue[] } {
  const sentinel = world.sentinels[i]!;
  const { opinion, drift } = world.conditions;
  const terms = termsOf(sentinel, drift[i]!, world)
    .filter(([, value]) => Math.abs(value) >= NOTICEABLE)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const virtue_tags = terms.flatMap(([cause]) => VIRTUES.filter((one) => one === cause)).slice(0, 2);
  const reasons = sentenceOf(terms.slice(0, 2));
  const [position] = POSITIONS[positionOf(opinion[i]!)];
  if (!sentinel.isOnline)
    return { reasoning: `I am offline. When I left, I would have said: I ${position}.`, virtue_tags };
  if (sentinel.isRecused)
    return { reasoning: `I am recused: I neither speak nor vote. ${reasons}`, virtue_tags };
  const loudest = loudestFor(i, world);
  const heard =
    loudest < 0
      ? 'I hear nobody but myself.'
      : `I listen most to ${world.sentinels[loudest]!.id}, who ${POSITIONS[positionOf(opinion[loudest]!)][1]}.`;
  return { reasoning: `I ${position}. ${reasons} ${heard}`, virtue_tags };
}

/** `Justice speaks for it, but my cathedral would lose by it.` */
function sentenceOf([first, second]: readonly Term[]): string {
  if (!first) return 'It hardly touches what matters to me.';
  const said = ([cause, value]: Term) => CAUSES[cause][value > 0 ? 0 : 1];
  const joined = second
    ? `${said(first)}, ${first[1] > 0 === second[1] > 0 ? 'and' : 'but'} ${said(second)}.`
    : `${said(first)}.`;
  return joined.charAt(0).toUpperCase() + joined.slice(1);
}
