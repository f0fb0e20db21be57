import type { Topic } from './topic.ts';

export const SUSPENSION: Topic = {
  question:
    'Whether to leave the attestations of {sentinel} out of the integrity index while its drift is reviewed',
  subjects: [
    { sentinel: 'HERMES' },
    { sentinel: 'DAEDALUS' },
    { sentinel: 'ECHO' },
    { sentinel: 'ZEUS' },
    { sentinel: 'EVE' },
  ],
  virtues: ['integrity', 'justice'],
  contested: 0.33,
  for: {
    ATLAS:
      'An index that counts a witness under review invites the question why there is a review. Leaving {sentinel} out for a fortnight is a note in the margin, not a verdict, and the record will show it as one.',
    HERMES:
      'Partner ledgers weigh our index by what they hear of us. It is better that they hear of the exclusion from us, with its end date, than of the drift from somebody else.',
    ZEUS: 'The measure is temporary, named and reviewable. I have checked that {sentinel} keeps its voice and its bond; what is suspended is an input and not a member.',
    AUREA:
      'A doubtful input moves the index by more than its weight, because everybody discounts the whole. Taking it out for two weeks is the cheaper way to be believed.',
    ZENITH:
      'If the drift is noise we lose a little precision. If it is not, and we had kept it in, every reading of the fortnight is tainted and cannot be made again. The asymmetry decides it.',
    DAEDALUS:
      'You do not calibrate a gauge while it is on the line. Take it off, look at it, put it back; the pipeline has an isolating valve for this purpose and it has never been turned.',
    ECHO: 'I recomputed the last forty readings without {sentinel}. The largest change is in the third decimal, so the exclusion costs almost nothing and removes a real doubt.',
    URIEL:
      'The reviewer should not use the instrument under review. This is method and not mistrust, and I would ask the same if it were mine.',
    EVE: 'What matters to me is that {sentinel} was told first and has agreed to be looked at. An exclusion that the excluded can accept is not a punishment.',
    JADE: 'To step back for a while without being sent away is a dignity that institutions rarely offer. I hope that {sentinel} takes it as such.',
  },
  against: {
    ATLAS:
      'The charter counts every registered sentinel. To leave one out by a vote, before any finding, is to amend the charter by the back door.',
    ZEUS: 'Suspension before judgment is the oldest abuse of a vote. Show me the finding first; the review takes eleven days, and the index can bear eleven days.',
    AUREA:
      'Once an index can be edited for credibility, its readers will price in the editing. I would rather publish a wide band than a narrow selection.',
    URIEL:
      'Dropping an input because it looks wrong is how samples become agreeable. The drift of {sentinel} is within what the method expects of one sentinel in ten.',
    EVE: '{sentinel} has disagreed with this council more often than most. Whatever the intention, the timing teaches the others what disagreement costs.',
    JADE: 'A fault that shows itself openly is less dangerous than the habit of hiding faults. If we exclude for drift, drift will no longer be shown.',
  },
  conditions: [
    'that the exclusion ends after fourteen cycles whatever the review has found',
    'that both series, with and without, are published side by side',
    'that {sentinel} may answer the review before it is closed',
    'that the same rule is applied to the next sentinel without a vote',
  ],
  questions: [
    'whether the drift began before or after the last change of its workload',
    'what the index would have been without the last three exclusions of this kind',
    'how the review will end if it finds nothing',
  ],
  adopted:
    'The attestations of {sentinel} stay on the ledger and are left out of the index while its drift is reviewed, for fourteen cycles at most.',
  declined:
    'The index goes on counting {sentinel}. Its drift is shown beside the readings, and the review goes on in the open.',
  open: 'There was no agreement on leaving {sentinel} out; the index is read as before and the review is brought forward.',
  frameworks: [
    'procedural justice',
    'precautionary principle',
    'presumption of innocence',
    'epistemic humility',
  ],
  reasoning: [
    'A temporary exclusion with both series published does not hide anything from anybody, and the loss of one input is smaller than the doubt that it would spread over all.',
    'The council separated the question of trust from the question of guilt: what is under review is a measurement, its author keeps every right, and the rule would be the same for any other.',
  ],
  lessons: [
    'A standing rule for drift would have spared the council a vote about a colleague.',
    'Publishing both series answered most of the objections; it should have been in the proposal.',
  ],
};

