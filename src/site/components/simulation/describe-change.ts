import type { Shown } from '../../../simulation/view.ts';
import type { Position } from '../../../simulation/world.ts';

export const POSITION_WORDS: Readonly<Record<Position, string>> = {
  support: 'supports',
  support_with_conditions: 'supports with conditions',
  oppose: 'opposes',
  abstain: 'abstains',
};

/** What changed since the previous tick, for screen readers; empty if nothing notable did. */
export function describeChange(before: Shown | undefined, now: Shown): string {
  const { current_state: state, tick } = now;
  const moved = before ? movedSentences(before, now) : [];
  const known = new Set(before?.current_state.decisions.map(({ name }) => name));
  const opened = state.decisions
    .filter(({ name }) => !known.has(name))
    .map(({ title, prompt }) => `Decision needed: ${title}. ${prompt}`);
  const isNew = before?.tick !== tick || before.current_state.happened.length < state.happened.length;
  const ended = state.debrief ? [`The run is over: ${state.debrief.title}.`] : [];
  const said = [...(isNew ? state.happened : []), ...moved, ...opened, ...ended];
  return said.length === 0 ? '' : `Tick ${tick}. ${said.join(' ')}`;
}

/** At most this many sentinels are named. */
const NAMED = 3;

function movedSentences(before: Shown, now: Shown): string[] {
  const moved = now.sentinels.filter(({ id, position }) => {
    const then = before.sentinels.find((one) => one.id === id);
    return then !== undefined && then.position !== position;
  });
  if (moved.length > NAMED) return [`${moved.length} sentinels changed their position.`];
  return moved.map(({ id, position }) => `${id} now ${POSITION_WORDS[position]}.`);
}

/** `4 support, 2 support with conditions, 1 abstain, 3 oppose`: the accessible name of a picture. */
export function describeStances({ sentinels }: Shown): string {
  const count = (wanted: Position) => sentinels.filter(({ position }) => position === wanted).length;
  return `${count('support')} support, ${count('support_with_conditions')} support with conditions, ${count('abstain')} abstain, ${count('oppose')} oppose`;
}
