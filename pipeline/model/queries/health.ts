import { activeSentinels, NO_HEARTBEAT_YET, sentinelStatus } from '../sentinel-status.ts';
import type { Alert, State } from '../state.ts';
import { newestWithin } from '../window.ts';
import { minting } from './supply.ts';

/** Open alerts and the findings of the last thirty days, newest first. */
export function activeAlerts(state: State): Alert[] {
  const raised = new Set(state.alerts.map(({ id }) => id));
  const findings = newestWithin(state.findings.recent, state.asOf, (finding) => finding.raised_at).map(
    (finding) => ({
      ...finding,
      id: freeId(finding.id, raised),
    }),
  );
  const newestFirst = (a: Alert, b: Alert) =>
    a.raised_at < b.raised_at ? 1 : a.raised_at > b.raised_at ? -1 : 0;
  return [...state.alerts, ...findings].sort(newestFirst);
}

export const HEALTHS = ['healthy', 'degraded', 'critical', 'not_measured'] as const;

/** Alerts in a ledger may have ids that look like those of findings. The alert then keeps its id. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  return taken.has(id) ? freeId(`${id}-finding`, taken) : id;
}

/**
 * critical: a third of the active sentinels offline, MII below its threshold, or a critical alert. degraded: a sentinel degraded or
 * offline, or a warning. not_measured: none of these, no MII to compare with a threshold, and no heartbeat of an active sentinel.
 * Otherwise healthy. A sentinel counts from its first heartbeat on.
 */
export function systemHealth(state: State): (typeof HEALTHS)[number] {
  const statuses = activeSentinels(state)
    .map((sentinel) => sentinelStatus(sentinel, state.asOf))
    .filter((status) => status !== NO_HEARTBEAT_YET);
  const offline = statuses.filter((status) => status === 'offline').length;
  const severities = new Set(activeAlerts(state).map(({ severity }) => severity));
  const { mii, threshold } = minting(state);
  const isGated = mii !== null && threshold !== null;
  if (
    (offline > 0 && offline * 3 >= statuses.length) ||
    (isGated && mii < threshold) ||
    severities.has('critical')
  )
    return 'critical';
  if (statuses.some((status) => status !== 'operational') || severities.has('warning')) return 'degraded';
  return statuses.length > 0 || isGated ? 'healthy' : 'not_measured';
}
