import type { Area } from '../../../../pipeline/artifacts/artifact.ts';
import type { NavLink } from '../site/navigation.ts';

/** What a portal asks and answers, with the charts that the answer rests on. */
export interface Question {
  /** In the page's address, after `#`. */
  id: string;
  question: string;
  /** What to know before looking at the charts: what is measured, and how far to trust it. */
  text: string;
  /** Ids of charts. */
  charts: readonly string[];
  /** Where to look closer. */
  closer?: NavLink;
}

/** The argument of each portal, in its order. What the charts show now is in their own summaries. */
export const QUESTIONS: Readonly<Record<Area, readonly Question[]>> = {
  government: [
    {
      id: 'sentinels-up',
      question: 'Are the sentinels up?',
      text: 'A sentinel writes heartbeats to the ledger. Twelve hours of silence make it degraded, twenty-four make it offline. Days are drawn one by one, so that an outage shows as what it was and not as a share of a year.',
      charts: ['uptime'],
      closer: { href: '/sentinels/', label: 'Each sentinel, with its record' },
    },
    {
      id: 'compliance-standing',
      question: 'Where does compliance stand?',
      text: 'Audits are written to the ledger, by jurisdiction and regime, with their date and their finding. The worst status of a jurisdiction’s regimes is the jurisdiction’s, so nothing is averaged away.',
      charts: ['compliance'],
      closer: { href: '/government/transparency/', label: 'The transparency report of this year' },
    },
    {
      id: 'policy-pipeline',
      question: 'What is being prepared?',
      text: 'Whoever proposes a policy records what it is expected to do and what may go wrong, before it is decided on. How many such projections there are is public; what they say needs a government key.',
      charts: ['policy-impact'],
    },
  ],
  economy: [
    {
      id: 'how-many',
      question: 'How many MIC are there, and where are they?',
      text: 'Supply grows by mints alone, each of them an event of the ledger. Burning takes MIC out of circulation and not out of the total; contracts lock some and give them back.',
      charts: ['supply'],
    },
    {
      id: 'who-mints',
      question: 'Who mints, and how much in a day?',
      text: 'A mint goes to one sentinel. Its cathedral’s multiplier is part of the reward, so a cathedral’s share of what is minted follows from policy as well as from work.',
      charts: ['minting'],
    },
    {
      id: 'the-gate',
      question: 'What holds minting back?',
      text: 'Nothing is minted while the integrity index is below a threshold. The threshold falls by two points with each tenfold growth of supply, so the gate limits the quality of minting and not its quantity.',
      charts: ['mii'],
    },
    {
      id: 'what-a-mint-earns',
      question: 'What does a mint earn?',
      text: 'The reward is a logistic curve of the coordination score: half of the highest at 50 points, where one more point is worth most. A score grows with work and, slowly, with days without an outage.',
      charts: ['coordination', 'reward-curve'],
      closer: { href: '/calculator/', label: 'Calculate a reward' },
    },
    {
      id: 'returns',
      question: 'Does it pay alike for all?',
      text: 'Return is what a mint earned on average, held against the highest base reward. Cathedrals differ by the scores of their sentinels and by their multipliers; each change of a multiplier is on record with its reason.',
      charts: ['roi-by-cathedral', 'roi-by-sentinel', 'multipliers'],
    },
  ],
  academics: [
    {
      id: 'the-record',
      question: 'What is in the record?',
      text: 'Everything that is published is a function of the ledger’s events, and each event is of one type with a schema of its own. How often a type occurs says nothing about its weight: a heartbeat is one event, and so is a change of a multiplier that enters every later mint.',
      charts: ['events'],
      closer: { href: '/cycles/', label: 'The record cycle by cycle' },
    },
    {
      id: 'coordination-over-time',
      question: 'Does coordination hold over time?',
      text: 'A score falls back when an outage sets a sentinel’s uptime to zero, since the logarithm of its days is a factor. The panels show each sentinel on the same scale, so slopes can be compared.',
      charts: ['coordination-history'],
      closer: { href: '/sentinels/', label: 'Each sentinel, with its record' },
    },
  ],
  philosophy: [
    {
      id: 'how-they-decide',
      question: 'How do sentinels come to a decision?',
      text: 'Each takes a position and may say why. Positions are kept as they were taken, those that lost included, and a deliberation that ends without consensus is published like one that ends with it.',
      charts: ['deliberations', 'consensus'],
      closer: { href: '/deliberations/', label: 'Each deliberation, with its reasons' },
    },
    {
      id: 'living-up',
      question: 'Do they live up to what they profess?',
      text: 'Five virtues have operational measures that anyone can compute again. Each measures a trace that the virtue should leave, and each could be satisfied without the virtue; a paper says how.',
      charts: ['virtues', 'virtues-history'],
      closer: { href: '/decisions/', label: 'What was decided' },
    },
    {
      id: 'drifting',
      question: 'Is the system drifting?',
      text: 'Drift is a difference of two windows: the ledger’s first thirty days, which never change, and the last thirty. It says that something moved, not whether that is good.',
      charts: ['drift'],
    },
  ],
  diplomacy: [],
};
