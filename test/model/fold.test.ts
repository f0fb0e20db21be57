import { describe, expect, test } from 'vitest';
import { attestationUuid } from '../../pipeline/attestation/canonical-bytes.ts';
import { formatAmount, roundToAmount } from '../../pipeline/model/amount.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { reward } from '../../pipeline/model/formulas.ts';
import { complianceStatus, nextAudits, worstStatus } from '../../pipeline/model/queries/compliance.ts';
import { averageCoordination } from '../../pipeline/model/queries/coordination.ts';
import { drift } from '../../pipeline/model/queries/drift.ts';
import { activeAlerts, systemHealth } from '../../pipeline/model/queries/health.ts';
import { metrics } from '../../pipeline/model/queries/metrics.ts';
import { roiByCathedral } from '../../pipeline/model/queries/roi.ts';
import { sentinelDays } from '../../pipeline/model/queries/sentinel-days.ts';
import { minting, supply } from '../../pipeline/model/queries/supply.ts';
import { governance } from '../../pipeline/model/queries/transparency.ts';
import { virtueScores, virtueStatus } from '../../pipeline/model/queries/virtues.ts';
import { sentinelStatus, uptimeDays } from '../../pipeline/model/sentinel-status.ts';
import { formatState, parseState, type State } from '../../pipeline/model/state.ts';
import { TestLedger } from './events.ts';

const G = '2025-07-03T00:00:00Z';
const fold = (ledger: TestLedger, from: State = emptyState()) => ledger.leaves.reduce(apply, from);
const begun = () =>
  new TestLedger()
    .add(G, 'genesis', 'LEDGER', { allocation: '1000000', multipliers: { 'FOR-GOVERNMENTS': 2 } })
    .add(G, 'sentinel_registered', 'LEDGER', { sentinel: 'ATLAS', cathedral: 'FOR-GOVERNMENTS' });
const mint = (amount: string) => ({
  sentinel: 'ATLAS',
  cathedral: 'FOR-GOVERNMENTS' as const,
  coordination_score: 50,
  multiplier: 2,
  amount,
});
const statements = (state: State) => state.findings.recent.map(({ message }) => message);

describe('supply', () => {
  test('is exact beyond the precision of doubles', () => {
    const ledger = begun().add(G, 'mic_burn', 'TREASURY', { amount: '0.1', reason: 'fee' });
    for (let i = 0; i < 10; i += 1) ledger.add(G, 'mic_mint', 'MINT', mint('0.1'));
    ledger.add(G, 'mic_lock', 'TREASURY', { amount: '0.2', contract: 'grant' });
    const { total, circulating, locked, burned } = supply(fold(ledger));
    expect([total, circulating, locked, burned].map(formatAmount)).toEqual([
      '1000001',
      '1000000.7',
      '0.2',
      '0.1',
    ]);
  });

  test('counts and reports a burn that exceeds the circulating supply', () => {
    const state = fold(begun().add(G, 'mic_burn', 'TREASURY', { amount: '1000001', reason: 'fee' }));
    expect(formatAmount(supply(state).circulating)).toBe('-1');
    expect(statements(state)).toEqual(['Event 2: 1000001 MIC burned, but only 1000000 circulate']);
  });

  test('counts and reports a lock that exceeds the circulating supply', () => {
    const lock = { amount: '1000000.5', contract: 'grant' };
    const state = fold(begun().add(G, 'mic_lock', 'TREASURY', lock));
    expect(formatAmount(supply(state).circulating)).toBe('-0.5');
    expect(statements(state)).toEqual(['Event 2: 1000000.5 MIC locked, but only 1000000 circulate']);
  });

  test('counts and reports an unlock that exceeds the contract’s balance', () => {
    const state = fold(begun().add(G, 'mic_unlock', 'TREASURY', { amount: '3', contract: 'grant' }));
    expect(formatAmount(supply(state).locked)).toBe('-3');
    expect(statements(state)).toEqual(['Event 2: 3 MIC unlocked, but grant holds 0']);
  });
});

