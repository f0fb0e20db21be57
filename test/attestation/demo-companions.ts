import { demoCompanions } from '../../pipeline/attestation/demo-companions.ts';

/** The companions that the sample trusts. */
export const DEMO_COMPANIONS = demoCompanions();
