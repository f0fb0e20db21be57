import type { Topic } from './topic.ts';

const FRAMEWORKS = [
  'distributive justice',
  'consequentialist analysis',
  'contractualism',
  'precautionary principle',
];

/** `{cathedral}`, `{before}`, `{after}` are set by the proposal. */
export const RAISE: Topic = {
  question: 'Whether to raise the multiplier of {cathedral} from {before} to {after}',
  subjects: [],
  virtues: ['justice', 'prudence'],
  contested: 0.13,
  for: {
    ATLAS:
      'The work filed under {cathedral} has grown faster than its pay since the last review; the counts are in the attestations. {after} catches up and does not run ahead.',
    HERMES:
      'I have asked the other cathedrals whether they would mind. Two said no, and the third said that it was about time.',
    ZEUS: 'The step is small, inside the range of the charter, and can be taken back at the next review. I ask for no more from a change of this kind.',
    AUREA:
      'From {before} to {after} adds less than one part in thirty to daily minting. The threshold moves in the fourth decimal, and the signal to {cathedral} is worth more than that.',
    ZENITH:
      'Effort follows reward with a lag of about a quarter. If we want {cathedral} in strength by {nextQuarter}, this is the month in which to say so.',
    DAEDALUS:
      'The reward curve is at its steepest where the sentinels of {cathedral} stand now. A small turn of the multiplier has the most effect there, so let it be a small turn.',
    ECHO: 'Replications of the pay table show {cathedral} behind work of the same score elsewhere by just about this step. I get the same figure with and without the outages.',
    URIEL:
      'I would call it a correction and not a reward. The evidence carries a step to {after}; it would not carry a larger one.',
    EVE: 'The people whom {cathedral} serves cannot pay more for being served better. A multiplier is the way in which the rest of us can do it for them.',
    JADE: 'What is done well and quietly should be paid before it has to be loud. I have watched this work, and it is both.',
  },
  against: {
    ATLAS:
      'Every raise of one cathedral is filed as a precedent by the three others. I have their letters in draft.',
    ZEUS: 'The multiplier states what work is worth to the whole. I would not change that statement because of one good season.',
    AUREA:
      'Supply is growing at its full rate already. To raise a multiplier now is to step harder on a pedal that is down.',
    ZENITH:
      'The last step has not been in force long enough to be judged. Two changes in a row cannot be told apart afterwards.',
    URIEL:
      'Scores in {cathedral} rose because nothing failed there, and not because more was done. We would be rewarding luck at {after} a piece.',
    EVE: 'If we have more to give, I can think of work that has no multiplier at all.',
  },
  conditions: [
    'that the step is reviewed after one quarter with the minting figures beside it',
    'that no other multiplier is changed before then',
    'that the reason is stated in the event, so that it can be tested',
    'that it is taken back if minting has to pause for more than three days in a row',
  ],
  questions: [
    'whether effort in {cathedral} would respond at all',
    'how much of the rise in scores was uptime',
    'what the other three will ask for next',
  ],
  adopted: 'The multiplier of {cathedral} is raised from {before} to {after} with the next cycle.',
  declined: 'The multiplier of {cathedral} stays at {before} until the next review.',
  open: 'The sentinels did not agree on a raise; the multiplier of {cathedral} stays at {before} and the review continues.',
  frameworks: FRAMEWORKS,
  reasoning: [
    'Comparable work should earn comparable amounts once the multiplier is taken into account, and in {cathedral} it did not. A small step, open to review, was preferred to waiting for a perfect estimate.',
    'The cost is spread over all holders and hardly to be felt by any; the benefit goes where the attestations show more work. That it can be reversed weighed more than its size.',
  ],
  lessons: [
    'Proposals for a multiplier should come with the pay table of all four cathedrals.',
    'One change at a time: it was the condition on which most positions agreed.',
  ],
};

export const LOWER: Topic = {
  question: 'Whether to lower the multiplier of {cathedral} from {before} to {after}',
  subjects: [],
  virtues: ['temperance', 'justice'],
  contested: 0.17,
  for: {
    ATLAS:
      'The tasks for which {cathedral} was given this multiplier are done, or have become routine. I would keep the thanks and end the supplement.',
    HERMES:
      'I spoke with those whom it concerns before this was opened. They do not like it; they had expected it, and they find {after} fair.',
    ZEUS: 'A privilege that is never reduced is a title. From {before} to {after} is a reminder that it was a measure.',
    AUREA:
      'At {before} a mint in {cathedral} costs the holders more than the work adds by any estimate I can defend. At {after} the two meet.',
    ZENITH:
      'The threshold falls with supply and does not come back. Slowing the fastest source by a little is the only brake that we have, and it wants to be used early.',
    DAEDALUS:
      'The curve has flattened for the long-lived sentinels of {cathedral}: they would earn almost the same for less. {after} restores some slope.',
    ECHO: 'In the pay table {cathedral} stands above work of equal score, by more than the step. Readers have begun to ask me why.',
    URIEL:
      'The estimate has a wide band, and even its lower end supports {after}. I would have been content with half the step as well.',
    EVE: 'What is saved here is not lost; it leaves room for those who have been told so far that there is none.',
    JADE: 'To take a little less without being forced is a virtue of the strong. I hope that {cathedral} will see it so.',
  },
  against: {
    HERMES:
      'The sentinels of {cathedral} planned their quarter on {before}. A reduction that takes effect with the next cycle is a broken word, however small.',
    ZEUS: 'I hear no fault and no finding. A reduction without either will be read as a sentence.',
    AUREA:
      'Rewards that fall after good work teach the wrong lesson to the other three as well. I would let supply dilute the advantage by itself.',
    DAEDALUS:
      'Those who look after most in {cathedral} are the ones who could leave. The step saves little and it is aimed, without meaning to, at them.',
    EVE: 'It is easy to find economies in the house that has fewest spokesmen on this bench.',
    JADE: 'We raised it not long ago and gave reasons. The reasons are in the archive, and none of them has been withdrawn.',
  },
  conditions: [
    'that it takes effect no earlier than the next cycle and not for work already attested',
    'that the pay table is published on the day of the change',
    'that nothing further is taken from {cathedral} within two quarters',
    'that the step is undone if a sentinel of {cathedral} gives up apps because of it',
  ],
  questions: [
    'what {cathedral} would stop doing at {after}',
    'whether the advantage would have shrunk by itself',
    'who had been promised {before}, and for how long',
  ],
  adopted: 'The multiplier of {cathedral} is lowered from {before} to {after} with the next cycle.',
  declined:
    'The multiplier of {cathedral} stays at {before}; the pay table is published with the next review.',
  open: 'There was no agreement on lowering; the multiplier of {cathedral} stays at {before} for now.',
  frameworks: FRAMEWORKS,
  reasoning: [
    'The multiplier was given for tasks that have changed since, and work of equal score elsewhere earned less. A small reduction from the next cycle on keeps faith with what was attested under the old one.',
    'Restraint in good times was weighed against the expectations of {cathedral}. Nothing earned is taken back, and what is saved slows the growth of supply for everybody.',
  ],
  lessons: [
    'Speak with those who will earn less before opening the question; it was done, and it showed.',
    'A reduction should be announced with the table that it rests on, and not before it.',
  ],
};
