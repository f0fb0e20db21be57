import { BUCKET_SCENARIOS } from './bucket-scenarios.ts';
import { LEDGER_SCENARIOS } from './ledger-scenarios.ts';
import { MIRROR_SCENARIOS } from './mirror-scenarios.ts';
import { PUBLISHER_SCENARIOS } from './publisher-scenarios.ts';
import { RELEASE_SCENARIOS } from './release-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { WITNESS_SCENARIOS } from './witness-scenarios.ts';

/** All of them, by name. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...LEDGER_SCENARIOS,
  ...RELEASE_SCENARIOS,
  ...PUBLISHER_SCENARIOS,
  ...MIRROR_SCENARIOS,
  ...BUCKET_SCENARIOS,
  ...WITNESS_SCENARIOS,
};
