import type { LedgerEvent } from '../../pipeline/ledger/events/event.ts';

/**
 * Recomputes the published numbers from the raw events in the slow, obvious way, without code of the model: every function goes
 * through the whole list.
 */
// biome-ignore lint/suspicious/noExplicitAny: the raw data, read without the project's types
type Raw = LedgerEvent & { data: any };
const DAY = 86_400_000;
const ms = (event: Raw) => Date.parse(event.timestamp);
const of = (events: Raw[], ...types: string[]) => events.filter((event) => types.includes(event.type));
const mean = (values: number[]) =>
  values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;
const share = (part: number, all: number) => (all === 0 ? null : part / all);
const per = (value: number | null, unit: number) => (value === null ? null : value / unit);
const last = <T>(items: T[]): T | undefined => items[items.length - 1];

export function naiveSupply(events: Raw[]) {
  const micro = (type: string, field = 'amount') =>
    of(events, type).reduce((sum, event) => {
      const [whole, fraction = ''] = event.data[field].split('.');
      return sum + BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
    }, 0n);
  const total = micro('genesis', 'allocation') + micro('mic_mint');
  const locked = micro('mic_lock') - micro('mic_unlock');
  const burned = micro('mic_burn');
  return { total, locked, burned, circulating: total - locked - burned };
}

/** What the transparency report says of the year of the last event, but for its sentinels, virtues and jurisdictions. */
export function naiveYear(events: Raw[]) {
  const year = last(events)!.timestamp.slice(0, 4);
  const inYear = events.filter(({ timestamp }) => timestamp.startsWith(year));
  const before = events.slice(0, events.length - inYear.length);
  const count = (...types: string[]) => of(inYear, ...types).length;
  const closed = of(inYear, 'deliberation_closed');
  return {
    events: inYear.length,
    attestations: count('attestation'),
    alerts_raised: count('alert_raised'),
    deliberations_opened: count('deliberation_opened'),
    deliberations_closed: closed.length,
    consensus_reached: closed.filter(({ data }) => data.consensus === 'reached').length,
    decisions_recorded: new Set(of(inYear, 'decision_recorded').map(({ data }) => data.decision)).size,
    opening_supply: naiveSupply(before).total,
    minted: naiveSupply(of(inYear, 'mic_mint')).total,
    burned: naiveSupply(inYear).burned,
    closing_supply: naiveSupply(events).total,
    months: [...new Set(inYear.map(({ timestamp }) => timestamp.slice(0, 7)))].map((month) =>
      naiveMonth(events, month),
    ),
  };
}

function naiveMonth(events: Raw[], month: string) {
  const own = events.filter(({ timestamp }) => timestamp.startsWith(month));
  const mii = of(own, 'mii_reading').map(({ data }) => data.mii as number);
  return {
    month,
    minted: naiveSupply(of(own, 'mic_mint')).total,
    burned: naiveSupply(own).burned,
    total_supply: naiveSupply(events.filter(({ timestamp }) => timestamp.slice(0, 7) <= month)).total,
    mints: of(own, 'mic_mint').length,
    attestations: of(own, 'attestation').length,
    mii_mean: mean(mii),
    mii_min: mii.length === 0 ? null : Math.min(...mii),
  };
}

/** Each sentinel that was not retired before the day of the last event, as if that day were over. */
export function naiveSentinelDays(events: Raw[]) {
  const day = last(events)!.timestamp.slice(0, 10);
  const lives = of(events, 'sentinel_registered', 'sentinel_retired');
  const ids = new Set(lives.map(({ data }) => data.sentinel as string));
  return [...ids].flatMap((id) => {
    const change = last(lives.filter(({ data }) => data.sentinel === id))!;
    const isRetired = change.type === 'sentinel_retired';
    if (isRetired && change.timestamp < day) return [];
    const beats = of(events, 'heartbeat').filter(({ agent }) => agent === id);
    const times = [...beats.map(ms), isRetired ? ms(change) : Date.parse(day) + DAY];
    const gaps = times.slice(1).map((time, at) => ({ time, ms: time - times[at]! }));
    const today = gaps.filter(({ time }) => time >= Date.parse(day));
    const attested = last(of(events, 'attestation').filter(({ agent }) => agent === id));
    return {
      id,
      heartbeats: beats.filter(({ timestamp }) => timestamp >= day).length,
      silence: beats.length === 0 ? null : Math.max(...today.map(({ ms }) => ms)),
      score: attested?.data.score ?? null,
      gi_score: attested?.data.gi_score ?? null,
    };
  });
}

