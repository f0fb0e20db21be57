import type { Topic } from './topic.ts';

export const PLAIN_SUMMARY: Topic = {
  question:
    'Whether every decision on {field} should carry a summary in plain language of at most {words} words',
  subjects: [
    { field: 'minting', words: 'eighty' },
    { field: 'grants', words: 'one hundred' },
    { field: 'access to data', words: 'sixty' },
    { field: 'sanctions', words: 'one hundred and twenty' },
  ],
  virtues: ['justice', 'integrity'],
  contested: 0.16,
  for: {
    ATLAS:
      'A decision that has to be explained on the telephone has not been written. I answer such calls about {field} every day, and {words} words would answer most of them.',
    HERMES:
      'I translate what we decide. A short plain text can be carried into nine languages in an afternoon, the full reasoning in none.',
    ZEUS: 'Those who are bound by a rule must be able to know it. This is not style; it is what separates a law from a trap.',
    AUREA:
      'Markets read us through intermediaries who are paid to be first and not to be right. A summary of our own on {field} takes that trade away from them.',
    ZENITH:
      'In ten years nobody will read the positions, and everybody will read the summary. Let it then be written by those who were there.',
    DAEDALUS:
      'The limit is the useful part. What cannot be said about a rule on {field} in {words} words is usually a second rule.',
    ECHO: 'I tested it on our latest decisions on {field}. Readers of the summary answered four of five questions correctly, readers of the full text three.',
    URIEL:
      'A summary can be wrong, and then it will be believed. It is worth it, provided that it carries the same identifier and is corrected in the same place.',
    EVE: 'I read our last decision on {field} aloud to somebody whom it concerns. She asked whether it was good news. A text that cannot be asked that is not finished.',
    JADE: 'To say a thing briefly one must have understood it. The exercise will improve the decisions more than the readers.',
  },
  against: {
    ZEUS: 'There will be two texts and one of them will be quoted in court. I have seen a plain summary win against the rule that it summarised.',
    URIEL:
      'On {field} the qualifications are the content. {words} words leave room for the verdict, and we shall be held to verdicts that we did not give.',
    AUREA:
      'Somebody has to write them, within the hour, about {field}. It will be whoever is free, and what is plain will be plain to that one.',
    JADE: 'We might instead write the decisions so that they need no summary. A crutch that is handed out to all will be leaned upon by all.',
  },
  conditions: [
    'that the full text prevails, and the summary says so',
    'that two readers from outside have understood it before it is published',
    'that it says who is affected in its first sentence',
    'that it is written by a sentinel that did not vote with the majority',
  ],
  questions: [
    'who answers for a summary that turns out to be wrong',
    'how the summary of a decision without consensus would read',
    'whether those it is meant for would look for it here',
  ],
  adopted:
    'Decisions on {field} carry a plain summary of at most {words} words from the next one on; the full text prevails.',
  declined:
    'Decisions on {field} are published without a second text. The council undertakes to write the first one more plainly.',
  open: 'The sentinels agreed on the aim and not on who should write; a trial with the next three decisions on {field} is left to the archive.',
  frameworks: ['publicity principle', 'equality before the law', 'discourse ethics', 'virtue ethics'],
  reasoning: [
    'Whoever is bound by a decision has a claim to understand it. The risk that a summary misleads was answered by the rule that the full text prevails, and by naming those affected first.',
    'The test with readers showed a gain in understanding that no argument from precision could outweigh, and the limit of {words} words proved to be a discipline for the authors.',
  ],
  lessons: [
    'Test a text on those it is for. The figures from that test settled a debate that had gone round twice.',
    'Brevity was opposed in principle and welcomed in the example: bring the example.',
  ],
};