describe('a mint', () => {
  test('by the formula, or a millionth beside it, is not a finding', () => {
    const findings = (amount: string) =>
      fold(begun().add(G, 'mic_mint', 'MINT', mint(amount))).findings.total;
    expect(['999.999999', '1000', '1000.000001'].map(findings)).toEqual([0, 0, 0]);
    expect(['999.999998', '1000.000002'].map(findings)).toEqual([1, 1]);
  });

  test('of a different amount counts and raises an alert', () => {
    const state = fold(begun().add(G, 'mic_mint', 'MINT', mint('1000.00001')));
    expect(formatAmount(supply(state).total)).toBe('1001000.00001');
    expect(activeAlerts(state)).toMatchObject([{ severity: 'warning', scope: 'ledger', sentinel: 'ATLAS' }]);
    expect(statements(state)[0]).toContain('1000.00001 MIC minted, but the reward formula gives 1000');
  });

  test('with a multiplier other than the cathedral’s is a finding', () => {
    const wrong = { ...mint(roundToAmount(reward(50, 1.5))), multiplier: 1.5 };
    expect(statements(fold(begun().add(G, 'mic_mint', 'MINT', wrong)))).toEqual([
      'Event 2: the mint uses multiplier 1.5, but that of FOR-GOVERNMENTS is 2',
    ]);
  });
});

describe('minting', () => {
  test('is active at exactly the threshold, inactive below it, and neither before the first reading', () => {
    const at = (mii: number) => minting(fold(begun().add(G, 'mii_reading', 'MII', { mii }))).minting_active;
    expect([at(0.95), at(0.9499999), minting(fold(begun())).minting_active]).toEqual([true, false, null]);
  });
});

describe('a sentinel', () => {
  const beat = (...times: string[]) => {
    const ledger = begun();
    for (const time of times) ledger.add(time, 'heartbeat', 'ATLAS', {});
    return fold(ledger);
  };
  const at = (state: State, time: string) => sentinelStatus(state.sentinels.ATLAS!, time);

  test('is operational up to 12 h after a heartbeat, degraded up to 24 h, then offline', () => {
    const state = beat('2025-07-03T06:00:00Z');
    expect(at(state, '2025-07-03T18:00:00Z')).toBe('operational');
    expect(at(state, '2025-07-03T18:00:01Z')).toBe('degraded');
    expect(at(state, '2025-07-04T06:00:00Z')).toBe('degraded');
    expect(at(state, '2025-07-04T06:00:01Z')).toBe('offline');
  });

  test('restarts its uptime after more than 24 h of silence, and has none while offline', () => {
    const calm = beat('2025-07-04T00:00:00Z', '2025-07-05T00:00:00Z', '2025-07-06T00:00:00Z');
    expect(uptimeDays(calm.sentinels.ATLAS!, calm.asOf)).toBe(3);
    const back = beat('2025-07-04T00:00:00Z', '2025-07-05T00:00:01Z', '2025-07-05T23:00:00Z');
    expect(uptimeDays(back.sentinels.ATLAS!, '2025-07-06T12:00:00Z')).toBe(1);
    expect(uptimeDays(back.sentinels.ATLAS!, '2025-07-09T12:00:00Z')).toBe(0);
    expect(back.year.outages).toBe(1);
  });

  test('is neither up nor offline before its first heartbeat, which ends no outage and starts the uptime', () => {
    const silent = fold(begun());
    expect(at(silent, '2026-07-03T00:00:00Z')).toBe('no_heartbeat_yet');
    expect(uptimeDays(silent.sentinels.ATLAS!, '2026-07-03T00:00:00Z')).toBeNull();
    const late = beat('2025-07-13T00:00:00Z');
    expect([uptimeDays(late.sentinels.ATLAS!, '2025-07-14T00:00:00Z'), late.year.outages]).toEqual([1, 0]);
    const register = { sentinel: 'ATLAS', cathedral: 'DIPLOMACY' } as const;
    const again = fold(
      begun()
        .add(G, 'heartbeat', 'ATLAS', {})
        .add('2025-07-04T00:00:00Z', 'sentinel_retired', 'LEDGER', { sentinel: 'ATLAS' })
        .add('2025-09-04T00:00:00Z', 'sentinel_registered', 'LEDGER', register),
    );
    expect(at(again, again.asOf)).toBe('no_heartbeat_yet');
    const moved = fold(
      begun().add(G, 'heartbeat', 'ATLAS', {}).add(G, 'sentinel_registered', 'LEDGER', register),
    );
    expect(at(moved, moved.asOf)).toBe('operational');
  });

  test('that is not registered is a finding, even if its name is that of a built-in', () => {
    const state = fold(begun().add(G, 'heartbeat', 'constructor', {}));
    expect(statements(state)).toEqual(['Event 2: heartbeat from constructor, which is not registered']);
  });
});

