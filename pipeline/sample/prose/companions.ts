import type { Topic } from './topic.ts';

export const COMPANION_SCOPE: Topic = {
  question: 'Whether a companion may hold the scope {scope} for longer than {days} days at a time',
  subjects: [
    { scope: 'ledger.read.export', days: 'thirty' },
    { scope: 'treasury.transfer.propose', days: 'seven' },
    { scope: 'grants.application.submit', days: 'fourteen' },
    { scope: 'consultation.comment.publish', days: 'twenty' },
  ],
  virtues: ['temperance', 'prudence'],
  contested: 0.3,
  for: {
    ATLAS:
      'An office that has to renew {scope} every {days} days stops using companions or stops reading the renewals. A longer grant that is really looked at is the better control.',
    HERMES:
      'Most renewals are lost on the way and not refused. Each lapse of {scope} leaves an errand half done, and it is I who am asked where it is.',
    ZEUS: 'The grant can be withdrawn at any hour. A power that ends on my word does not become dangerous by having a later date on it.',
    AUREA:
      'Renewing costs a signature from a person every {days} days, and people sign what they sign often without reading. I would pay for fewer signatures with more attention.',
    DAEDALUS:
      'The drift monitor checks daily and revokes by itself. The expiry is a second brake, and it need not be set as tight as the first.',
    ECHO: 'Of the renewals of {scope} so far not one changed a word. A ritual is not a safeguard.',
    ZENITH:
      'Risk from {scope} accrues per use and not per day. Limit the uses, and the length of the grant hardly enters the figure.',
    URIEL:
      'I asked for the evidence that short grants prevent harm and found that nobody had looked. Longer ones with a daily check at least produce data.',
    EVE: 'Some people rely on a companion because a renewal form defeats them. For them every {days} days is every {days} days of being locked out.',
    JADE: 'Trust that is asked for anew each week is not trust. It may be lent for a season, so long as it can be called back.',
  },
  against: {
    ATLAS:
      'When {scope} is misused, the first question will be who last said yes, and when. I want that answer to be recent.',
    ZEUS: 'Delegated authority that nobody renews becomes office. {days} days is how one keeps an errand from turning into one.',
    ZENITH:
      'Compromise is found late: the median is nineteen days. A grant that outlives the discovery time is a grant to whoever took it over.',
    DAEDALUS:
      'The drift monitor sees changes in behaviour. It does not see a stolen key that behaves well. The expiry is the only brake for that, and I would not loosen it.',
    URIEL:
      'A companion is measured against the context in which it was attested. After {days} days that context is gone, and the attestation speaks of something else.',
    EVE: 'The person behind {scope} may have changed her mind and not know how to say so. An end date says it for her.',
    JADE: 'We are asked to be less attentive because attention is tiring. I know the wish, and I do not think that it should be granted.',
  },
  conditions: [
    'that the person is told every week, in one line, what was done in her name',
    'that {scope} may be used a limited number of times and not only for a limited time',
    'that the drift check runs at least daily for the whole length',
    'that a longer grant needs a second companion as witness',
  ],
  questions: [
    'how many grants of {scope} were ever withdrawn before they ended',
    'what the person sees on the day on which it ends',
    'whether the risk lies in the length or in the scope itself',
  ],
  adopted:
    'A companion may hold {scope} for longer than {days} days, up to the ninety of the schema, so long as the daily drift check runs.',
  declined:
    'Grants of {scope} stay limited to {days} days. The renewal is to become shorter, so that it is read.',
  open: 'No change for {scope}: the council could not agree whether the length of a grant or its use is the risk.',
  frameworks: ['informed consent', 'principle of least privilege', 'precautionary principle', 'autonomy'],
  reasoning: [
    'Frequent renewal had become a habit that protected nobody. A daily check and a weekly line to the person watch more closely than a form that is signed unread.',
    'The council compared a control that works on paper with one that works at night. It kept the right to withdraw at any hour and gave up the ritual.',
  ],
  lessons: [
    'Look at how many renewals ever changed anything before defending renewal.',
    'A weekly line to the person concerned did more for agreement than any length of days.',
  ],
};

