import { formatList } from '../../../pipeline/words/phrase.ts';
import type { Shown } from '../../simulation/view.ts';
import type { Position } from '../../simulation/world.ts';

const NOW: Readonly<Record<Position, string>> = {
  support: 'is now for it',
  support_with_conditions: 'is now for it, with conditions',
  oppose: 'is now against it',
  abstain: 'is now undecided',
};

/** What changed since the previous update, for screen readers; empty if nothing notable did. */
export function describeChange(before: Shown | undefined, now: Shown): string {
  const { current_state: state, tick } = now;
  const known = new Set(before?.current_state.decisions.map(({ name }) => name));
  const opened = state.decisions
    .filter(({ name }) => !known.has(name))
    .map(({ title, prompt }) => `Your decision: ${title}. ${prompt}`);
  const ended = state.debrief ? [`The run is over: ${state.debrief.title}.`] : [];
  const said = [
    ...newNotes(before, now),
    ...(before ? movedSentences(before, now) : []),
    ...opened,
    ...ended,
  ];
  return said.length === 0 ? '' : `Day ${tick}. ${said.join(' ')}`;
}

function newNotes(before: Shown | undefined, { tick, current_state: { happened } }: Shown): string[] {
  if (before?.tick === tick)
    return happened.slice(before.current_state.happened.length).map(({ text }) => text);
  return happened.map(({ text }) => text);
}

/** At most this many sentinels are named. */
const NAMED = 3;

function movedSentences(before: Shown, now: Shown): string[] {
  const moved = now.sentinels.filter(({ id, position }) => {
    const then = before.sentinels.find((one) => one.id === id);
    return then !== undefined && then.position !== position;
  });
  if (moved.length > NAMED) return [`${moved.length} sentinels changed their position.`];
  return moved.map(({ id, position }) => `${id} ${NOW[position]}.`);
}

const COUNTED = [
  ['support', 'for'],
  ['support_with_conditions', 'for, with conditions'],
  ['abstain', 'undecided'],
  ['oppose', 'against'],
] as const;

/** `For: ATLAS and EVE. Undecided: none. …`: the text of the board. */
export function describeStances({ sentinels }: Shown): string {
  return COUNTED.map(([wanted, words]) => {
    const ids = sentinels.filter(({ position, status }) => position === wanted && status === 'operational');
    return `${words}: ${ids.length === 0 ? 'none' : formatList(ids.map(({ id }) => id))}`;
  }).join('; ');
}