describe('system health', () => {
  const healthy = () => begun().add(G, 'mii_reading', 'MII', { mii: 0.96 });
  const alert = (severity: 'info' | 'warning' | 'critical') => ({
    alert: 'a1',
    severity,
    scope: 'system' as const,
    message: 'x',
  });

  test('is healthy, degraded with a warning, critical with a critical alert, and healthy again once cleared', () => {
    expect(systemHealth(fold(healthy()))).toBe('healthy');
    expect(systemHealth(fold(healthy().add(G, 'alert_raised', 'W', alert('info'))))).toBe('healthy');
    expect(systemHealth(fold(healthy().add(G, 'alert_raised', 'W', alert('warning'))))).toBe('degraded');
    const critical = healthy().add(G, 'alert_raised', 'W', alert('critical'));
    expect(systemHealth(fold(critical))).toBe('critical');
    expect(systemHealth(fold(critical.add(G, 'alert_cleared', 'W', { alert: 'a1' })))).toBe('healthy');
  });

  test('is not measured if there is an MII but no supply, and so no threshold', () => {
    const alone = new TestLedger().add(G, 'mii_reading', 'MII', { mii: 0.96 });
    expect(minting(fold(alone))).toEqual({ mii: 0.96, threshold: null, minting_active: null });
    expect(systemHealth(fold(alone))).toBe('not_measured');
    expect(systemHealth(fold(alone.add(G, 'alert_raised', 'W', alert('warning'))))).toBe('degraded');
  });

  test('does not count sentinels before their first heartbeat', () => {
    const reading = (ledger: TestLedger) =>
      ledger.add('2025-07-09T00:00:00Z', 'mii_reading', 'MII', { mii: 0.96 });
    const supplyless = new TestLedger().add(G, 'sentinel_registered', 'LEDGER', {
      sentinel: 'ATLAS',
      cathedral: 'DIPLOMACY',
    });
    expect(systemHealth(fold(reading(supplyless)))).toBe('not_measured');
    expect(systemHealth(fold(reading(begun())))).toBe('healthy');
    expect(systemHealth(fold(reading(begun().add(G, 'heartbeat', 'ATLAS', {}))))).toBe('critical');
  });

  test('is critical if a third of the sentinels are offline, and degraded if fewer are', () => {
    const offline = (silent: number, beating: number) => {
      const names = (prefix: string, count: number) =>
        Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
      const [quiet, alive] = [names('QUIET', silent), names('ALIVE', beating)];
      const ledger = new TestLedger();
      for (const sentinel of [...quiet, ...alive])
        ledger
          .add(G, 'sentinel_registered', 'LEDGER', { sentinel, cathedral: 'DIPLOMACY' })
          .add(G, 'heartbeat', sentinel, {});
      for (const sentinel of alive) ledger.add('2025-07-09T00:00:00Z', 'heartbeat', sentinel, {});
      return systemHealth(fold(ledger));
    };
    expect([offline(0, 3), offline(1, 3), offline(1, 2), offline(2, 4)]).toEqual([
      'healthy',
      'degraded',
      'critical',
      'critical',
    ]);
  });

  test('is critical while the MII is below its threshold', () => {
    expect(systemHealth(fold(healthy().add(G, 'mii_reading', 'MII', { mii: 0.9 })))).toBe('critical');
  });
});

describe('a sentinel that registers again in another cathedral', () => {
  const ledger = begun()
    .add(G, 'mic_mint', 'MINT', mint('500'))
    .add(G, 'sentinel_registered', 'LEDGER', { sentinel: 'ATLAS', cathedral: 'DIPLOMACY' })
    .add(G, 'mic_mint', 'MINT', { ...mint('1000'), cathedral: 'DIPLOMACY' });

  test('leaves its earlier mints with the earlier cathedral', () => {
    const { 'FOR-GOVERNMENTS': before, DIPLOMACY: now } = roiByCathedral(fold(ledger));
    expect(before).toMatchObject({ total_rewards: 500_000_000n, sentinel_count: 0, average_roi: 0.5 });
    expect(now).toMatchObject({ total_rewards: 1_000_000_000n, sentinel_count: 1, average_roi: 1 });
  });

  test('keeps the total of its mints', () => {
    expect(fold(ledger).sentinels.ATLAS).toMatchObject({ minted: 1_500_000_000n, mints: 2 });
  });
});

