import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import type { NavLink } from '../layout/navigation.ts';

/** A question that a portal answers, with the charts behind the answer. */
export interface Question {
  /** The anchor in the page. */
  id: string;
  question: string;
  /** What the charts measure, and how far to trust them. */
  text: string;
  /** Ids of charts. */
  charts: readonly string[];
  /** A page with more detail. */
  closer?: NavLink;
  /** Stands beside the next question on a wide screen. */
  half?: true;
  /** One click away: the page shows the question and the finding of its first chart. */
  fold?: true;
}

/** The questions of each portal, in order; the first chart of a portal is its main one. The charts describe their current values in their own summaries. */
export const QUESTIONS: Readonly<Record<Area, readonly Question[]>> = {
  government: [
    {
      id: 'sentinels-up',
      question: 'Are the sentinels up?',
      text: 'A sentinel writes heartbeats to the ledger. After twelve hours of silence it counts as degraded, after twenty-four as offline. The chart draws every single day, so an outage stays visible instead of vanishing into a yearly percentage.',
      charts: ['uptime'],
      closer: { href: '/sentinels/', label: 'All sentinels and their records' },
    },
    {
      id: 'compliance-standing',
      question: 'What is the state of compliance?',
      text: 'The ledger records audits by jurisdiction and regime, with their dates and findings. A jurisdiction has the status of its worst regime, so no failure is averaged away.',
      charts: ['compliance'],
      closer: { href: '/government/transparency/', label: 'The transparency report of this year' },
    },
    {
      id: 'policy-pipeline',
      fold: true,
      question: 'Which policies are being prepared?',
      text: 'Before a policy is decided, its proposer records the expected effects and risks. The number of these projections is public; reading them needs a government key.',
      charts: ['policy-impact'],
    },
  ],
  economy: [
    {
      id: 'how-many',
      question: 'How many MIC are there, and where are they?',
      text: 'Supply grows only through mints, and each mint is an event in the ledger. Burning removes MIC from circulation but not from the total supply. Contracts lock some MIC and release them later.',
      charts: ['supply'],
    },
    {
      id: 'who-mints',
      half: true,
      question: 'Who mints, and how much per day?',
      text: 'Each mint rewards one sentinel. The multiplier of its cathedral is part of the reward, so a cathedral’s share depends on policy as well as on work.',
      charts: ['minting'],
    },
    {
      id: 'the-gate',
      half: true,
      question: 'What limits minting?',
      text: 'Nothing is minted while the integrity index is below a threshold. The threshold falls by two points with each tenfold increase in supply. It limits the quality of minting, not its quantity.',
      charts: ['mii'],
    },
    {
      id: 'what-a-mint-earns',
      fold: true,
      question: 'What does a mint earn?',
      text: 'The reward is a logistic function of the coordination score. At 50 points it is half of the maximum, and one more point adds the most. A score grows with work and, slowly, with days without an outage.',
      charts: ['coordination', 'reward-curve'],
    },
    {
      id: 'returns',
      fold: true,
      question: 'Is the return the same for everyone?',
      text: 'The return is the average reward of a mint divided by the highest base reward. Cathedrals differ in their sentinels’ scores and in their multipliers. The ledger records each change of a multiplier with its reason.',
      charts: ['roi-by-cathedral', 'roi-by-sentinel', 'multipliers'],
    },
  ],
  academics: [
    {
      id: 'the-record',
      question: 'What is in the record?',
      text: 'All published data follow from the ledger’s events. Each event has one type with its own schema. The frequency of a type says nothing about its importance: a heartbeat is one event, and so is a change of a multiplier that affects every later mint.',
      charts: ['events'],
    },
    {
      id: 'coordination-over-time',
      fold: true,
      question: 'Is coordination stable over time?',
      text: 'A score drops when an outage resets a sentinel’s uptime to zero, because the logarithm of its uptime in days is a factor. The panels have the same scale, so their slopes can be compared.',
      charts: ['coordination-history'],
      closer: { href: '/sentinels/', label: 'All sentinels and their records' },
    },
  ],
  philosophy: [
    {
      id: 'how-they-decide',
      question: 'How do sentinels come to a decision?',
      text: 'Each sentinel takes a position and can give reasons. All positions are kept unchanged, including those that lost. Deliberations without consensus are published like those with it.',
      charts: ['consensus'],
      closer: { href: '/deliberations/', label: 'All deliberations and their reasons' },
    },
    {
      id: 'positions',
      fold: true,
      question: 'Who held which position?',
      text: 'Every position of the latest deliberations, including those that lost.',
      charts: ['deliberations'],
    },
    {
      id: 'living-up',
      fold: true,
      question: 'Do they live up to what they profess?',
      text: 'Five virtues have operational measures that anyone can recompute. Each measures a trace that the virtue should leave, and each could be met without it.',
      charts: ['virtues', 'virtues-history'],
    },
    {
      id: 'drifting',
      fold: true,
      question: 'Is the system drifting?',
      text: 'Drift compares two windows: the ledger’s first thirty days, which never change, and the last thirty. It shows that something changed, not whether the change is good.',
      charts: ['drift'],
    },
  ],
  diplomacy: [],
};
