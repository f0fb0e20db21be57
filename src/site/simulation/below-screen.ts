import { labelOf } from '../../simulation/decisions.ts';
import { replay } from '../../simulation/run.ts';
import { textOf } from '../../simulation/scenario.ts';
import { coursePicture } from './course-picture.ts';
import { formulaTables } from './formula-tables.ts';
import { showMeasures } from './measures.ts';
import { type Part, partsOf, pictureWidth } from './page-parts.ts';
import type { Playing } from './player.ts';
import { offerTakeAway } from './take-away.ts';
import { showVirtues } from './virtues-picture.ts';
import { showVoices } from './voices.ts';
import { whyPanel } from './why-panel.ts';

/** What is below the screen: why, the course, the virtues, the reasons, the formulas, the measures, and what to take away. */
export function showBelow(page: HTMLElement, playing: Playing): void {
  const { part } = partsOf(page);
  const { history, looked, kept, course, run } = playing;
  const now = history[looked]!;
  showWhy(part, playing);
  showFormulas(part, playing);
  part('course').innerHTML = coursePicture(history, {
    width: pictureWidth(part('course')),
    title: `Opinions of the sentinels from day 0 to ${run.tick}`,
    looked,
    ...(kept ? { other: kept.history } : {}),
  });
  showVirtues(part('virtues'), now, history[0]!);
  showVoices(part('voices'), now);
  const other = kept && { label: 'Kept', shown: kept.history[Math.min(looked, kept.history.length - 1)]! };
  showMeasures(part('measures'), [{ label: 'This run', shown: now }, ...(other ? [other] : [])]);
  part('forget').hidden = !kept;
  offerTakeAway(page, playing, textOf(course.at(-1)!.scenario.question, course.at(-1)!.world));
}

/** What the last action up to the day shown moved. */
function showWhy(part: Part, { course, looked, run }: Playing): void {
  const place = part('why');
  const actions = run.actions.filter(({ tick }) => tick <= looked);
  part('why-part').hidden = actions.length === 0;
  const key = JSON.stringify([run, looked]);
  if (actions.length === 0 || place.dataset.key === key) return;
  place.dataset.key = key;
  const index = actions.length - 1;
  const { tick, name } = actions[index]!;
  const at = (count: number) => replay({ ...run, actions: run.actions.slice(0, count), tick }).world;
  const [before, after] = [at(index), at(index + 1)];
  place.replaceChildren(
    whyPanel({
      label: labelOf(name, course[looked]!.scenario),
      tick,
      before,
      after,
      run: course[looked]!,
      index,
    }),
  );
}

/** At the end: the formulas that had an effect, with their values. */
function showFormulas(part: Part, { history }: Playing): void {
  const { debrief } = history.at(-1)!.current_state;
  part('formulas-part').hidden = !debrief;
  if (debrief) part('formulas').replaceChildren(...formulaTables(debrief.explained));
}
