import { formatCount } from '../../../pipeline/words/number.ts';
import { askedDecisions, labelOf } from '../../simulation/decisions.ts';
import { takeVote } from '../../simulation/deliberation.ts';
import type { Run } from '../../simulation/run.ts';
import { isDecided, textOf } from '../../simulation/scenario.ts';
import type { World } from '../../simulation/world.ts';
import { make } from '../layout/make-element.ts';
import { drawBoard } from './board.ts';
import { beforeLastChoice } from './turn.ts';
import { changesInWords, mintingInWords, STATUS_SENTENCES, stanceOf, supplyInWords } from './words.ts';

/** An element of the page by its name in the markup, `data-part`. */
export type Part = <T extends Element = HTMLElement>(name: string) => T;

/** The situation: the question and its clock, what led here, where each one stands, the vote and the economy. */
export function showSituation(part: Part, steps: readonly Run[]): void {
  const run = steps.at(-1)!;
  const { world, scenario } = run;
  const before = beforeLastChoice(steps);
  part('title').textContent = scenario.title;
  part('question').textContent = textOf(scenario.question, world);
  part('moment').textContent = clockWords(run);
  showClock(part('clock'), run);
  part('led').replaceChildren(...ledParts(run, before));
  drawBoard(part<SVGSVGElement>('board'), before?.world ?? world, world);
  part('tally').replaceChildren(...tallyParts(world));
  part('economy').replaceChildren(...economyParts(world));
}

function clockWords({ world, scenario }: Run): string {
  const { deliberation, tick, ending } = world;
  if (ending !== null) return `The run is over after day ${tick}.`;
  const vote = deliberation.status === 'open' ? ` The next vote is on day ${deliberation.roundEnds}.` : '';
  return `Day ${tick} of at most ${scenario.horizon}.${vote}`;
}

/** The days that have passed, with the reader’s choices and the votes, and what comes next. */
function showClock(place: HTMLElement, { world, scenario, actions }: Run): void {
  const { deliberation, tick } = world;
  const share = (days: number) => `${(100 * days) / scenario.horizon}%`;
  const mark = (day: number, kind: string, words: string) => {
    const sign = make('i', { class: kind, title: `Day ${day}: ${words}` });
    sign.style.left = share(day);
    return sign;
  };
  const played = make('span', { class: 'played' });
  played.style.width = share(tick);
  place.replaceChildren(
    played,
    ...deliberation.votes.map((vote) => mark(vote.tick, 'vote', 'a vote')),
    ...(deliberation.status === 'open' ? [mark(deliberation.roundEnds, 'vote next', 'the next vote')] : []),
    ...askedDecisions(world).map(({ until }) => mark(until, 'due', 'the decision is taken without you')),
    ...actions.map((action) => mark(action.tick, 'acted', labelOf(action.name, scenario))),
  );
}

/** Changes that are shown at once, the latest ones. */
const SHOWN = 6;

/** The story at first; later, what has changed since the last choice. */
function ledParts({ world, scenario, actions }: Run, before: Run | null): HTMLElement[] {
  const isNew = !before && world.taken.length === 0 && world.deliberation.votes.length === 0;
  if (isNew) {
    const paragraphs = scenario.story.map((paragraph) => make('p', {}, paragraph));
    // Beside the board there is room for it; on a phone, the choices come first.
    const open = matchMedia('(min-width: 62rem)').matches && '';
    return [make('details', { class: 'story', open }, make('summary', {}, 'The story'), ...paragraphs)];
  }
  const last = actions.at(-1);
  const title = last ? `Since you chose “${labelOf(last.name, scenario)}” on day ${last.tick}` : 'So far';
  const changes = before ? changesInWords(before.world, world) : world.log.map(({ text }) => text);
  const said = changes.length === 0 ? ['Nothing that can be seen.'] : changes;
  const list = (texts: readonly string[]) =>
    make('ul', { class: 'since' }, ...texts.map((text) => make('li', {}, text)));
  const earlier = said.slice(0, -SHOWN);
  return [
    make('h3', {}, title),
    ...(earlier.length === 0
      ? []
      : [
          make(
            'details',
            {},
            make('summary', {}, formatCount(earlier.length, 'earlier change')),
            list(earlier),
          ),
        ]),
    list(said.slice(-SHOWN)),
  ];
}

const IF_NOW = {
  carried: 'If they voted today, it would be carried.',
  rejected: 'If they voted today, it would be rejected.',
  divided: 'If they voted today, the vote would be divided.',
  no_quorum: 'If they voted today, too few would take a position.',
} as const;

const ORDER = ['support', 'support_with_conditions', 'oppose', 'abstain', 'offline', 'recused'];

/** How a vote would go, beside what it needs. */
function tallyParts(world: World): HTMLElement[] {
  const { support, oppose, result } = takeVote(world);
  const { sentinels, levers, deliberation } = world;
  // Rounded up against the rounding of shares such as 0.7.
  const needed = (share: number, all: number) => Math.ceil(share * all - 1e-9);
  const seats = sentinels
    .map(({ id }, i) => ({ id, stance: stanceOf(world, i) }))
    .sort((a, b) => ORDER.indexOf(a.stance) - ORDER.indexOf(b.stance));
  const taken = support + oppose;
  return [
    make(
      'p',
      { class: 'verdict' },
      isDecided(world) ? STATUS_SENTENCES[deliberation.status] : IF_NOW[result],
    ),
    make(
      'div',
      { class: 'meter seats', 'aria-hidden': 'true' },
      ...seats.map(({ id, stance }) => make('span', { 'data-position': stance, title: id })),
    ),
    make('p', {}, `${support} for, ${oppose} against.`),
    make(
      'p',
      { class: 'note' },
      `At least ${needed(levers.quorum, sentinels.length)} must take a position. `,
      `Of ${taken} who do, ${Math.max(1, needed(levers.consensus, taken))} must agree.`,
    ),
  ];
}

/** The scale of the index begins here, or below its value. */
const SCALE_FROM = 0.75;

/** The integrity index beside its threshold, and where the MIC are. */
function economyParts(world: World): HTMLElement[] {
  const { mii, threshold, isMinting } = world.economy;
  const from = Math.min(SCALE_FROM, Math.floor(mii * 20 - 1) / 20);
  const at = (mark: HTMLElement, value: number) => {
    mark.style.left = `${(100 * Math.max(0, value - from)) / (1 - from)}%`;
    return mark;
  };
  return [
    make('p', { class: 'verdict', 'data-minting': String(isMinting) }, mintingInWords(world)),
    make(
      'div',
      { class: 'meter index', 'aria-hidden': 'true' },
      at(make('i', { class: 'needle' }, make('b', {}, 'needed')), threshold),
      at(make('i', { class: 'reading', 'data-minting': String(isMinting) }), mii),
    ),
    make('p', {}, supplyInWords(world)),
  ];
}
