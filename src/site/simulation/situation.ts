import { formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { askedDecisions, labelOf } from '../../simulation/decisions.ts';
import { takeVote } from '../../simulation/deliberation.ts';
import { ownOpinions } from '../../simulation/opinions.ts';
import { reasonOf } from '../../simulation/reasons.ts';
import type { Run } from '../../simulation/run.ts';
import { isDecided, textOf } from '../../simulation/scenario.ts';
import type { World } from '../../simulation/world.ts';
import { make } from '../layout/make-element.ts';
import { bar, ZONES, zonePlace } from './bar.ts';
import { beforeLastChoice } from './turn.ts';
import {
  changesInWords,
  mintingInWords,
  STANCE_WORDS,
  STATUS_SENTENCES,
  stanceOf,
  supplyInWords,
} from './words.ts';

/** An element of the page by its name in the markup, `data-part`. */
export type Part = (name: string) => HTMLElement;

/** The situation: the question and its clock, what led here, where each one stands, the vote and the economy. */
export function showSituation(part: Part, steps: readonly Run[]): void {
  const run = steps.at(-1)!;
  const { world, scenario } = run;
  const before = beforeLastChoice(steps);
  part('title').textContent = scenario.title;
  part('question').textContent = textOf(scenario.question, world);
  part('moment').textContent = clockWords(run);
  part('clock').replaceChildren(clock(run));
  part('led').replaceChildren(...ledParts(run, before));
  const opened = [...part('board').querySelectorAll<HTMLElement>('[open]')].map(({ id }) => id);
  part('board').replaceChildren(...boardRows(before?.world ?? world, world, opened));
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
function clock({ world, scenario, actions }: Run): HTMLElement {
  const { deliberation, tick } = world;
  const on = (day: number, kind: string, words: string) => ({
    kind,
    at: day / scenario.horizon,
    words: `Day ${day}: ${words}`,
  });
  return bar('clock', [
    { kind: 'played', at: 0, to: tick / scenario.horizon },
    ...deliberation.votes.map((vote) => on(vote.tick, 'vote', 'a vote')),
    ...(deliberation.status === 'open' ? [on(deliberation.roundEnds, 'next', 'the next vote')] : []),
    ...askedDecisions(world).map(({ until }) => on(until, 'due', 'the decision is taken without you')),
    ...actions.map((action) => on(action.tick, 'acted', labelOf(action.name, scenario))),
  ]);
}

/** Changes that are shown at once, the latest ones. */
const SHOWN = 6;

/** The story at first; later, what has changed since the last choice. */
function ledParts({ world, scenario, actions }: Run, before: Run | null): HTMLElement[] {
  if (!before && world.taken.length === 0 && world.deliberation.votes.length === 0) {
    const paragraphs = scenario.story.map((paragraph) => make('p', { class: 'text' }, paragraph));
    // Beside the board there is room for it; on a phone, the choices come first.
    const open = matchMedia('(min-width: 62rem)').matches && '';
    return [make('details', { class: 'story', open }, make('summary', {}, 'The story'), ...paragraphs)];
  }
  const last = actions.at(-1);
  const changes = before ? changesInWords(before.world, world) : world.log.map(({ text }) => text);
  const said = changes.length === 0 ? ['Nothing that can be seen.'] : changes;
  const list = (texts: readonly string[]) =>
    make('ul', { class: 'since' }, ...texts.map((text) => make('li', {}, text)));
  const earlier = said.slice(0, -SHOWN);
  return [
    make('h3', {}, last ? `Since you chose “${labelOf(last.name, scenario)}” on day ${last.tick}` : 'So far'),
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

const ZONE_MARKS = ZONES.map(({ from, to, label }) => ({
  kind: 'zone',
  at: zonePlace(from),
  to: zonePlace(to),
  words: label,
}));

/**
 * A row for each sentinel, which opens to what it says: a dot in the zone of its position, a stroke for its own judgement, and a tail
 * from where it was before. `opened`: the rows that the reader has open.
 */
function boardRows(before: World, now: World, opened: readonly string[]): HTMLElement[] {
  const own = ownOpinions(now);
  return now.sentinels.map(({ id, cathedral }, i) => {
    const [was, is] = [before, now].map(({ conditions }) => zonePlace(conditions.opinion[i]!)) as [
      number,
      number,
    ];
    const stance = stanceOf(now, i);
    return make(
      'details',
      {
        class: 'sentinel printed',
        id: `row-${id}`,
        'data-position': stance,
        open: opened.includes(`row-${id}`) && '',
      },
      make(
        'summary',
        {},
        make('span', {}, id, make('span', { class: 'visually-hidden' }, ` ${STANCE_WORDS[stance]}`)),
        bar('opinion', [
          ...ZONE_MARKS,
          { kind: 'tail', at: Math.min(was, is), to: Math.max(was, is) },
          { kind: 'own', at: zonePlace(own[i]!) },
          { kind: 'dot', at: is },
        ]),
      ),
      make('p', {}, `${reasonOf(now, i).reasoning} `, make('span', { class: 'muted' }, cathedral)),
    );
  });
}

const IF_NOW = {
  carried: 'If they voted today, it would be carried.',
  rejected: 'If they voted today, it would be rejected.',
  divided: 'If they voted today, the vote would be divided.',
  no_quorum: 'If they voted today, too few would take a position.',
} as const;

/** How a vote would go, beside what it needs. */
function tallyParts(world: World): HTMLElement[] {
  const { support, oppose, result } = takeVote(world);
  const { sentinels, levers, deliberation } = world;
  // Rounded up against the rounding of shares such as 0.7.
  const needed = (share: number, all: number) => Math.ceil(share * all - 1e-9);
  const taken = support + oppose;
  return [
    make(
      'p',
      { class: 'verdict' },
      isDecided(world) ? STATUS_SENTENCES[deliberation.status] : IF_NOW[result],
    ),
    make('p', {}, `${support} for, ${oppose} against.`),
    make(
      'p',
      { class: 'muted' },
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
  const at = (value: number) => Math.max(0, value - from) / (1 - from);
  return [
    make('p', { class: 'verdict', 'data-minting': String(isMinting) }, mintingInWords(world)),
    bar('index', [
      { kind: 'played', at: 0, to: at(mii) },
      { kind: 'needed', at: at(threshold), words: 'needed for minting' },
    ]),
    make(
      'p',
      { class: 'muted' },
      `Now ${formatNumber(mii, 3)}. Minting needs ${formatNumber(threshold, 3)}, the line.`,
    ),
    make('p', {}, supplyInWords(world)),
  ];
}
