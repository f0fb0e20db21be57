/** A number that is projected anew each quarter: where it begins, what a quarter adds to it, and how far it errs. */
export interface Figure {
  first: number;
  perQuarter: number;
  error: number;
  places: number;
}

/** Texts hold `{n}` for their figure. */
export interface PolicyModel {
  policy: string;
  debt: [text: string, figure: Figure];
  gdp: [text: string, figure: Figure];
  jobs: [text: string, figure: Figure];
  access: [text: string, figure: Figure];
  equity: string;
  transparency: string;
  /** Empty mitigations are risks that nobody has an answer to yet. */
  risks: readonly { risk: string; severity: 'low' | 'medium' | 'high'; mitigation: string }[];
  timeline: string;
}

export const POLICIES: readonly PolicyModel[] = [
  {
    policy: 'Open procurement on the audit trail',
    debt: [
      '{n} % of the outstanding debt of participating bodies',
      { first: 0.4, perQuarter: 0.12, error: 0.05, places: 2 },
    ],
    gdp: [
      '+{n} % after three years, from lower mark-ups on contracts',
      { first: 0.08, perQuarter: 0.015, error: 0.01, places: 2 },
    ],
    jobs: ['{n} full-time posts in small suppliers', { first: 1400, perQuarter: 260, error: 150, places: 0 }],
    access: ['{n} % more bids from first-time bidders', { first: 9, perQuarter: 2.1, error: 1.2, places: 1 }],
    equity: 'Favours small suppliers outside the capitals; neutral between sectors.',
    transparency: 'Every award is on the ledger on the day it is made, with the bids that lost.',
    risks: [
      {
        risk: 'Bidders collude on what they can now see of each other',
        severity: 'high',
        mitigation: 'Bids are sealed until the award; the hash is public from the first day.',
      },
      {
        risk: 'Small bodies lack the staff to file on time',
        severity: 'medium',
        mitigation: 'ATLAS files on request for bodies with fewer than five officers.',
      },
      { risk: 'Prices settle at the published maximum', severity: 'medium', mitigation: '' },
    ],
    timeline: 'Pilot in six months, all bodies above 50 000 inhabitants in eighteen.',
  },
  {
    policy: 'Integrity-linked grants for municipal services',
    debt: [
      '{n} % a year in municipalities that take part',
      { first: 0.15, perQuarter: 0.06, error: 0.03, places: 2 },
    ],
    gdp: [
      '+{n} %, mostly through services that open earlier',
      { first: 0.05, perQuarter: 0.012, error: 0.008, places: 2 },
    ],
    jobs: ['{n} posts, two thirds of them part-time', { first: 620, perQuarter: 140, error: 80, places: 0 }],
    access: [
      '{n} % more households within an hour of a counter',
      { first: 3.2, perQuarter: 0.9, error: 0.4, places: 1 },
    ],
    equity: 'Raises the lowest quarter of municipalities most; those with weak records need help to qualify.',
    transparency: 'Payments follow published readings; a municipality can compute its own grant.',
    risks: [
      {
        risk: 'Readings are improved instead of services',
        severity: 'high',
        mitigation: 'A tenth of the grants is checked on the spot, drawn by lot after the quarter.',
      },
      {
        risk: 'A fall of the index stops grants everywhere at once',
        severity: 'medium',
        mitigation: 'The reserve pays the last grant for one further quarter.',
      },
    ],
    timeline: 'First grants two quarters after the start; reviewed every year.',
  },
  {
    policy: 'Debt buy-back from treasury sink proceeds',
    debt: ['{n} % of the outstanding debt a year', { first: 1.1, perQuarter: 0.18, error: 0.09, places: 2 }],
    gdp: ['+{n} % through lower interest', { first: 0.03, perQuarter: 0.006, error: 0.006, places: 2 }],
    jobs: [
      'No measurable effect; {n} posts in administration',
      { first: 40, perQuarter: 3, error: 6, places: 0 },
    ],
    access: [
      'Capital budgets of small bodies rise by {n} %',
      { first: 0.8, perQuarter: 0.2, error: 0.15, places: 1 },
    ],
    equity: 'Benefits those who will pay taxes later; costs those who hold MIC now.',
    transparency: 'Each purchase names the bond, the price and the week whose fees paid for it.',
    risks: [
      {
        risk: 'Prices of the bonds rise ahead of announced purchases',
        severity: 'medium',
        mitigation: 'Purchases are spread over the quarter at times that are drawn and not announced.',
      },
      {
        risk: 'Fees fall in a downturn, when debt is dearest',
        severity: 'medium',
        mitigation: 'The share of the sink is counted over four quarters.',
      },
      { risk: 'Holders come to expect the purchases', severity: 'low', mitigation: '' },
    ],
    timeline: 'Continuous; evaluated after eight quarters.',
  },
  {
    policy: 'Read access to fiscal data for everybody',
    debt: [
      '{n} %, through questions that are asked earlier',
      { first: 0.05, perQuarter: 0.02, error: 0.02, places: 2 },
    ],
    gdp: [
      '+{n} %, from services built on open data',
      { first: 0.11, perQuarter: 0.02, error: 0.015, places: 2 },
    ],
    jobs: ['{n} posts in firms that use the data', { first: 900, perQuarter: 180, error: 110, places: 0 }],
    access: [
      '{n} % of adults can reach a file without an account',
      { first: 61, perQuarter: 3.5, error: 1.5, places: 1 },
    ],
    equity: 'Equal in law; in use it depends on libraries and schools, where half of the budget goes.',
    transparency: 'Complete for totals, delayed by up to thirty days for single cases.',
    risks: [
      {
        risk: 'Persons can be recognised in small municipalities',
        severity: 'high',
        mitigation: 'Cells below eleven cases are joined with their neighbours before publication.',
      },
      {
        risk: 'Figures are quoted without their uncertainty',
        severity: 'medium',
        mitigation: 'Bands are printed with the figures, and the finished citation carries them.',
      },
      {
        risk: 'Load of automatic readers at the end of a quarter',
        severity: 'low',
        mitigation: 'Whole files instead of queries, and a cache in front of them.',
      },
    ],
    timeline: 'In force; the last three ministries follow within a year.',
  },
  {
    policy: 'Companion-assisted applications for benefits',
    debt: [
      'Costs of {n} % of the programme in the first year, none after the third',
      { first: 0.9, perQuarter: -0.08, error: 0.05, places: 2 },
    ],
    gdp: [
      '+{n} % through benefits that are claimed',
      { first: 0.04, perQuarter: 0.01, error: 0.008, places: 2 },
    ],
    jobs: [
      '{n} advisers at counters, in place of processing',
      { first: 350, perQuarter: 60, error: 40, places: 0 },
    ],
    access: ['{n} % more of those entitled apply', { first: 6.5, perQuarter: 1.4, error: 0.9, places: 1 }],
    equity:
      'Largest for those who gave up on forms; nothing for those without any device, who keep the counter.',
    transparency: 'Each application shows what the companion wrote and what the person changed.',
    risks: [
      {
        risk: 'A companion steers what people apply for',
        severity: 'high',
        mitigation: 'Applications are compared with those made at the counter, by lot, every month.',
      },
      {
        risk: 'Grants of scope outlive the wish behind them',
        severity: 'medium',
        mitigation: 'Thirty days at most, and a weekly line to the person.',
      },
      { risk: 'People are refused by nobody in particular', severity: 'medium', mitigation: '' },
    ],
    timeline: 'Two regions for a year, then a decision on the rest.',
  },
  {
    policy: 'Counter-cyclical lock of the treasury',
    debt: ['{n} % less new debt in a bad year', { first: 0.7, perQuarter: 0.1, error: 0.08, places: 2 }],
    gdp: [
      'The swing from best to worst year narrows by {n} points',
      { first: 0.2, perQuarter: 0.03, error: 0.03, places: 2 },
    ],
    jobs: [
      '{n} posts kept in a downturn of the usual size',
      { first: 2100, perQuarter: 240, error: 200, places: 0 },
    ],
    access: [
      'Grants are paid on time in {n} % of the weeks',
      { first: 91, perQuarter: 1.1, error: 0.8, places: 1 },
    ],
    equity: 'Protects those who are paid last; holders wait longer in good times.',
    transparency: 'The rule reads one published number; anyone can say in advance what it will do.',
    risks: [
      {
        risk: 'One wrong reading moves the lock and the minting gate together',
        severity: 'high',
        mitigation: 'The lock waits for three readings in a row.',
      },
      {
        risk: 'The level was fitted to a single year',
        severity: 'medium',
        mitigation: 'It is reviewed every year against simulated decades.',
      },
    ],
    timeline: 'From the first full quarter above the level; no end foreseen.',
  },
];
