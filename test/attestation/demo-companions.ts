import { demoCompanions } from '../../pipeline/sample/demo-companions.ts';

/** Whom the sample trusts. */
export const DEMO_COMPANIONS = demoCompanions();
