import { demoCompanions } from '../../pipeline/attestation/demo-companions.ts';

/** Whom the sample trusts. */
export const DEMO_COMPANIONS = demoCompanions();