describe('a retired sentinel', () => {
  test('has no outage when a heartbeat arrives much later, which is a finding', () => {
    const state = fold(
      begun()
        .add(G, 'sentinel_retired', 'LEDGER', { sentinel: 'ATLAS' })
        .add('2025-07-09T00:00:00Z', 'heartbeat', 'ATLAS', {}),
    );
    expect(state.year.outages).toBe(0);
    expect(state.day.heartbeats).toEqual({});
    expect(state.sentinels.ATLAS!.last_heartbeat).toBeNull();
    expect(statements(state)).toEqual(['Event 3: heartbeat from ATLAS, which is retired']);
  });
});

describe('the days of a sentinel', () => {
  test('end with the day on which it retires, even in its first second', () => {
    const of = (time: string) => {
      const retired = begun().add('2025-07-04T00:00:00Z', 'sentinel_retired', 'LEDGER', {
        sentinel: 'ATLAS',
      });
      return sentinelDays(fold(retired.add(time, 'mii_reading', 'MII', { mii: 0.96 }))).map(({ id }) => id);
    };
    expect([of('2025-07-04T00:00:00Z'), of('2025-07-05T00:00:00Z')]).toEqual([['ATLAS'], []]);
  });
});

describe('a deliberation', () => {
  const id = { deliberation: 'd-1' };
  const closed = { ...id, consensus: 'reached', outcome: 'Done.' } as const;
  const position = { ...id, position: 'support' as const, reasoning: '', virtue_tags: [] };

  test('opened again under the id of a closed one is a new deliberation and not a finding', () => {
    const state = fold(
      begun()
        .add(G, 'deliberation_opened', 'ATLAS', { ...id, topic: 'Whether' })
        .add(G, 'deliberation_closed', 'ATLAS', closed)
        .add(G, 'deliberation_opened', 'ATLAS', { ...id, topic: 'Whether after all' })
        .add(G, 'position_taken', 'ATLAS', position),
    );
    expect(statements(state)).toEqual([]);
    expect(state.deliberations).toMatchObject([
      { topic: 'Whether', consensus: 'reached', positions: [] },
      { topic: 'Whether after all', consensus: null, positions: [{ id: 'ATLAS' }] },
    ]);
  });

  test('opened while it is open stays unchanged and is a finding', () => {
    const opened = { ...id, topic: 'Whether' };
    const ledger = begun().add(G, 'deliberation_opened', 'ATLAS', opened);
    const state = fold(ledger.add(G, 'deliberation_opened', 'ATLAS', opened));
    expect(state.deliberations).toHaveLength(1);
    expect(statements(state)).toEqual(['Event 3: deliberation d-1 is already open']);
  });
});

