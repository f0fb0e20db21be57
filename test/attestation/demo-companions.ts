import { Companions } from '../../pipeline/attestation/companions.ts';
import { formatDemoCompanions } from '../../pipeline/sample/demo-companions.ts';

/** Whom the sample trusts. */
export const DEMO_COMPANIONS = Companions.parse(JSON.parse(formatDemoCompanions()));
export const COMPANIONS_FILE = 'data/keys/companions.json';
