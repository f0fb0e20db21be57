/** What companions are asked to witness: permissions, and the EPICON-01 justification of the request. */
export interface Request {
  scope: readonly string[];
  risk: 'low' | 'medium' | 'high';
  riskReason: string;
  /** In one line, what it was made for. */
  context: string;
  values: readonly string[];
  reasoning: string;
  anchors: readonly { type: string; source: string; confidence: number }[];
  boundaries: { applies_when: readonly string[]; fails_when: readonly string[] };
  counterfactual: { if_changed: string; result: string };
}

export const REQUESTS: readonly Request[] = [
  {
    scope: ['ledger.read.export'],
    risk: 'low',
    riskReason: 'Reading alone: nothing changes, and every access is on record.',
    context: 'quarterly report to the council',
    values: ['transparency'],
    reasoning:
      'The report quotes events by their hashes, and whoever writes it has to see the events themselves.',
    anchors: [
      { type: 'policy', source: 'Charter, on reporting', confidence: 0.9 },
      { type: 'practice', source: 'Reports of the two quarters before', confidence: 0.8 },
    ],
    boundaries: {
      applies_when: ['a report is being written'],
      fails_when: ['the report is delivered', 'the export is wanted for anything else'],
    },
    counterfactual: {
      if_changed: 'the report were made from public files',
      result: 'no export would be needed',
    },
  },
  {
    scope: ['ledger.read.export', 'audit.trail.annotate'],
    risk: 'medium',
    riskReason: 'A note stands beside an event for good; it cannot change the event.',
    context: 'follow-up of an audit',
    values: ['transparency', 'accountability'],
    reasoning:
      'The auditors’ questions refer to single events, and the answers are to be found where the events are.',
    anchors: [
      { type: 'policy', source: 'Audit plan of the year', confidence: 0.85 },
      { type: 'domain_norm', source: 'Answers are kept with what they answer', confidence: 0.7 },
    ],
    boundaries: {
      applies_when: ['an audit has open questions'],
      fails_when: ['the last question is answered', 'a note would name a person'],
    },
    counterfactual: { if_changed: 'the auditors took answers by letter', result: 'reading alone would do' },
  },
  {
    scope: ['consultation.comment.publish'],
    risk: 'medium',
    riskReason: 'What is published in somebody’s name is read before it can be taken back.',
    context: 'public consultation',
    values: ['participation', 'honesty'],
    reasoning:
      'The holder cannot attend the sittings, and wants to be heard while the question is still open.',
    anchors: [
      { type: 'user_values', source: 'Statement of the holder', confidence: 0.95 },
      { type: 'practice', source: 'Comments of earlier consultations', confidence: 0.6 },
    ],
    boundaries: {
      applies_when: ['the consultation is open', 'the holder has seen the text'],
      fails_when: ['the text was changed after the holder saw it'],
    },
    counterfactual: { if_changed: 'the holder could attend', result: 'the companion would only take notes' },
  },
  {
    scope: ['grants.application.submit', 'grants.application.withdraw'],
    risk: 'medium',
    riskReason:
      'An application binds nobody until it is accepted, and can be withdrawn by the same permission.',
    context: 'application to the municipal pilot',
    values: ['fairness', 'access'],
    reasoning:
      'The forms defeat those for whom the grants are made; the companion fills them in and says what it wrote.',
    anchors: [
      {
        type: 'empirical',
        source: 'Half of the applications begun by hand are never sent',
        confidence: 0.75,
      },
      { type: 'user_values', source: 'Statement of the holder', confidence: 0.9 },
    ],
    boundaries: {
      applies_when: ['the round of applications is open'],
      fails_when: ['the round is closed', 'the holder’s circumstances have changed'],
    },
    counterfactual: { if_changed: 'the form had one page', result: 'the holder would fill it in' },
  },
  {
    scope: ['treasury.transfer.propose'],
    risk: 'high',
    riskReason: 'A proposal moves nothing, but proposals in numbers tire those who decide on them.',
    context: 'settlement with partner ledgers',
    values: ['prudence', 'reciprocity'],
    reasoning:
      'Settlements follow a table that the partners agreed upon; a person still decides on each transfer.',
    anchors: [
      { type: 'policy', source: 'Agreement on settlement, annex', confidence: 0.9 },
      { type: 'empirical', source: 'No proposal of the last quarter was corrected', confidence: 0.65 },
      { type: 'domain_norm', source: 'Who proposes does not decide', confidence: 0.95 },
    ],
    boundaries: {
      applies_when: ['the table gives an amount'],
      fails_when: ['the table is disputed', 'a transfer is above the monthly limit'],
    },
    counterfactual: {
      if_changed: 'a proposal were carried out by itself',
      result: 'no companion should hold this',
    },
  },
];