describe('an event that contradicts the ledger is a finding, about the sentinel that it names', () => {
  const deliberation = { deliberation: 'd-1' };
  const register = { sentinel: 'ATLAS', cathedral: 'FOR-GOVERNMENTS' } as const;
  const work = { apps: 9, packages: 5, workflows: 27, drift: 0, uptime_days: 1, gi_score: 0.97 };
  const attest = (score: number) => ({ ...work, score });
  const position = { position: 'support' as const, reasoning: '', virtue_tags: [] };

  test.each<[message: string, sentinel: string | undefined, add: (ledger: TestLedger) => TestLedger]>([
    [
      'ATLAS is already registered',
      'ATLAS',
      (ledger) => ledger.add(G, 'sentinel_registered', 'LEDGER', register),
    ],
    [
      'retirement of ECHO, which is not registered',
      'ECHO',
      (ledger) => ledger.add(G, 'sentinel_retired', 'LEDGER', { sentinel: 'ECHO' }),
    ],
    [
      'attested score 11.5002, but the score formula gives 11.5000',
      'ATLAS',
      (ledger) => ledger.add(G, 'attestation', 'ATLAS', attest(11.5002)),
    ],
    [
      'attestation from ECHO, which is not registered',
      'ECHO',
      (ledger) => ledger.add(G, 'attestation', 'ECHO', attest(11.5)),
    ],
    [
      'mint for ECHO, which is not registered',
      'ECHO',
      (ledger) => ledger.add(G, 'mic_mint', 'MINT', { ...mint('1000'), sentinel: 'ECHO' }),
    ],
    [
      'the mint names DIPLOMACY, but ATLAS belongs to FOR-GOVERNMENTS',
      'ATLAS',
      (ledger) => ledger.add(G, 'mic_mint', 'MINT', { ...mint('1000'), cathedral: 'DIPLOMACY' }),
    ],
    [
      'position on deliberation d-1, which is not open',
      'ATLAS',
      (ledger) => ledger.add(G, 'position_taken', 'ATLAS', { ...deliberation, ...position }),
    ],
    [
      'close of deliberation d-1, which is not open',
      undefined,
      (ledger) =>
        ledger.add(G, 'deliberation_closed', 'ATLAS', {
          ...deliberation,
          consensus: 'reached',
          outcome: 'Done.',
        }),
    ],
    [
      'cleared alert a1 was not raised',
      undefined,
      (ledger) => ledger.add(G, 'alert_cleared', 'WATCH', { alert: 'a1' }),
    ],
  ])('%s', (message, sentinel, add) => {
    const { recent } = fold(add(begun())).findings;
    expect(recent.map((finding) => [finding.message, finding.sentinel])).toEqual([
      [`Event 2: ${message}`, sentinel],
    ]);
  });

  test('but not an attested score that is rounded to four places', () => {
    const findings = (score: number) =>
      statements(fold(begun().add(G, 'attestation', 'ATLAS', attest(score))));
    expect([11.49991, 11.5, 11.50009].flatMap(findings)).toEqual([]);
    expect(findings(11.4998)).toHaveLength(1);
  });
});

describe('a virtue', () => {
  test('is compliant from 0.8, at risk from 0.6, and breached below', () => {
    const statuses = [1, 0.8, 0.7999, 0.6, 0.5999, 0].map(virtueStatus);
    expect(statuses).toEqual(['compliant', 'compliant', 'at_risk', 'at_risk', 'breached', 'breached']);
    expect(virtueStatus(null)).toBe('not_measured');
  });
});

describe('drift', () => {
  const LATER = '2025-08-05T00:00:00Z';
  /** From an MII of 0.8 in the first thirty days, where nothing else was measured. */
  const to = (mii: number) =>
    drift(fold(begun().add(G, 'mii_reading', 'MII', { mii: 0.8 }).add(LATER, 'mii_reading', 'MII', { mii })));

  test('is stable below 0.05, to be watched below 0.1, and drifting from there on, in either direction', () => {
    const statuses = [0.8, 0.849, 0.851, 0.749, 0.899, 0.901, 0.699].map((mii) => to(mii).status);
    expect(statuses).toEqual(['stable', 'stable', 'watch', 'watch', 'watch', 'drifting', 'drifting']);
  });

  test('improves or worsens with a change of 0.01 or more', () => {
    const directions = [0.8, 0.809, 0.811, 0.791, 0.789].map((mii) => to(mii).trends[0]!.direction);
    expect(directions).toEqual(['stable', 'stable', 'improving', 'stable', 'worsening']);
  });

  test('has the share of decisions with frameworks and sentinels, and of audited regimes in good standing', () => {
    const record = (decision: string, frameworks_applied: string[], sentinels_involved: string[]) =>
      ({
        ...{ decision, topic: 't', frameworks_applied, sentinels_involved },
        ...{ reasoning: '', outcome: 'Yes.', lessons_learned: '' },
      }) as const;
    const statuses = { SEC: 'compliant', CFTC: 'non_compliant', Federal_Reserve_Act: 'compatible' };
    const ledger = begun()
      .add(G, 'decision_recorded', 'C', record('1', ['virtue'], ['ATLAS']))
      .add(G, 'decision_recorded', 'C', record('2', ['virtue'], []))
      .add(G, 'decision_recorded', 'C', record('3', [], ['ATLAS']))
      .add(G, 'decision_recorded', 'C', record('4', [], []))
      .add(G, 'compliance_audited', 'W', { jurisdiction: 'USA', statuses });
    const { principle_adherence, charter_compliance } = drift(fold(ledger)).analysis;
    expect(principle_adherence).toBe(0.25);
    expect(charter_compliance).toBeCloseTo(2 / 3, 12);
  });
});

