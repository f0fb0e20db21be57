import type { Area } from '../../../pipeline/artifacts/artifact.ts';

export interface AreaWords {
  name: string;
  /** What links and headings call it. */
  title: string;
  cathedral: string;
  cycle: string;
  /** One line, for the home page. */
  subject: string;
  /** What a reader finds and how far to trust it; the area page's lead. */
  lead: string;
}

/** What the pages say about each area. */
export const AREA_WORDS: Readonly<Record<Area, AreaWords>> = {
  government: {
    name: 'Policy',
    title: 'Government',
    cathedral: 'FOR-GOVERNMENTS',
    cycle: 'C-151',
    subject: 'Compliance, audit trail, transparency, sentinel status and policy impact',
    lead: 'What a regulator or an auditor asks first: which sentinels are up, what the ledger recorded, where compliance stands. The transparency report is open to everyone; the audit trail, the compliance report and the policy projections need a government key, and every access to them is logged.',
  },
  economy: {
    name: 'Market',
    title: 'Economy',
    cathedral: 'FOR-ECONOMISTS',
    cycle: 'C-151',
    subject: 'MIC supply, the integrity index, coordination scores, returns, minting history',
    lead: 'How many MIC there are, who minted them and why minting is on or off. Amounts are exact to six decimal places, and the formulas stand beside the fields that they give, so each number can be computed again from the ledger.',
  },
  academics: {
    name: 'Research',
    title: 'Academics',
    cathedral: 'FOR-ACADEMICS',
    cycle: 'C-151',
    subject: 'System dataset, integrity timeline, coordination data, papers, citations',
    lead: 'Data in the form that a study needs: one dataset of the whole system, thirty days of the integrity index, the coordination of the sentinels, the papers that describe the mechanisms, and a BibTeX entry for each of them.',
  },
  philosophy: {
    name: 'Ethics',
    title: 'Philosophy',
    cathedral: 'FOR-PHILOSOPHERS',
    cycle: 'C-151',
    subject: 'Deliberations, virtue metrics, the decision archive, drift analysis',
    lead: 'What the sentinels deliberated, which positions they took and with what reasons, what was decided and what was learned. Five virtues are measured by published formulas, and drift compares the last thirty days with the first thirty.',
  },
  diplomacy: {
    name: 'Diplomacy',
    title: 'Diplomacy',
    cathedral: 'DIPLOMACY',
    cycle: 'C-156',
    subject: 'The treaty framework, international standards and diplomatic protocols',
    lead: 'Three documents that parties can sign, conform to and follow: the treaty framework with its articles and obligations, the standards with their clauses and levels of conformance, and the protocols step by step.',
  },
};
