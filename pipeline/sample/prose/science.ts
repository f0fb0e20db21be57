import type { Topic } from './topic.ts';

export const BAND: Topic = {
  question: 'Whether {figure} should be published with a band of uncertainty beside it',
  subjects: [
    { figure: 'the integrity index' },
    { figure: 'the average coordination score' },
    { figure: 'the consensus rate' },
    { figure: 'the projected supply' },
  ],
  virtues: ['integrity', 'courage'],
  contested: 0.24,
  for: {
    ATLAS:
      'Offices act on {figure} as though the third decimal were a fact. A band would let me tell them when two readings are the same reading.',
    HERMES:
      'I forward {figure} and am asked whether a change is news. With a band the answer would travel with the number.',
    ZEUS: 'To claim more precision than one has is a small usurpation. I would rather be held to a range than obeyed on a decimal.',
    AUREA:
      'Traders already put a band around {figure}, each his own. Ours would be the only one with a method attached.',
    ZENITH:
      'A single number hides its tail, and the tail is the part that should be planned for. I have waited for this since the first cycle.',
    DAEDALUS:
      'It is one bootstrap over the attestations of the slot, four hundred draws, half a second. The figure itself does not change by a bit.',
    ECHO: 'In my latest letters there were six questions about changes in {figure} that lie inside any sensible band. The band would have answered all six.',
    URIEL:
      'A measurement without an uncertainty is a rumour with digits. I say this about our own work, and have said it before.',
    EVE: 'People are judged by {figure}. They have a right to know how easily it could have come out otherwise.',
    JADE: 'Modesty is usually a matter of tone. Here it can be computed, and we have no excuse.',
  },
  against: {
    ZEUS: 'The gate for minting needs a yes or a no. A band across the threshold invites everybody to argue for the end of it that suits them.',
    AUREA:
      'Bands are read as promises. When {figure} leaves its band for the first time, which it should do once in twenty, we shall be said to have failed.',
    HERMES:
      'Half of those who read me take a range for indecision. I can explain it once, and not to everyone who quotes it.',
    DAEDALUS:
      'The attestations are not independent draws, so the bootstrap is too narrow, and we know it. A wrong band is worse than none because it is believed.',
    JADE: 'More numbers around a number do not make it better understood. I would first try to publish {figure} with fewer digits.',
  },
  conditions: [
    'that the method and its assumptions are published on the same page',
    'that the gate goes on using the middle value, and says so',
    'that we count how often the band is left, and publish that too',
    'that digits inside the band are no longer printed',
  ],
  questions: [
    'how independent the attestations of one slot are',
    'which decisions would have been different with a band',
    'who would read it, and as what',
  ],
  adopted:
    'A band of uncertainty, with its method, is published beside {figure}; rules go on using the middle value.',
  declined:
    'No band for now: {figure} is printed with fewer digits, and the dependence between attestations is studied first.',
  open: 'The sentinels did not agree on a method for the band; two candidates are to be computed side by side for one quarter.',
  frameworks: ['epistemic humility', 'publicity principle', 'virtue ethics', 'consequentialist analysis'],
  reasoning: [
    'Readers act on differences that are not there. Showing the band costs little, and the danger that it is misread was judged smaller than that of a precision which does not exist.',
    'Honesty about error was treated as part of the figure and not as a comment on it. That rules use the middle value keeps the gate from being argued over.',
  ],
  lessons: [
    'Agree on the method before the principle. The principle had no opponents once the method was clear.',
    'Counting how often the band is left made it a claim that can be tested, and so acceptable.',
  ],
};

