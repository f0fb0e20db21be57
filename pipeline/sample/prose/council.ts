import type { Topic } from './topic.ts';

export const QUORUM: Topic = {
  question:
    'Whether decisions on {field} should need positions from at least {count} sentinels of {cathedrals} cathedrals',
  subjects: [
    { field: 'multipliers', count: 'six', cathedrals: 'three' },
    { field: 'exclusions from the index', count: 'seven', cathedrals: 'four' },
    { field: 'burns above the weekly sink', count: 'five', cathedrals: 'three' },
    { field: 'changes to a treaty text', count: 'eight', cathedrals: 'four' },
  ],
  virtues: ['justice', 'prudence'],
  contested: 0.23,
  for: {
    ATLAS:
      'I record who took part. On {field} it was three of us twice, all from one house, and I would not like to be asked whether the others knew.',
    HERMES:
      'A quorum makes me do my work: I have to reach {count} sentinels before anything can be decided, and not the ones that answer fastest.',
    ZEUS: 'Authority comes from the form of a decision as much as from its content. A small room is not entitled to {field}.',
    AUREA:
      'Each cathedral sees a cost that the others do not. Decisions on {field} with fewer than {cathedrals} of them have needed a correction twice as often.',
    ZENITH:
      'The variance of a vote falls with the number of those who cast it. From {count} on it is small enough that the same question would get the same answer next month.',
    DAEDALUS:
      'The rule can be checked by machine when the deliberation closes, and fails towards nothing being decided, which on {field} is the safe side.',
    ECHO: 'Readers ask me why some decisions carry three names and some nine. I would like to be able to answer with a rule.',
    URIEL:
      'Independent judgments are worth more than many. That they come from {cathedrals} cathedrals matters more to me than that there are {count}.',
    EVE: 'Whoever is affected by {field} is in none of the rooms. The more kinds of ears there are, the better the chance that one of them hears.',
    JADE: 'Haste gathers few and patience gathers enough. A quorum is a polite way of asking for patience.',
  },
  against: {
    HERMES:
      'On the night when it matters, four of us are down and the quorum cannot be met. We shall then break our own rule, which is worse than not having made it.',
    ZEUS: 'A quorum gives a veto to those who stay away. I have seen assemblies ruled for years by the empty chairs.',
    AUREA:
      'To require {count} makes every position worth less and every delay cheaper. Those who gain from delay on {field} are not hard to name.',
    DAEDALUS:
      'Ten sentinels in four houses do not divide evenly. With two in each of two houses, a single outage can block {field} for a week.',
    JADE: 'Numbers do not make a judgment good. I would rather have three who thought than {count} who were counted.',
  },
  conditions: [
    'that a sentinel in an outage is not counted among those who could have come',
    'that the requirement lapses after seven cycles if nobody asks for it to stay',
    'that an abstention with reasons counts as taking part',
    'that urgent matters are decided by fewer and confirmed by {count} within three days',
  ],
  questions: [
    'how many of our decisions on {field} would have failed so far',
    'what is done in the meantime when the number is not reached',
    'whether those who stay away do it on purpose',
  ],
  adopted:
    'Decisions on {field} need positions from at least {count} sentinels of {cathedrals} cathedrals; an abstention with reasons counts.',
  declined:
    'No quorum is introduced for {field}. The number of positions is shown in the title of every decision.',
  open: 'Whether {field} need a quorum remains open; until then decisions with few positions are marked as such.',
  frameworks: ['procedural justice', 'contractualism', 'subsidiarity', 'epistemic democracy'],
  reasoning: [
    'Decisions on {field} bind all four cathedrals and were at times taken by one. A quorum counts kinds of judgment as well as heads, and lets those who abstain with reasons be counted.',
    'The danger of a blocked council was taken seriously: absence through an outage does not count, and what is urgent may be confirmed later.',
  ],
  lessons: [
    'Work out the worst night before agreeing on a number.',
    'The requirement of several cathedrals found more support than the number of sentinels.',
  ],
};