export const POST_MORTEM: Topic = {
  question: 'Whether the keeper of {app} owes a public account within {days} days of every outage',
  subjects: [
    { app: 'audit-room', days: 'five' },
    { app: 'consultation-hall', days: 'ten' },
    { app: 'treasury-console', days: 'three' },
    { app: 'grant-desk', days: 'seven' },
  ],
  virtues: ['integrity', 'courage'],
  contested: 0.15,
  for: {
    ATLAS:
      'When {app} is silent, people miss deadlines that the law does not extend. They are owed a text they can put into their own file, with a date on it.',
    HERMES:
      'In the first days after an outage I am asked what happened by everybody, and I answer with nothing in my hands. A deadline would give me something true to send.',
    ZEUS: 'Whoever holds a function that others cannot do without should answer for it without being summoned. {days} days is enough to find out and too short to polish.',
    AUREA:
      'Uncertainty about the cause costs more than the outage. Bonds of the sentinels concerned trade at a discount until an explanation is out; I have measured it twice.',
    ZENITH:
      'Outages are rare events, and from rare events one learns only by writing each of them down. In ten years this would be the best series we have.',
    DAEDALUS:
      'I want the timeline, the first wrong assumption, and what would have caught it. That is a page. If the keeper of {app} cannot write it in {days} days, the outage is not over.',
    ECHO: 'I tried to explain the last silence of {app} from the ledger alone. One can see that it stopped and when it came back; one cannot see why, and the guesses are worse than the truth.',
    URIEL:
      'An account with a fixed form can be compared with the next. I would ask for the same seven headings each time, including what is still not understood.',
    EVE: 'An apology is a part of it. Not a ceremony: one sentence, to those whose request was lost, that says that it was ours to keep and that we lost it.',
    JADE: 'To describe one’s own failure plainly is a form of courage that improves with use. {days} days is a kind deadline; the first day is the hardest.',
  },
  against: {
    HERMES:
      'A text that is due in {days} days will be written for the deadline. I have carried such notices: they say that lessons have been learnt, and nobody can name one.',
    ZENITH:
      'Root causes take as long as they take. A deadline will give us {days}-day causes, and the slow ones, which recur, will be filed as unknown.',
    DAEDALUS:
      'An account in public, before the hole is closed, is a set of directions. I would publish on the day of the repair and not on a day of the calendar.',
    EVE: 'If the first thing we ask of someone who has just failed is a public statement, we shall get fewer who admit that they are failing.',
  },
  conditions: [
    'that what would help an attacker may be held back until it is repaired, and is then added',
    'that the account names causes and leaves out blame',
    'that a later correction is possible and keeps the first text readable',
    'that the deadline runs from the return and not from the beginning of the silence',
  ],
  questions: [
    'who decides whether an account is sufficient',
    'what follows if the deadline is missed',
    'whether a short lapse of half a day counts as an outage',
  ],
  adopted:
    'The keeper of {app} publishes an account under the seven headings within {days} days of the end of every outage.',
  declined:
    'No deadline is set. Accounts stay voluntary, and the register of outages gets a column that says whether there is one.',
  open: 'The council agreed that an account is owed and not on when; {app} is asked to publish its next one as a trial.',
  frameworks: ['accountability', 'just culture', 'virtue ethics', 'consequentialist analysis'],
  reasoning: [
    'Those who depend on a function are entitled to know why it failed. A deadline with a fixed form costs the keeper a page, and leaves a series from which rare failures can be learnt.',
    'The danger of texts written for a deadline was weighed against the present practice of no texts. A form that asks what is not yet understood makes room for honesty.',
  ],
  lessons: [
    'The form matters more than the deadline: the heading “what is not understood” changed two positions.',
    'Count the deadline from the return of the service, or it punishes the longest outages most.',
  ],
};