describe('alerts', () => {
  test('are listed from the newest to the oldest, findings among them', () => {
    const alert = (id: string) => ({ alert: id, severity: 'info', scope: 'system', message: 'x' }) as const;
    const state = fold(
      begun()
        .add(G, 'alert_raised', 'WATCH', alert('a1'))
        .add('2025-07-03T01:00:00Z', 'heartbeat', 'NOBODY', {})
        .add('2025-07-03T02:00:00Z', 'alert_raised', 'WATCH', alert('a2')),
    );
    expect(activeAlerts(state).map(({ id }) => id)).toEqual(['a2', 'finding-3-1', 'a1']);
  });

  test('have distinct ids even if the ledger names an alert like a finding', () => {
    const alert = { severity: 'info', scope: 'ledger', message: 'Mine.' } as const;
    const state = fold(
      begun()
        .add(G, 'heartbeat', 'NOBODY', {})
        .add(G, 'alert_raised', 'ATLAS', { alert: 'finding-2-1', ...alert })
        .add(G, 'alert_raised', 'ATLAS', { alert: 'finding-2-1-finding', ...alert }),
    );
    expect(activeAlerts(state).map(({ id, severity }) => [id, severity])).toEqual([
      ['finding-2-1', 'info'],
      ['finding-2-1-finding', 'info'],
      ['finding-2-1-finding-finding', 'warning'],
    ]);
  });
});

describe('compliance', () => {
  test('takes the worst status, and counts unknown ones as under review', () => {
    expect(worstStatus(['compliant', 'utility_token', 'compatible', 'high_risk_compliant'])).toBe(
      'compliant',
    );
    expect(worstStatus(['compliant', 'a_new_status'])).toBe('under_review');
    expect(worstStatus(['a_new_status', 'non_compliant'])).toBe('non_compliant');
  });

  test('is not audited if one regime was never audited, unless another is worse', () => {
    expect(worstStatus([])).toBe('not_audited');
    expect(worstStatus(['compliant', 'not_audited'])).toBe('not_audited');
    expect(worstStatus(['under_review', 'not_audited'])).toBe('under_review');
  });

  test('is not audited before the first audit, and an audit ends those scheduled up to its day', () => {
    const ledger = begun().add(G, 'audit_scheduled', 'W', { jurisdiction: 'USA', date: '2025-07-10' });
    expect(complianceStatus(fold(ledger))).toBe('not_audited');
    expect(nextAudits(fold(ledger))).toEqual([{ jurisdiction: 'USA', date: '2025-07-10' }]);
    const statuses = { SEC: 'compliant', CFTC: 'compliant', Federal_Reserve_Act: 'compatible' };
    ledger.add('2025-07-10T09:00:00Z', 'compliance_audited', 'W', { jurisdiction: 'USA', statuses });
    expect(nextAudits(fold(ledger))).toEqual([]);
  });
});

