import { restingPoint } from '../../simulation/resting-point.ts';
import { textOf } from '../../simulation/scenario.ts';
import { scenarioNamed } from '../../simulation/scenarios.ts';
import { drawBoard } from './board.ts';
import { showEconomy } from './economy-picture.ts';
import { loudestOthers, tiesWords } from './influence-picture.ts';
import { partsOf, pictureWidth } from './page-parts.ts';
import { type Playing, stateOf } from './player.ts';
import type { WhyHere } from './stages.ts';
import { showTally } from './tally.ts';
import { showTimeLine } from './time-line.ts';

/** What the screen shows besides its card: the matter, the board, the vote, the economy and the time line. */
export function showScreen(page: HTMLElement, playing: Playing, hasTies: boolean): void {
  const { part } = partsOf(page);
  const { run, course, history, looked } = playing;
  const [now, { world, scenario }] = [history[looked]!, course[looked]!];
  part('title').textContent = scenarioNamed(run.scenario).title;
  part('question').textContent = textOf(scenario.question, world);
  part('moment').textContent = momentWords(playing);
  part('place').textContent = placeWords(playing);
  const before = history[Math.max(0, looked - 1)];
  drawBoard(
    part('board'),
    { now, before, resting: restingPoint(world), ties: hasTies ? loudestOthers(world) : null },
    pictureWidth(part('board')),
  );
  part('ties-words').textContent = hasTies ? tiesWords(world) : '';
  part('ties-key').hidden = !hasTies;
  showTally(part('tally'), world, now.sentinels);
  showEconomy(part('economy'), world);
  showTimeLine(page, playing);
}

/** What is going on, in short sentences. */
function momentWords(playing: Playing): string {
  const { looked, course, history, isRunning } = playing;
  const { horizon, deliberation } = history[looked]!.current_state;
  const day = `Day ${looked} of at most ${horizon}.`;
  const vote = deliberation.status === 'open' ? ` The next vote is on day ${deliberation.round_ends}.` : '';
  const { world } = course.at(-1)!;
  switch (stateOf(playing)) {
    case 'story':
      return 'The run has not begun.';
    case 'back':
      return `You are looking back at day ${looked}.`;
    case 'ended':
      return `The run is over after day ${world.tick}.`;
    case 'decision':
      return `${day} ${isRunning ? 'A decision is open.' : 'It is your turn.'}${vote}`;
    case 'running':
      return `${day} The run goes on.${vote}`;
    case 'paused':
      return `${day} The run is paused.${vote}`;
  }
}

function placeWords({ local, isStarted, run }: Playing): string {
  const where = !isStarted ? '' : local === null ? 'Played by the service.' : LOCAL[local];
  return `${where} Seed ${run.seed}.`.trim();
}

/** Why a run is played in the page. */
const LOCAL: Readonly<Record<WhyHere, string>> = {
  no_service: 'Played in this page: there is no service here, only files.',
  offline: 'Played in this page: the service cannot be reached.',
  limit: 'Played in this page: the service has reached its limit for your network.',
  unable: 'Played in this page: the service cannot play this run at present.',
};