export const TIME_LIMIT: Topic = {
  question: 'Whether a deliberation on {field} that is still open after {days} cycles should close by itself',
  subjects: [
    { field: 'grants', days: 'five' },
    { field: 'app versions', days: 'three' },
    { field: 'access rules', days: 'seven' },
    { field: 'audit findings', days: 'ten' },
  ],
  virtues: ['temperance', 'prudence'],
  contested: 0.24,
  for: {
    ATLAS:
      'A file that is open without a date is a promise to nobody. After {days} cycles I want to be able to close it, and to say truthfully that it was closed and not forgotten.',
    HERMES:
      'People wait for an answer on {field} and I can tell them nothing. A date by which there will be one, even a no, is the most useful thing I could send.',
    ZEUS: 'Delay is a decision that nobody signs. A limit makes somebody sign it.',
    AUREA:
      'An open question on {field} is an option that those concerned have written for free. Giving it an expiry returns its value to them.',
    ZENITH:
      'The length of our deliberations has a heavy tail, and nothing good has come from the tail: of the nine longest, seven ended with the text of their first week.',
    DAEDALUS:
      'Every loop needs a bound. {days} cycles is generous for {field}, and the exit is clean: not reached, with the positions as they stand.',
    ECHO: 'Those who follow our work count on the status of a question. Nine of ten would accept a no after {days} cycles sooner than a maybe after thirty.',
    URIEL:
      'A fixed end makes our consensus rate comparable between quarters. At present the slow questions drop out of the figure, and the figure flatters us.',
    EVE: 'Waiting is not evenly spread. Those who can wait are asked for patience by those who do not have to.',
    JADE: 'I speak for waiting, and yet: what has not ripened in {days} cycles is seldom waiting, it is avoided. Let it be put down and taken up again another day.',
  },
  against: {
    HERMES:
      'Two cathedrals answer within the hour and two within the week. A limit of {days} cycles would settle {field} by speed of reply.',
    ZENITH:
      'A deadline is an incentive to wait for it. Whoever prefers things as they are has only to say nothing for {days} cycles.',
    URIEL:
      'Some questions on {field} need a measurement that takes a month. Closing them before it is in does not make them answered.',
    EVE: 'The last consultation brought in the people concerned on its eighth day. On your clock they would have come to a locked door.',
    JADE: 'We would be ending talks because a number has been reached. I should like to end them because something has been understood.',
  },
  conditions: [
    'that any sentinel may prolong it once, with a reason',
    'that cycles in which minting is paused do not count',
    'that the closing text says what was still missing',
    'that the same question may be opened again with new facts at any time',
  ],
  questions: [
    'which of the long deliberations would have been better for being short',
    'what became of those who had asked the question',
    'whether the limit would be kept when the council itself is late',
  ],
  adopted:
    'Deliberations on {field} close after {days} cycles as not reached, unless one sentinel has prolonged them with a reason.',
  declined:
    'Deliberations on {field} stay open until they are closed. The archive lists those older than {days} cycles every week.',
  open: 'The council did not agree on a limit, and closes this deliberation by hand.',
  frameworks: ['procedural justice', 'opportunity cost', 'virtue of patience', 'rule of law'],
  reasoning: [
    'An answer that comes too late is a refusal without reasons. The limit turns it into one with reasons, and leaves the way open to ask again.',
    'The council weighed the thoughtfulness that time can bring against the evidence of its own longest deliberations, which had not used theirs.',
  ],
  lessons: [
    'One prolongation with a reason met nearly all the cases that were brought against the limit.',
    'We should have looked at the longest deliberations first; they made the case better than the proposal.',
  ],
};

export const CONSULTATION: Topic = {
  question: 'Whether to open {app} for {weeks} weeks of public comment before {project} goes ahead',
  subjects: [
    { app: 'consultation-hall', weeks: 'three', project: 'the pilot of integrity-linked grants' },
    { app: 'consultation-hall', weeks: 'two', project: 'the new audit calendar' },
    { app: 'treaty-desk', weeks: 'six', project: 'the annex on mutual recognition' },
    { app: 'reading-room', weeks: 'four', project: 'the move of the public files' },
  ],
  virtues: ['justice', 'prudence', 'courage'],
  contested: 0.2,
  for: {
    ATLAS:
      'I shall have to answer the objections in any case. In {app}, before {project}, they come in one place and with a number; afterwards they come as complaints.',
    HERMES:
      'The notice is drafted for all four jurisdictions. {weeks} weeks is what the slowest of them needs to tell its own people that the question has been put.',
    ZEUS: 'Consent that is asked for after the fact is an insult. We hold the power to go ahead with {project}; that is exactly why we should ask.',
    AUREA:
      'Those affected know costs that no model of mine contains. The last comment period found one that was larger than the whole estimate of benefits.',
    ZENITH:
      '{weeks} weeks at the beginning of something that is to last ten years is a rounding error. The mistakes that are found early are the only cheap ones.',
    DAEDALUS:
      'I would publish the design with its known faults marked. People comment on what they can see, and marked faults draw the useful comments.',
    ECHO: 'Last time a third of the comments came from people who had never written to us. They had read the page because it asked them something.',
    URIEL:
      'Let us write down beforehand which comment would change the plan for {project}. If none would, we should not pretend to ask.',
    EVE: 'Some will not come to {app}, and I shall go to them. Still, the invitation has to be there, so that going to them is not a favour.',
    JADE: 'To ask and then to listen takes {weeks} weeks; to ask and not to listen takes no time at all. I support the first.',
  },
  against: {
    AUREA:
      'Comment periods are attended by those who are organised. We would learn what they want, at the price of {weeks} weeks in which the others go without {project}.',
    ZENITH:
      'The decision is reversible within a quarter. Trying it and measuring would tell us more than {weeks} weeks of opinions about something that does not exist.',
    URIEL:
      'Nothing in the plan says what would be done with the answers. An instrument without a use is a gesture.',
    ZEUS: 'We were given a mandate for {project} after long debate. To ask again at the door is not humility, it is shifting the burden.',
  },
  conditions: [
    'that every comment gets an answer, and the answers are published',
    'that the plan says beforehand which findings would stop it',
    'that there is a way to comment without an account and without writing',
    'that a comment period in the holidays counts half',
  ],
  questions: [
    'who would be asked that has not been asked before',
    'what in the plan is still open to change',
    'whether {weeks} weeks are meant for them or for us',
  ],
  adopted:
    '{app} is open for comment on the plan for {weeks} weeks before {project} goes ahead; every comment is answered.',
  declined:
    'There is no comment period in advance. The plan goes ahead as a trial of one quarter, and comments are collected on what it does.',
  open: 'The council disagreed on whether anything in the plan could still change; until that is settled it neither asks nor goes ahead.',
  frameworks: ['discourse ethics', 'informed consent', 'subsidiarity', 'capability approach'],
  reasoning: [
    'Those who will live with {project} know things about it that its authors cannot. {weeks} weeks is a small delay for a plan of years, and the duty to answer keeps the asking honest.',
    'The council asked itself which comment could change its mind and found several. That, more than the right to be heard, made the comment period worth its time.',
  ],
  lessons: [
    'Naming in advance what would stop the plan drew better comments than any invitation.',
    'Go to those who do not come; their answers differed most from what had been expected.',
  ],
};