describe('a companion’s grant', () => {
  const grant = {
    attestation: 'a'.repeat(64),
    companion: 'JADE',
    ledger_id: '7f0c2f0e-6f1f-4c53-9a0a-0b8f5a0f6f11',
    scope: ['ledger.read'],
    risk_level: 'low' as const,
    expires_at: '2025-09-01T00:00:00Z',
    drift_threshold: 0.1,
  };
  const status = (score: number) =>
    fold(
      begun()
        .add(G, 'companion_attested', 'JADE', grant)
        .add(G, 'companion_drift', 'W', { attestation: grant.attestation, score }),
    ).companions[grant.attestation]!.status;

  test('is revoked by the fold when drift reaches the threshold', () => {
    expect([status(0.0999), status(0.1)]).toEqual(['active', 'revoked']);
  });

  test('that breaks a rule is a finding', () => {
    const revoked = { attestation: 'b'.repeat(64), reason: 'It was never given.' };
    const { findings } = fold(begun().add(G, 'companion_revoked', 'W', revoked));
    expect(findings.recent.map(({ message }) => message)).toEqual([
      `Event 2: revocation of unknown attestation ${revoked.attestation}`,
    ]);
  });

  test('is kept until ninety days after its expiry', () => {
    const kept = (time: string) => {
      const ledger = begun().add(G, 'companion_attested', 'JADE', grant);
      return grant.attestation in fold(ledger.add(time, 'mii_reading', 'MII', { mii: 0.96 })).companions;
    };
    expect([kept('2025-11-30T00:00:00Z'), kept('2025-11-30T00:00:01Z')]).toEqual([true, false]);
  });

  const LONG_AFTER = '2027-07-03T00:00:00Z';
  const again = { ...grant, expires_at: '2027-09-01T00:00:00Z' };
  const lost = { attestation: grant.attestation, reason: 'Lost.' };
  const uuid = attestationUuid(grant.attestation);

  test.each<[string, (ledger: TestLedger) => TestLedger]>([
    ['before it was attested', (ledger) => ledger.add(G, 'companion_revoked', 'W', lost)],
    ['by its UUID', (ledger) => ledger.add(G, 'companion_revoked', 'W', { ...lost, attestation: uuid })],
    [
      'after it was attested',
      (ledger) => ledger.add(G, 'companion_attested', 'JADE', grant).add(G, 'companion_revoked', 'W', lost),
    ],
    [
      'by drift before it was attested',
      (ledger) => ledger.add(G, 'companion_drift', 'W', { attestation: grant.attestation, score: 0.1 }),
    ],
  ])('revoked %s stays revoked, even if attested years later', (_, ended) => {
    const ledger = ended(begun())
      .add('2026-07-03T00:00:00Z', 'mii_reading', 'MII', { mii: 0.96 })
      .add(LONG_AFTER, 'mii_reading', 'MII', { mii: 0.96 });
    const waiting = fold(ledger);
    expect([waiting.companions, waiting.unattested]).toEqual([{}, {}]);
    expect(JSON.stringify(Object.values(waiting.remembered)).length).toBeLessThan(120);
    const { companions } = fold(ledger.add(LONG_AFTER, 'companion_attested', 'JADE', again));
    expect(companions[grant.attestation]).toMatchObject({ status: 'revoked' });
  });

  test('revoked before it was attested keeps the reason for 180 days', () => {
    const reasonAt = (time: string) => {
      const ledger = begun().add(G, 'companion_revoked', 'W', lost);
      const { unattested, remembered } = fold(ledger.add(time, 'mii_reading', 'MII', { mii: 0.96 }));
      return { ...unattested, ...remembered }[grant.attestation]!.reason;
    };
    const later = (ms: number) => new Date(Date.parse(G) + 180 * 86_400_000 + ms).toISOString();
    expect([reasonAt(later(0)), reasonAt(later(1000))]).toEqual(['Lost.', null]);
  });

  test('scored and revoked again much later keeps the first revocation and the highest score', () => {
    const { attestation } = grant;
    const ledger = begun()
      .add(G, 'companion_revoked', 'W', lost)
      .add(G, 'companion_drift', 'W', { attestation, score: 0.3 })
      .add('2026-07-03T00:00:00Z', 'mii_reading', 'MII', { mii: 0.96 })
      .add('2026-07-04T00:00:00Z', 'companion_drift', 'W', { attestation, score: 0.2 })
      .add('2026-07-04T00:00:00Z', 'companion_revoked', 'W', lost);
    const { unattested, remembered } = fold(ledger);
    expect({ ...unattested, ...remembered }).toMatchObject({ [attestation]: { ended_at: G, drift: 0.3 } });
  });
});

