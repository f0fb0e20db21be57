import { rowsOf } from '../../rows-of.ts';
import type { WrittenEvent } from './seam.ts';

const ATTESTATION = 'a'.repeat(64);

/**
 * What must stay restricted, by event type: each `zq…` is in a member that no public file shows, so only a holder of a key may read it.
 * Each `yq…` is in a member that everybody may read. Numbers are marked with their digits.
 */
const EVENTS = rowsOf<[day: string, type: string, agent: string, data: string]>(`
01 | genesis | LEDGER | {"allocation":"1000000","multipliers":{"FOR-GOVERNMENTS":1.5},"charter":"yqcharter"}
01 | cycle_opened | zqopener | {"note":"zqcycle"}
01 | sentinel_registered | zqregistrar | {"sentinel":"yqsentinel","cathedral":"FOR-GOVERNMENTS","role":"zqrole"}
01 | sentinel_registered | zqregistrar | {"sentinel":"yqother","cathedral":"FOR-ECONOMISTS","deep":[{"zqname":{"zqdeep":1}}]}
02 | heartbeat | yqsentinel | {"note":"zqheartbeat"}
02 | attestation | yqsentinel | {"apps":9,"packages":5,"workflows":14,"drift":1,"uptime_days":1,"gi_score":0.97,"score":35,"note":"zqattestation"}
02 | mic_mint | yqminter | {"sentinel":"yqsentinel","cathedral":"FOR-GOVERNMENTS","coordination_score":35,"multiplier":1.5,"amount":"480"}
02 | mic_burn | zqburner | {"amount":"1","reason":"fees","note":"zqburn"}
02 | mic_lock | zqlocker | {"amount":"1","contract":"zqcontract","note":["zqlock"]}
02 | multiplier_set | zqsetter | {"cathedral":"FOR-ECONOMISTS","multiplier":1.3,"reason":"yq_reason","basis":{"of":"zqbasis"}}
02 | mii_reading | zqreader | {"mii":0.97,"sensor":"zqsensor"}
03 | app_registered | zqapps | {"name":"yqapp","version":"1.0.0","status":"active","repository":"zqrepository"}
03 | package_registered | zqpackages | {"name":"yqpackage","version":"1.0.0","status":"active","owner":"zqowner"}
04 | deliberation_opened | yqcouncil | {"deliberation":"d-1","topic":"yqtopic"}
04 | position_taken | yqsentinel | {"deliberation":"d-1","position":"support","reasoning":"yqposition","virtue_tags":["justice"],"draft":"zqdraft"}
04 | deliberation_closed | zqchair | {"deliberation":"d-1","consensus":"reached","outcome":"yqoutcome","minutes":"zqminutes"}
05 | decision_recorded | zqarchive | {"decision":"e-1","topic":"yqdecision","frameworks_applied":["yqframework"],"sentinels_involved":["yqsentinel"],"reasoning":"yqbecause","outcome":"yqdecided","lessons_learned":"yqlesson","dissent":{"by":"zqdissent"}}
06 | compliance_audited | zqauditor | {"jurisdiction":"EU","statuses":{"GDPR":"compliant","AI_Act":"compliant","MiCA":"under_review"},"findings":["zqfinding"]}
06 | audit_scheduled | zqplanner | {"jurisdiction":"EU","date":"2026-05-01","by":"zqfirm"}
07 | policy_projected | zqpolicymaker | {"policy":"zqpolicy","economic_impact":{"debt_reduction_annual":"zqdebt","gdp_impact":"zqgdp","job_creation":"zqjobs"},"social_impact":{"access_improvement":"zqaccess","equity_impact":"zqequity","transparency":"zqtransparency"},"risks":[{"risk":"zqrisk","severity":"medium","mitigation":"zqmitigation"}],"timeline":"zqtimeline"}
08 | alert_raised | zqwatch | {"alert":"yqalert","severity":"warning","scope":"sentinel","message":"yqmessage","sentinel":"yqother","trace":"zqtrace"}
08 | alert_cleared | zqclearer | {"alert":"another","note":"zqcleared"}
09 | companion_attested | zqregistry | {"attestation":"${ATTESTATION}","companion":"yqcompanion","ledger_id":"0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b","scope":["yqscope"],"risk_level":"low","expires_at":"2026-04-01T00:00:00Z","drift_threshold":0.1,"document":{"subject":"zqsubject","inner":[{"zqkey":"zqvalue"}]},"note":"zqattested"}
09 | companion_drift | zqmonitor | {"attestation":"${ATTESTATION}","score":0.01,"sample":"zqsample"}
10 | companion_revoked | zqrevoker | {"attestation":"${ATTESTATION}","reason":"yqrevoked","note":"zqrevocation"}
11 | sentinel_retired | zqretirer | {"sentinel":"yqother","reason":"zqretired"}
12 | something_else | zqstranger | {"text":"zqsomething","list":[["zqlist"]]}`);

/** The events of types and members that are public as a whole; the lines of all others stay hashes, with their salts. */
const PUBLIC = ['genesis', 'mic_mint', 'deliberation_opened'];

export const RESTRICTED_EVENTS: readonly WrittenEvent[] = EVENTS.map(([day, type, agent, data], index) => ({
  timestamp: `2026-02-${day}T0${1 + (index % 9)}:00:00Z`,
  cycle: `C-${212 + Number(day)}`,
  type,
  agent,
  data: JSON.parse(data),
  salt: `${PUBLIC.includes(type) ? 'yq' : 'zq'}salt${`${index}`.padStart(15, '0')}A`,
})).sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
