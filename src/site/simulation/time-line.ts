import { labelOf } from '../../simulation/decisions.ts';
import { scenarioNamed } from '../../simulation/scenarios.ts';
import { make } from '../layout/make-element.ts';
import { VOTE_RESULTS } from './outcome-words.ts';
import { partsOf } from './page-parts.ts';
import type { Playing } from './player.ts';

/** Shows the time line: its marks, the day that is looked at, and the buttons that play. */
export function showTimeLine(page: HTMLElement, playing: Playing): void {
  const { part, field } = partsOf(page);
  const { course, isRunning, isStarted, looked, run } = playing;
  showMarks(part('marks'), playing);
  const isOver = course.at(-1)!.world.ending !== null;
  part('controls').hidden = !isStarted;
  part('run').textContent = isRunning ? 'Pause' : 'Run';
  for (const name of ['run', 'step', 'next', 'end']) part<HTMLButtonElement>(name).disabled = isOver;
  const range = field('look');
  range.max = String(course[0]!.scenario.horizon);
  range.value = String(looked);
  range.disabled = !isStarted;
  range.setAttribute('aria-valuetext', `Day ${looked} of ${run.tick}`);
}

/** The reader's actions, votes, and how far the run has come. */
function showMarks(place: HTMLElement, { history, run }: Playing): void {
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
