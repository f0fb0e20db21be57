import type { Area } from '../../../pipeline/artifacts/artifact.ts';

export interface AreaWords {
  name: string;
  /** Its name in links and headings. */
  title: string;
  cathedral: string;
  /** One line, for the home page. */
  subject: string;
  /** The lead of the portal: what a reader finds, and how far to trust it. */
  lead: string;
}

/** The texts about each area. */
export const AREA_WORDS: Readonly<Record<Area, AreaWords>> = {
  government: {
    name: 'Policy',
    title: 'Government',
    cathedral: 'FOR-GOVERNMENTS',
    subject: 'Compliance, audit trail, transparency, sentinel status and policy impact',
    lead: 'What regulators and auditors ask first: which sentinels are up, what the ledger recorded, and the state of compliance. The transparency report is open to everyone. The audit trail, the compliance report and the policy projections need a government key, and every access to them is logged.',
  },
  economy: {
    name: 'Market',
    title: 'Economy',
    cathedral: 'FOR-ECONOMISTS',
    subject: 'MIC supply, the integrity index, coordination scores, returns, minting history',
    lead: 'How many MIC there are, who minted them, and why minting is on or off. Amounts are exact to six decimal places. Each computed field comes with its formula, so anyone can recompute every number from the ledger.',
  },
  academics: {
    name: 'Research',
    title: 'Academics',
    cathedral: 'FOR-ACADEMICS',
    subject: 'System dataset, integrity timeline, coordination data, papers, citations',
    lead: 'Data ready for research: one dataset of the whole system, thirty days of the integrity index, the coordination of the sentinels, papers, and a BibTeX entry for each of them.',
  },
  philosophy: {
    name: 'Ethics',
    title: 'Philosophy',
    cathedral: 'FOR-PHILOSOPHERS',
    subject: 'Deliberations, virtue metrics, the decision archive, drift analysis',
    lead: 'What the sentinels deliberated, which positions they took and why, what they decided and what they learned. Published formulas measure five virtues, and drift compares the last thirty days with the first thirty.',
  },
  diplomacy: {
    name: 'Diplomacy',
    title: 'Diplomacy',
    cathedral: 'DIPLOMACY',
    subject: 'The treaty framework, international standards and diplomatic protocols',
    lead: 'Documents for parties to sign, conform to and follow: a treaty framework with its articles and obligations, standards with their clauses and conformance levels, and protocols step by step.',
  },
};