describe('the state', () => {
  test('can be saved and restored at any event, byte for byte, and continues identically', () => {
    const { leaves } = begun()
      .add('2025-07-03T01:00:00Z', 'mii_reading', 'MII', { mii: 0.96 })
      .add('2025-07-03T02:00:00Z', 'mic_mint', 'MINT', mint('1000'))
      .add('2025-08-20T02:00:00Z', 'mic_mint', 'MINT', mint('1000'))
      .add('2025-08-20T02:00:00Z', 'companion_revoked', 'W', { attestation: 'a'.repeat(64), reason: 'Lost.' })
      .add('2025-08-20T02:00:00Z', 'companion_drift', 'W', { attestation: 'b'.repeat(64), score: 0.3 })
      .add('2026-01-01T02:00:00Z', 'mic_burn', 'MINT', { amount: '2', reason: 'fee' })
      .add('2026-08-01T02:00:00Z', 'mic_burn', 'MINT', { amount: '2', reason: 'fee' });
    let resumed = emptyState();
    for (const leaf of leaves) resumed = apply(parseState(JSON.parse(formatState(resumed))), leaf);
    expect(formatState(resumed)).toBe(formatState(leaves.reduce(apply, emptyState())));
  });

  test('starts a new year with its opening supply, and keeps at most thirty days of readings', () => {
    const ledger = begun();
    for (let day = 0; day < 300; day += 1) {
      const time = new Date(Date.parse(G) + day * 86_400_000).toISOString();
      ledger.add(time, 'mii_reading', 'MII', { mii: 0.96 }).add(time, 'mic_mint', 'MINT', mint('1000'));
    }
    const state = fold(ledger);
    expect(state.year).toMatchObject({ year: 2026, opening_supply: 1_182_000_000_000n });
    expect(state.readings.length).toBe(31);
  });
});

describe('without measurements nothing is rated good or bad', () => {
  const LEDGERS: [string, TestLedger][] = [
    ['no event', new TestLedger()],
    [
      'only a genesis',
      new TestLedger().add(G, 'genesis', 'LEDGER', { allocation: '1000000', multipliers: {} }),
    ],
    [
      'only a genesis without allocation',
      new TestLedger().add(G, 'genesis', 'LEDGER', { allocation: '0', multipliers: {} }),
    ],
    ['an event of an unknown type', new TestLedger().add(G, 'cycle_opened', 'LEDGER', {})],
  ];

  test.each(LEDGERS)('for a ledger with %s', (_, ledger) => {
    const state = fold(ledger);
    const { drift_score, status, analysis, trends } = drift(state);
    const measures = [...Object.values(metrics(state)), ...Object.values(virtueScores(state))];
    const changes = trends.flatMap(({ baseline, current, drift }) => [baseline, current, drift]);
    for (const value of [
      ...measures,
      ...changes,
      ...Object.values(analysis),
      drift_score,
      averageCoordination(state),
    ])
      expect(value).toBeNull();
    expect(
      [status, ...trends.map(({ direction }) => direction)].every((word) => word === 'not_measured'),
    ).toBe(true);
    expect([systemHealth(state), complianceStatus(state)]).toEqual(['not_measured', 'not_audited']);
  });

  test('justice is not measured if no active sentinel minted, or if there is only one', () => {
    const another = { sentinel: 'ECHO', cathedral: 'FOR-ACADEMICS' } as const;
    const minted = () => begun().add(G, 'mic_mint', 'MINT', mint('1000'));
    expect(virtueScores(fold(begun())).justice).toBeNull();
    expect(virtueScores(fold(minted())).justice).toBeNull();
    expect(virtueScores(fold(minted().add(G, 'sentinel_registered', 'LEDGER', another))).justice).toBe(0.5);
  });

  test('returns are not measured before a mint', () => {
    expect(roiByCathedral(fold(begun()))['FOR-GOVERNMENTS']!.average_roi).toBeNull();
  });
});

describe('a decision that is recorded again', () => {
  const record = (decision: string, outcome: string, lessons_learned: string) => ({
    decision,
    topic: 't',
    frameworks_applied: [],
    sentinels_involved: [],
    reasoning: '',
    outcome,
    lessons_learned,
  });

  test('counts once, as the newest record says, and the earlier one is marked as replaced', () => {
    const state = fold(
      begun()
        .add(G, 'decision_recorded', 'C', record('constructor', 'Yes.', ''))
        .add(G, 'decision_recorded', 'C', record('10', 'Yes.', 'A lesson.'))
        .add('2025-07-05T00:00:00Z', 'decision_recorded', 'C', record('constructor', 'No.', 'Another.')),
    );
    const { decisions_recorded, recent_decisions } = governance(state);
    expect(decisions_recorded).toBe(2);
    expect(recent_decisions.map(({ id, outcome, replaced }) => [id, outcome, replaced])).toEqual([
      ['constructor', 'No.', false],
      ['10', 'Yes.', false],
      ['constructor', 'Yes.', true],
    ]);
    expect(virtueScores(state).prudence).toBe(1);
  });
});
