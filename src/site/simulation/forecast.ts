import { OUTLOOK_TICKS, type Outlook } from '../../simulation/outlooks.ts';
import type { Parameter } from '../../simulation/scenario.ts';
import type { World } from '../../simulation/world.ts';
import { make } from '../layout/make-element.ts';
import { OUTCOME_NAMES, OUTCOMES, type Outcome, outcomeOf } from './outcome-words.ts';
import { formatParameter } from './parameter-field.ts';
import { TRENDS, trendBetween } from './predictions.ts';
import { mostOf } from './share-in-words.ts';

/** The forecast of a choice: how many of the futures end how, as squares and in words, and the values that it assumes. */
export function forecastOf(
  outlook: Outlook,
  world: World,
  parameters: Readonly<Record<string, Parameter>>,
): HTMLElement {
  const counts = countOutcomes(outlook);
  return make(
    'div',
    { class: 'forecast' },
    make('p', { class: 'note' }, assumedWords(outlook, parameters)),
    make(
      'div',
      { class: 'futures', 'aria-hidden': 'true' },
      ...OUTCOME_NAMES.flatMap((name) =>
        Array.from({ length: counts[name] }, () => make('i', { 'data-outcome': name })),
      ),
    ),
    make('p', {}, outcomeSentence(counts, outlook.runs)),
    make('p', {}, indexSentence(outlook, world)),
  );
}

function countOutcomes({ deliberation }: Outlook): Record<Outcome, number> {
  const counts: Record<Outcome, number> = { in_force: 0, turned_down: 0, undecided: 0 };
  for (const [status, count] of Object.entries(deliberation))
    counts[outcomeOf(status as World['deliberation']['status'])] += count ?? 0;
  return counts;
}

function outcomeSentence(counts: Readonly<Record<Outcome, number>>, runs: number): string {
  const parts = OUTCOME_NAMES.filter((name) => counts[name] > 0);
  const [only] = parts;
  if (parts.length === 1) return `In all ${runs} futures, it ${OUTCOMES[only!].said}.`;
  const ranked = parts.sort((a, b) => counts[b] - counts[a]);
  const [first, ...rest] = ranked;
  const others = rest.map((name) => OUTCOMES[name].said).join(', or ');
  return `In ${counts[first!]} of ${runs} futures it ${OUTCOMES[first!].said}; in the others it ${others}.`;
}

function indexSentence({ mii, minting, runs }: Outlook, world: World): string {
  const trend = TRENDS[trendBetween(world.economy.mii, mii.middle)].said;
  const spread = mii.high - mii.low < 0.004 ? 'in nearly all of them alike' : 'more in some than in others';
  const how = trend === TRENDS.steady.said ? '' : `, ${spread}`;
  return `The integrity index ${trend}${how}. Minting is on in ${mostOf(minting, runs)} of them.`;
}

function assumedWords({ parameters: assumed }: Outlook, about: Readonly<Record<string, Parameter>>): string {
  const values = Object.entries(assumed).map(([name, value]) => formatParameter(name, value, about[name]));
  const given = values.length === 0 ? '' : `, with ${values.join(', ')}`;
  return `The forecast for the next ${OUTLOOK_TICKS} days${given}:`;
}
