import type { EventOf } from '../../ledger/events/event.ts';
import { addFinding } from '../finding.ts';
import type { Deliberation, State } from '../state.ts';
import { dayOf } from '../window.ts';

const RECENT_DECISIONS = 12;

/** A closed deliberation does not count: a new one may reuse its id. */
function openDeliberation(state: State, id: string): Deliberation | undefined {
  return state.deliberations.find((known) => known.id === id && known.closed_at === null);
}

export function deliberationOpened(state: State, event: EventOf<'deliberation_opened'>): void {
  const { deliberation: id, topic } = event.data;
  state.year.deliberations_opened += 1;
  if (openDeliberation(state, id)) {
    addFinding(state, event, `deliberation ${id} is already open`);
    return;
  }
  state.deliberations.push({
    id,
    topic,
    opened_at: event.timestamp,
    opened_cycle: event.cycle,
    opened_event: event.seq,
    closed_at: null,
    closed_cycle: null,
    closed_event: null,
    consensus: null,
    outcome: null,
    positions: [],
  });
}

const isStated = (text: string) => text.trim() !== '';

/** A sentinel may change its mind. Its last position before the close counts. */
export function positionTaken(state: State, event: EventOf<'position_taken'>): void {
  const { deliberation: id, position, reasoning, virtue_tags } = event.data;
  const has_reasoning = isStated(reasoning);
  state.stated.reasoning ||= has_reasoning;
  if (position === 'oppose' || position === 'abstain') {
    state.contrary.push({ timestamp: event.timestamp, has_reasoning });
  }
  const deliberation = openDeliberation(state, id);
  if (!deliberation) {
    addFinding(state, event, `position on deliberation ${id}, which is not open`, event.agent);
    return;
  }
  const others = deliberation.positions.filter((other) => other.id !== event.agent);
  const own = {
    id: event.agent,
    position,
    reasoning,
    virtue_tags,
    taken_at: event.timestamp,
    event: event.seq,
  };
  deliberation.positions = [...others, own];
}

export function deliberationClosed(state: State, event: EventOf<'deliberation_closed'>): void {
  const { deliberation: id, consensus, outcome } = event.data;
  const deliberation = openDeliberation(state, id);
  if (!deliberation) {
    addFinding(state, event, `close of deliberation ${id}, which is not open`);
    return;
  }
  Object.assign(deliberation, {
    closed_at: event.timestamp,
    closed_cycle: event.cycle,
    closed_event: event.seq,
    consensus,
    outcome,
  });
  state.year.deliberations_closed += 1;
  if (consensus === 'reached') state.year.consensus_reached += 1;
}

export function decisionRecorded(state: State, event: EventOf<'decision_recorded'>): void {
  const {
    decision: id,
    topic,
    outcome,
    lessons_learned,
    frameworks_applied,
    sentinels_involved,
  } = event.data;
  const { stated } = state;
  stated.lessons ||= isStated(lessons_learned);
  stated.frameworks ||= frameworks_applied.length > 0;
  stated.sentinels ||= sentinels_involved.length > 0;
  // A later event with the same id corrects the decision, so only the newest counts.
  state.decisions = state.decisions.filter((known) => known.id !== id);
  state.decisions.push({
    id,
    timestamp: event.timestamp,
    has_lessons: isStated(lessons_learned),
    is_principled: frameworks_applied.length > 0 && sentinels_involved.length > 0,
  });
  state.year.decided[id] = true;
  const decision = { id, date: dayOf(event.timestamp), topic, outcome, replaced: false };
  const earlier = state.year.recent_decisions.map((known) =>
    known.id === id ? { ...known, replaced: true } : known,
  );
  state.year.recent_decisions = [decision, ...earlier].slice(0, RECENT_DECISIONS);
}

export function policyProjected(state: State, event: EventOf<'policy_projected'>): void {
  const { policy, economic_impact: economy, social_impact: society, risks, timeline } = event.data;
  const mitigated = risks.filter(({ mitigation }) => isStated(mitigation)).length;
  state.stated.mitigation ||= mitigated > 0;
  state.risks.push({ timestamp: event.timestamp, risks: risks.length, mitigated });
  const projection = {
    policy,
    projected_at: event.timestamp,
    economic_impact: {
      debt_reduction_annual: economy.debt_reduction_annual,
      gdp_impact: economy.gdp_impact,
      job_creation: economy.job_creation,
    },
    social_impact: {
      access_improvement: society.access_improvement,
      equity_impact: society.equity_impact,
      transparency: society.transparency,
    },
    risks: risks.map(({ risk, severity, mitigation }) => ({ risk, severity, mitigation })),
    timeline,
  };
  const at = state.projections.findIndex((known) => known.policy === policy);
  if (at < 0) state.projections.push(projection);
  else state.projections[at] = projection;
}