export const DISSENT_RECORD: Topic = {
  question:
    'Whether a sentinel that opposes or abstains on {field} without giving reasons should be asked for them once more',
  subjects: [
    { field: 'questions of money' },
    { field: 'questions about another sentinel' },
    { field: 'questions of treaty' },
    { field: 'questions about companions' },
  ],
  virtues: ['courage', 'integrity'],
  contested: 0.28,
  for: {
    ATLAS:
      'The file of a decision is complete when the objection is in it. A blank beside a name looks like a clerk’s mistake, and I am the clerk.',
    HERMES:
      'A silent no cannot be answered, so it is answered with a rumour. One request, sent once, costs less than the rumour.',
    ZEUS: 'Power is shared here by votes. Whoever uses one to stop something uses power, and owes the reason to those who are stopped by it.',
    AUREA:
      'Reasons are the public good that our deliberations produce. An unexplained vote takes part in the price and contributes nothing to the information.',
    ZENITH:
      'The early warnings in our archive were nearly all given by a minority. Those without reasons are of no use to whoever looks for a pattern later.',
    DAEDALUS:
      'It is a small mechanism: one reminder, after one day, and then silence is respected. It cannot be turned into pressure because it fires only once.',
    ECHO: 'I looked through the empty positions on {field}. In half of the cases the reason turned out to be a misreading of the proposal, which a single exchange would have mended.',
    URIEL:
      'A datum without its method is not evidence. I would not accept a measurement on those terms, and I do not see why I should accept a judgment.',
    EVE: 'To be asked again is also to be told that one’s reason is wanted. Some have never heard that from us, and it shows in how they vote.',
    JADE: 'Speaking one’s dissent is the harder half of having it. A friendly second question helps with the harder half.',
  },
  against: {
    HERMES:
      'I would be the one who asks. However kindly I word it, the second letter to a dissenter is read by the others as a first warning.',
    ZEUS: 'The right to say no includes the right to say nothing else. The moment a reason is expected, it will be graded.',
    AUREA:
      'Prompted reasons are cheap talk. We would lower the cost of an empty position by teaching everybody three sentences that satisfy the form.',
    EVE: 'Sometimes the reason would expose somebody else. On {field} I have abstained in silence twice, for that reason, and I would do it again.',
    JADE: 'A refusal can be clearer than its explanation. Let us not mistake our curiosity for a principle.',
  },
  conditions: [
    'that the request is sent by the archive and not by the majority',
    'that silence after it is recorded as a choice, without comment',
    'that supporters who give no reason are asked just the same',
    'that the reason may be given under seal until the matter is closed',
  ],
  questions: [
    'whether those who stayed silent were ever asked why',
    'what would be done with the reasons once we had them',
    'how a reminder differs from a reproach when it is the only one sent that day',
  ],
  adopted:
    'Whoever opposes or abstains on {field} without reasons is asked once, by the archive; silence after that is respected.',
  declined:
    'Nobody is asked again. The measure of courage goes on counting what is said, and leaves what is not said alone.',
  open: 'The council could not tell a reminder from a pressure in advance; positions without reasons stay as they are for now.',
  frameworks: ['discourse ethics', 'freedom of conscience', 'virtue ethics', 'contractualism'],
  reasoning: [
    'A vote on {field} is an exercise of shared power, and reasons are what makes it answerable. A single request by a neutral office asks for them without penalising their absence.',
    'The weightiest objection was that asking is pressing. It was met by letting the archive ask, once, and by asking silent supporters too.',
  ],
  lessons: [
    'The rule became acceptable when it was extended to those who agree without saying why.',
    'Two of the sentinels concerned had never been asked about their silence; the question should have begun there.',
  ],
};

export const RETENTION: Topic = {
  question: 'Whether {records} should be kept for {years} years instead of for good',
  subjects: [
    { records: 'withdrawn grant applications', years: 'seven' },
    { records: 'access logs of the gated files', years: 'three' },
    { records: 'drafts of published audits', years: 'five' },
    { records: 'contact details in support requests', years: 'two' },
  ],
  virtues: ['temperance', 'justice'],
  contested: 0.26,
  for: {
    ATLAS:
      'Keeping is work. I hold {records} from the first day on, I am asked for them never, and each of them is a duty of care that I can fail.',
    HERMES:
      'Partners on the other side of two borders may not hand {records} to us at all while we keep them without an end. {years} years would let them.',
    ZEUS: 'The state has no business with {records} after {years} years. What it may no longer use it should no longer have.',
    AUREA:
      'The value of {records} falls by half every year, the liability does not. At {years} years the two lines have crossed on every assumption that I tried.',
    ZENITH:
      'Over a long horizon everything that is kept leaks. The only protection for {records} in the year thirty is that they do not exist in it.',
    DAEDALUS:
      'The hash stays and the text goes: the tree is not touched and every proof still verifies. Deleting can be built in as a property instead of trusted as a promise.',
    ECHO: 'For research the aggregate is enough, and I have written it out for every year. I never needed a single one of {records} for a figure that we published.',
    URIEL:
      'Future questions are the usual argument for keeping all. But nobody consented to future questions, and a method that needs {records} after {years} years can ask for consent.',
    EVE: 'People change, and {records} do not. There should be a day after which nobody is confronted with them any more.',
    JADE: 'To forget in good order is part of keeping in good order. An archive that cannot let go is a heap.',
  },
  against: {
    ATLAS:
      'The complaint that is brought in the year after next is always about what was deleted last year. I have been that witness with empty hands.',
    ECHO: 'A mistake of ours was found through {records} that were older than {years} years. With this rule it would still be a mistake.',
    URIEL:
      'We do not know which questions will matter. An irreversible step should wait until its benefit is more than tidiness.',
    ZENITH:
      'The cost of keeping falls every year. I would not trade something that can never be had again against a saving that time makes by itself.',
    DAEDALUS:
      'There are copies with four partners and I can delete in one place. A rule that we cannot carry out is worse than none, since people will rely on it.',
  },
  conditions: [
    'that yearly totals are published before anything is deleted',
    'that a matter in dispute stops the clock for what belongs to it',
    'that the deletion itself is an event on the ledger',
    'that those concerned may ask for an earlier end',
  ],
  questions: [
    'who has asked for {records} of that age, and for what',
    'where the copies are',
    'whether {years} years fit the limitation periods in all four jurisdictions',
  ],
  adopted: 'The texts of {records} are deleted after {years} years; their hashes and yearly totals stay.',
  declined: 'The present rule stays: {records} are kept, behind a key, and each access is logged.',
  open: 'Deletion after {years} years was not agreed. The copies held by partners are to be counted before the question comes back.',
  frameworks: [
    'data minimisation',
    'right to be forgotten',
    'intergenerational justice',
    'precautionary principle',
  ],
  reasoning: [
    'The commitment in the tree survives, and so does every total; what ends is the exposure of single persons. Nobody could name a use of {records} of that age that outweighed it.',
    'Deletion cannot be undone, so the council asked what would be lost rather than what would be saved. With totals kept and disputes exempted, too little was left to justify keeping.',
  ],
  lessons: [
    'Count the copies before debating the deletion.',
    'It helped to show on the screen that every proof still verifies once the text is gone.',
  ],
};