export function naiveRoi(events: Raw[], sentinel: string): number | null {
  const own = of(events, 'mic_mint').filter((event) => event.data.sentinel === sentinel);
  return per(mean(own.map((event) => Number(event.data.amount))), 1000);
}

/** The metrics over the thirty days before the last of `events`. */
export function naiveMetrics(events: Raw[]): Record<string, number | null> {
  const end = ms(last(events)!);
  const start = end - 30 * DAY;
  const recent = events.filter((event) => ms(event) >= start);
  const wholeHours = events.filter((event) => Math.floor(ms(event) / 3_600_000) * 3_600_000 >= start);
  const attested = of(wholeHours, 'attestation');
  return {
    integrity: last(of(events, 'mii_reading'))?.data.mii ?? null,
    temperance: temperance(events, recent),
    justice: justice(events, wholeHours),
    prudence: prudence(recent),
    courage: courage(recent),
    mean_gi_score: mean(attested.map((event) => event.data.gi_score)),
    mean_coordination: per(mean(attested.map((event) => event.data.score)), 100),
    consensus_rate: consensus(recent),
  };
}

function consensus(recent: Raw[]): number | null {
  const closed = of(recent, 'deliberation_closed');
  return share(closed.filter((event) => event.data.consensus === 'reached').length, closed.length);
}

function temperance(events: Raw[], recent: Raw[]): number | null {
  const closed = of(recent, 'deliberation_closed');
  const swift = closed.filter((close) => {
    const opened = of(events, 'deliberation_opened').find(
      (open) => open.data.deliberation === close.data.deliberation,
    );
    return opened?.cycle === close.cycle;
  });
  return share(swift.length, closed.length);
}

function justice(events: Raw[], recent: Raw[]): number | null {
  const active = new Set<string>();
  for (const event of of(events, 'sentinel_registered', 'sentinel_retired')) {
    if (event.type === 'sentinel_registered') active.add(event.data.sentinel);
    else active.delete(event.data.sentinel);
  }
  const sums = [...active].map((id) =>
    of(recent, 'mic_mint')
      .filter((event) => event.data.sentinel === id)
      .reduce((sum, event) => sum + Number(event.data.amount) / event.data.multiplier, 0),
  );
  const all = sums.reduce((a, b) => a + b, 0);
  if (all === 0 || sums.length < 2) return null;
  // Mean absolute difference over twice the mean: the definition, not the sorted form in the model.
  let difference = 0;
  for (const a of sums) for (const b of sums) difference += Math.abs(a - b);
  return 1 - difference / (2 * sums.length * all);
}

function prudence(recent: Raw[]): number | null {
  const risks = of(recent, 'policy_projected').flatMap((event) => event.data.risks);
  // The newest event of an id corrects the earlier ones.
  const decisions = of(recent, 'decision_recorded').filter(
    (one, index, all) => !all.slice(index + 1).some((later) => later.data.decision === one.data.decision),
  );
  const mitigated = risks.filter((risk) => risk.mitigation !== '').length;
  const learned = decisions.filter((event) => event.data.lessons_learned !== '').length;
  return share(mitigated + learned, risks.length + decisions.length);
}

function courage(recent: Raw[]): number | null {
  const contrary = of(recent, 'position_taken').filter((event) =>
    ['oppose', 'abstain'].includes(event.data.position),
  );
  return share(contrary.filter((event) => event.data.reasoning.trim() !== '').length, contrary.length);
}

/** Drift against the metrics of the events of the first thirty days. */
export function naiveDrift(events: Raw[]): {
  score: number | null;
  trends: Record<string, number | null>;
} {
  const first = Date.parse(events[0]!.timestamp);
  const early = events.filter((event) => ms(event) < first + 30 * DAY);
  const [now, then] = [naiveMetrics(events), naiveMetrics(early)];
  const isOver = early.length < events.length;
  const change = (a: number | null, b: number | null) => (!isOver || a === null || b === null ? null : a - b);
  const trends = Object.fromEntries(
    Object.keys(now).map((metric) => [metric, change(now[metric]!, then[metric]!)]),
  );
  const sizes = Object.values(trends).flatMap((drift) => (drift === null ? [] : [Math.abs(drift)]));
  return { score: mean(sizes), trends };
}