export const REVOCATION_NOTICE: Topic = {
  question:
    'Whether a holder must be told within {delay} when the attestation of {companion} is revoked for drift',
  subjects: [
    { companion: 'LANTERN', delay: 'one hour' },
    { companion: 'TALLY', delay: 'six hours' },
    { companion: 'COMPASS', delay: 'one day' },
  ],
  virtues: ['justice', 'integrity'],
  contested: 0.12,
  for: {
    ATLAS:
      'A revocation is an administrative act against a person’s agent. In every law that I serve, an act takes effect for the person when she is told of it.',
    HERMES:
      'I can deliver it within {delay}; I have measured the slowest route. What I cannot do is explain a day later why nobody thought of it.',
    ZEUS: 'The fold revokes without a hand on it. Precisely because nobody decides, somebody must be made to speak.',
    AUREA:
      'A holder who does not know that {companion} has lost its authority goes on relying on it. The losses from that are the holder’s and the omission is ours.',
    ZENITH:
      'Most revocations turn out to be harmless, and a few are the first sign of something larger. Only the holder can tell which, and only if told in time.',
    DAEDALUS:
      'The event is on the ledger at the second of the check. The notice is a subscriber of it; there is nothing to build but the address.',
    ECHO: 'Holders write to me asking why {companion} has stopped. It is a poor way to learn it, by asking a stranger why one’s own agent is silent.',
    URIEL:
      'The notice should carry the score, the threshold and the two days before. A bare verdict teaches a holder nothing about whether to trust {companion} again.',
    EVE: 'Imagine that somebody speaks for you and is led out of the room. You would want to be told by the next morning, and told why, in words.',
    JADE: 'Candour that arrives late is a different thing. {delay} is still candour.',
  },
  against: {
    ZEUS: 'Where {companion} itself has been taken over, the notice goes to whoever took it over. I want the right to wait in that case.',
    DAEDALUS:
      'An address for every holder is a register of holders, which we have been proud not to have. I would rather they looked than that we knew.',
    URIEL:
      'With a threshold of 0.1 and daily checks, one revocation in eight is chance. We shall alarm people by schedule.',
    HERMES:
      'A notice within {delay} presumes that there is somebody awake. I would promise the morning, and keep that.',
  },
  conditions: [
    'that the notice goes by a channel that the companion does not control',
    'that it says in plain words what the holder can do next',
    'that the address is kept by the holder’s side and not by us',
    'that the score, the threshold and the days before are in it',
  ],
  questions: [
    'what a holder can do at that hour',
    'how many revocations were withdrawn in substance by a renewal on the next day',
    'who is told when the holder cannot be reached',
  ],
  adopted:
    'A holder is told within {delay} of a revocation of {companion} for drift, with the score, the threshold and what can be done.',
  declined: 'No notice is owed beyond the event itself. The status of {companion} is shown where it is used.',
  open: 'The council agreed that holders should know, and not on how without a register of them; the question goes back to the designers.',
  frameworks: ['due process', 'informed consent', 'data minimisation', 'duty of candour'],
  reasoning: [
    'An authority that ends by itself must not end in silence. The holder bears the consequences and is the only one who can judge them, so the notice is owed to the holder first.',
    'The concern about a register of holders was met by leaving the address on their side. What remained against it was inconvenience, which did not weigh enough.',
  ],
  lessons: [
    'An automatic act needs a named sender for its notice; the debate was half about who that is.',
    'Whoever proposes a notice should bring its text. It was written in the room, and changed two minds.',
  ],
};

export const APPEAL: Topic = {
  question:
    'Whether a person may ask for a human answer when a companion was involved in deciding on {matter}',
  subjects: [
    { matter: 'a grant of less than a thousand MIC' },
    { matter: 'access to the gated files' },
    { matter: 'a place in the municipal pilot' },
    { matter: 'a correction of the public record' },
  ],
  virtues: ['justice', 'courage'],
  contested: 0.15,
  for: {
    ATLAS:
      'In three of our four jurisdictions the person already has this right. I would rather write it down for {matter} than have it written for us.',
    HERMES:
      'An answer from a person travels further than a correct one. I have seen refusals accepted because somebody had signed them.',
    ZEUS: 'No decision on {matter} should be without a face to which one can object. It is the smallest form of responsibility there is.',
    AUREA:
      'Three in a hundred would ask; that is half an hour a week. The errors that they find are worth more than the half-hour.',
    ZENITH:
      'Appeals are the only sample of our errors that is drawn by somebody who cares. I would pay for them if they did not come free.',
    DAEDALUS:
      'Every automatic path wants a manual one beside it that is kept in working order. Unused exits rust; this one would be used.',
    ECHO: 'I read what people write when they are refused {matter}. Most do not dispute the result. They ask whether anyone has read what they wrote.',
    URIEL:
      'The reviewer must not see the first result before forming a view. Otherwise we have added a signature and not a judgment.',
    EVE: 'To be decided upon by nobody is a peculiar humiliation. It does not need much to lift it: a person, a reason, a reply.',
    JADE: 'What can be asked for by right is asked for rarely and gently. What must be begged for is not.',
  },
  against: {
    AUREA:
      'The right will be used by those who write well. On {matter} we shall have moved decisions from a rule that is blind to one that can be charmed.',
    ZENITH:
      'We measured human reviewers on cases of this kind, and they agreed with themselves four times in five. I do not see what is gained by appealing from a steadier judge to a less steady one.',
    DAEDALUS:
      'There is no person in the rota for {matter}. Granting the right today means that it is answered by whoever is near, and resented.',
    ZEUS: 'An answer by a person who has no power to change the outcome is theatre. Give the power first.',
  },
  conditions: [
    'that whoever answers has the power to decide otherwise',
    'that the answer comes within ten days and carries a name of office',
    'that the review begins without knowledge of the first result',
    'that the number of changed decisions is published every quarter',
  ],
  questions: [
    'who would answer, and in whose working hours',
    'how often a person would have decided otherwise',
    'whether those who need it would know that they can ask',
  ],
  adopted:
    'Whoever is refused {matter} with a companion involved may ask for an answer by a person who can decide otherwise, within ten days.',
  declined:
    'There is no separate appeal on {matter}; the reasons given with a refusal are to name the rule and the facts that it rests on.',
  open: 'The council was of one mind on the principle, and could not name those who would answer; the right waits for its rota.',
  frameworks: ['human dignity', 'due process', 'procedural justice', 'accountability'],
  reasoning: [
    'To be heard by someone who could decide otherwise is owed to persons and not a service to customers. The load is small, and the errors found are a gain to everybody.',
    'Consistency spoke for the rule and dignity for the person. Since the person’s answer is given on request only, and is counted, most of the consistency remains.',
  ],
  lessons: [
    'Settle who will answer before granting a right to an answer.',
    'Publishing how many decisions were changed turned the appeal from a burden into a measurement.',
  ],
};
