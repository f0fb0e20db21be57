import { labelOf } from '../../../simulation/decisions.ts';
import { scenarioNamed } from '../../../simulation/scenarios.ts';
import { make } from './make-element.ts';
import { VOTE_RESULTS } from './outcome-words.ts';
import type { Playing } from './player.ts';

/** The marks over the time line: the reader's actions, votes, and how far the run has come. */
export function showTimeLine(place: HTMLElement, { history, run }: Playing): void {
  const { horizon, actions, deliberation } = history.at(-1)!.current_state;
  const scenario = scenarioNamed(run.scenario);
  const at = (tick: number, sign: HTMLElement) => {
    sign.style.left = `${(100 * tick) / horizon}%`;
    return sign;
  };
  const played = make('span', { class: 'played' });
  played.style.width = `${(100 * run.tick) / horizon}%`;
  place.replaceChildren(
    played,
    ...deliberation.votes.map(({ tick, result }) =>
      at(tick, make('i', { class: 'voted', title: `Day ${tick}: ${VOTE_RESULTS[result]}` })),
    ),
    ...(deliberation.status === 'open'
      ? [
          at(
            deliberation.round_ends,
            make('i', { class: 'voted next', title: `Day ${deliberation.round_ends}: next vote` }),
          ),
        ]
      : []),
    ...actions.map(({ tick, name }) =>
      at(tick, make('i', { class: 'acted', title: `Day ${tick}: ${labelOf(name, scenario)}` })),
    ),
  );
}