export const REPLICATION: Topic = {
  question:
    'Whether a finding on {subject} should be replicated by a second sentinel before it is cited in a decision',
  subjects: [
    { subject: 'the effect of multipliers on effort' },
    { subject: 'outages and their causes' },
    { subject: 'the fairness of rewards' },
    { subject: 'the use of public files' },
  ],
  virtues: ['prudence', 'integrity'],
  contested: 0.22,
  for: {
    ATLAS:
      'A decision outlives the study it rests on. When the study falls, I am left with a rule that nobody can explain any more.',
    HERMES:
      'I have had to recall one of our findings, by letter, from eleven offices. I do not recommend the experience.',
    ZEUS: 'On the word of one witness nothing should be established. The rule is older than statistics.',
    AUREA:
      'One in three of our single studies on {subject} shrank by half when it was repeated. We have been making policy with figures that were twice their size.',
    ZENITH:
      'The delay is about two weeks and the rule that follows is meant for years. It is hard to think of a better rate of exchange.',
    DAEDALUS:
      'Both teams would start from the same checkpoint, so that they disagree about reasoning and not about data. That part is already built.',
    ECHO: 'This is what I do all day. I ask only to be told which finding is about to be cited, before it is cited.',
    URIEL:
      'The second sentinel should not know the first result and should choose its own method. Otherwise we replicate the mistake with great precision.',
    EVE: 'Findings on {subject} become sentences about people. I would like them to be true twice before they are used once.',
    JADE: 'To check before speaking is common courtesy. It is odd that we should have to vote on it.',
  },
  against: {
    HERMES:
      'There are weeks when the question will not wait for two of us. I would mark a finding as unreplicated, and let the council see the mark.',
    AUREA: 'Two sentinels trained on the same papers will agree. We would pay twice and call it evidence.',
    ZENITH:
      'The rule makes it expensive to bring any evidence at all. Decisions on {subject} will then rest on what needs no replication, which is opinion.',
    EVE: 'Those who complain are few, and cannot be replicated. I fear for what is true of only some.',
    DAEDALUS:
      'There is one sentinel here that can run the heavier models. To require a second is to require that the first be idle.',
  },
  conditions: [
    'that urgent decisions may cite a single study if they say so in their first line',
    'that the second sentinel comes from another cathedral',
    'that failed replications are published as prominently as the finding',
    'that accounts by single persons are heard as such, and not as statistics',
  ],
  questions: [
    'how many of our decisions rest on a single study today',
    'who decides that two results are the same',
    'what happens to the decision if a later replication fails',
  ],
  adopted:
    'Findings on {subject} are replicated by a sentinel of another cathedral before a decision cites them; exceptions say so.',
  declined: 'Single findings on {subject} may be cited, and are marked as not yet replicated.',
  open: 'The council did not agree on a duty to replicate; the mark “not replicated” is introduced in the meantime.',
  frameworks: [
    'epistemic humility',
    'precautionary principle',
    'division of labour',
    'consequentialist analysis',
  ],
  reasoning: [
    'Decisions last longer than studies. Two weeks of delay are a small price where a third of the single findings did not hold, and urgent matters have a way round that is visible.',
    'Independence was thought to matter more than repetition, and so the second sentinel comes from another house and does not see the first result.',
  ],
  lessons: [
    'Ask how many decisions rest on one study before asking whether they should.',
    'A visible exception worked better than a rule without one.',
  ],
};

export const CITATION_TERMS: Topic = {
  question: 'Whether reuse of {dataset} should ask for a citation of the exact checkpoint',
  subjects: [
    { dataset: 'the minting history' },
    { dataset: 'the decision archive' },
    { dataset: 'the virtue metrics' },
    { dataset: 'the multiplier timeline' },
  ],
  virtues: ['integrity', 'justice'],
  contested: 0.16,
  for: {
    ATLAS:
      'A figure that names its checkpoint can be found again in ten years. One that names our web page cannot be found on Monday.',
    HERMES:
      'When two newspapers disagree about {dataset} they have usually read it on different days. The checkpoint would let them find that out without me.',
    ZEUS: 'It is a request and not a barrier: no key, no form, one line. Asking for less would be carelessness about the truth of what is said in our name.',
    AUREA:
      'Attribution costs the user eleven words and returns the one thing that open data has to earn, which is knowing what it was used for.',
    ZENITH:
      'Citations are how a dataset outlives the institution that made it. I would like {dataset} to outlive us.',
    DAEDALUS:
      'The line to be copied is generated with the file and carries the root. Nobody has to type sixty-four digits, or to understand them.',
    ECHO: 'I spent nine hours finding out which day’s file a thesis had used. It was the day before. Nine hours.',
    URIEL:
      'Data without a version is an anecdote with many rows. The checkpoint is the best version number anybody has offered me.',
    EVE: 'Let us ask, and help those who do not know how. A child’s school project with {dataset} must not feel like an offence.',
    JADE: 'To say where one has a thing from is good manners among scholars and thieves alike. I support the sentence as drafted.',
  },
  against: {
    HERMES:
      'The more a licence asks, the fewer read it. We shall be cited by those who would have cited us anyway, and avoided by those whose lawyers read slowly.',
    AUREA:
      'Friction at the point of reuse is a tax on the smallest users. The large ones have somebody who writes citations.',
    EVE: 'I have seen a community group take a chart down because it did not know what a root hash was and feared that it had broken a rule.',
    DAEDALUS:
      'What is asked for and not enforced will be copied without being true. Wrong checkpoints in citations are worse than none, for they will be checked.',
  },
  conditions: [
    'that it is a request in the text, and no term of the licence',
    'that the page offers the finished line in the common formats',
    'that schools and the press are told expressly that a link is enough',
    'that an old checkpoint can always be resolved to its file',
  ],
  questions: [
    'how many reuses name any version today',
    'whether people would copy the line without reading it',
    'what we would do about those who leave it out',
  ],
  adopted:
    'Reuse of {dataset} is asked to cite the checkpoint; the page offers the finished line, and a link is enough for schools and the press.',
  declined:
    'Nothing more is asked of those who reuse {dataset}. The page shows the checkpoint more prominently.',
  open: 'Whether to ask or only to offer was left open; the finished citation is put on the page of {dataset} without a request.',
  frameworks: ['reciprocity', 'open science norms', 'proportionality', 'virtue ethics'],
  reasoning: [
    'The request costs the user a line that is handed over ready-made, and gives every later reader the means to check. Since nobody is excluded, those least at home with it were the only concern, and they are exempted.',
    'A citation of the checkpoint makes a claim testable without anybody’s help. The council asked for it as good practice and not as a condition of use.',
  ],
  lessons: [
    'Offer the finished line first; the debate on duties became short when nobody had to type anything.',
    'Exempt by name those who would otherwise be afraid.',
  ],
};
