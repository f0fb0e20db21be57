import type { Cathedral } from '../../ledger/event.ts';
import { own } from '../../model/own.ts';
import { minting } from '../../model/queries/supply.ts';
import { SENTINEL_IDS, type SentinelId } from '../../model/sentinel-profiles.ts';
import type { State } from '../../model/state.ts';
import { timeOf } from '../../model/window.ts';
import type { Facts, SentinelFacts } from '../facts.ts';

/** What a ledger on disk says, as the sample's world needs it to go on. */
export function factsOf(state: State): Facts {
  const { supply, contracts, multipliers, alerts, deliberations, companions } = state;
  const open = deliberations.filter(({ closed_at }) => closed_at === null);
  const active = Object.entries(companions).filter(([, { status }]) => status === 'active');
  return {
    sentinels: Object.fromEntries(
      SENTINEL_IDS.map((id) => [id, sentinelOf(state, id)]),
    ) as Facts['sentinels'],
    ...supply,
    contracts: new Map(Object.entries(contracts)),
    multipliers: new Map(Object.entries(multipliers) as [Cathedral, number][]),
    minting: minting(state).minting_active,
    alerts: new Set(alerts.map(({ id }) => id)),
    deliberations: new Map(
      open.map(({ id, positions }) => [id, new Map(positions.map((one) => [one.id, one.position]))]),
    ),
    companions: new Set(active.map(([id]) => id)),
  };
}

function sentinelOf(state: State, id: SentinelId): SentinelFacts {
  const known = own(state.sentinels, id);
  if (!known) return { registered: false, lastHeartbeat: 0, upSince: 0 };
  const { retired_at, last_heartbeat, up_since } = known;
  return {
    registered: retired_at === null,
    lastHeartbeat: timeOf(last_heartbeat),
    upSince: timeOf(up_since),
  };
}
