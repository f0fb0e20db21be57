import type { EventOf } from '../ledger/events/event.ts';
import { type Draft, draft } from './agenda.ts';
import type { World } from './world.ts';

export function raise({ facts }: World, agent: string, alert: EventOf<'alert_raised'>['data']): Draft {
  facts.alerts.add(alert.alert);
  return draft('alert_raised', agent, alert);
}

/** Null if the alert is not active. */
export function clear({ facts }: World, alert: string): Draft | null {
  return facts.alerts.delete(alert) ? draft('alert_cleared', 'WATCH', { alert }) : null;
}

/** The active alerts whose ids begin so. */
export function activeAlerts({ facts }: World, prefix: string): string[] {
  return [...facts.alerts].filter((alert) => alert.startsWith(prefix));
}