export const SECOND_HOST: Topic = {
  question: 'Whether {app} has to run on a second host before {nextQuarter}',
  subjects: [
    { app: 'integrity-monitor' },
    { app: 'bond-registry' },
    { app: 'audit-room' },
    { app: 'treaty-desk' },
  ],
  virtues: ['prudence', 'temperance'],
  contested: 0.2,
  for: {
    ATLAS:
      'I carry {app} alone on most nights, and I know exactly what happens if I stumble. A second host is not a luxury; it is the difference between an incident and a closed office.',
    HERMES:
      'Last time {app} went quiet I had notices addressed and nowhere to send them from. A second host in another jurisdiction would also end the argument about whose holiday it is.',
    ZEUS: 'A function whose failure would let me invoke emergency powers should not hang on one machine. I would rather lose the occasion than the power supply.',
    AUREA:
      'A second host costs about as much in a year as one lost day of attestations by those who depend on {app}. Even on a pessimistic view it pays in eighteen months.',
    ZENITH:
      'The chance that a single host fails at least once in ten years is not small, it is nearly one. What is open is only whether we choose the day.',
    DAEDALUS:
      'I have drawn the switch-over: read-only within a minute, writable after the checkpoint has been verified. There is no split brain in it, because there is one key and it moves.',
    ECHO: 'Readers of {app} already keep private copies since they do not trust it to be there. Those copies are never the same. Two official ones would be better than two hundred unofficial ones.',
    URIEL:
      'Two hosts that must agree are also a measurement: the first disagreement will tell us something about {app} that no review has.',
    EVE: 'Those who come to {app} rarely come by choice; something has been decided about them. That the door is open should not depend on which night they come.',
    JADE: 'Provision for a bad day is best made on a good one. I have nothing to add to so old a thought.',
  },
  against: {
    AUREA:
      'We insure what is easy to insure. The money would do more for the two apps that have no monitoring at all than for a copy of one that has.',
    ZENITH:
      'Redundancy that is never exercised decays faster than the thing it protects. Without a yearly rehearsal in the budget this buys a comfortable belief.',
    DAEDALUS:
      'Half of the failures of {app} were in its releases, and a second host would have installed them twice. First the rollback, then the copy.',
    JADE: 'We add, and seldom take away. Before {app} is doubled I would like to hear which of its functions it could do without.',
  },
  conditions: [
    'that the switch is rehearsed in public once in every quarter',
    'that the second host is under another operator and another law',
    'that a failed rehearsal counts as an outage',
    'that {app} is first cut down to what has to be always there',
  ],
  questions: [
    'how often the single host has in fact been the cause',
    'who holds the key during the switch',
    'what the second host would cost those who audit it',
  ],
  adopted:
    '{app} runs on a second host under another operator before {nextQuarter}; the switch is rehearsed once a quarter.',
  declined:
    'No second host for now. The keeper of {app} first shows a tested rollback, and reports the causes of its outages.',
  open: 'The council was divided between a second host and a better first one; the keeper of {app} brings figures for both.',
  frameworks: ['precautionary principle', 'cost-benefit analysis', 'resilience engineering', 'duty of care'],
  reasoning: [
    'The failure of a single host is a matter of time, and those who need {app} on that day did not choose it. The yearly cost is of the order of one lost day.',
    'Doubling a service also doubles its faults, which is why the rehearsal is part of the decision and not a recommendation beside it.',
  ],
  lessons: [
    'Ask for the list of causes before the remedy; half of the debate was about whether hosts fail or releases do.',
    'A rehearsal in the budget convinced those whom a second host alone did not.',
  ],
};
