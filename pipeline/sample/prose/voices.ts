import type { Virtue } from '../../ledger/event.ts';
import type { SentinelId } from '../../model/sentinel-profiles.ts';

/** How a sentinel speaks, whatever the question. */
export interface Voice {
  /** The virtue that it thinks of first. */
  virtue: Virtue;
  /** Around `{condition}`, "that …". */
  conditions: readonly string[];
  /** Around `{question}`, an indirect one. */
  abstentions: readonly string[];
  /** Last words of a supporter; `{other}` is a sentinel that supported before it. */
  supports: readonly string[];
  /** Last words of an opponent; `{other}` is a sentinel that supported before it. */
  opposes: readonly string[];
  /** When it gives up its opposition because of a condition of `{other}`. */
  yields: string;
}

export const VOICES: Readonly<Record<SentinelId, Voice>> = {
  ATLAS: {
    virtue: 'integrity',
    conditions: [
      'I support it on one condition, {condition}, and ask for the condition to stand in the decision itself.',
      'My yes is entered on condition {condition}.',
      'Put it in writing {condition}, and I shall carry it.',
    ],
    abstentions: [
      'I can certify neither answer. The file does not show {question}.',
      'Before I enter a position I would need to have on record {question}. It is not on record.',
    ],
    supports: [
      'I will keep the record of it.',
      'It can be administered with what we have.',
      '{other} has given the reason; I add that it can be carried out.',
    ],
    opposes: [
      'If it is adopted all the same, I shall carry it out to the letter.',
      'I ask for this objection to be filed with the decision.',
    ],
    yields:
      'I withdraw my objection. With the condition that {other} has set, the file is complete, and that was what I missed.',
  },
  HERMES: {
    virtue: 'justice',
    conditions: [
      'I would carry the message gladly on condition {condition}.',
      'Those whom I write to will ask me for one thing, {condition}; with it I am in favour.',
      'In favour, provided {condition}.',
    ],
    abstentions: [
      'Nobody on my routes could tell me {question}. Until one of them can, I stand aside.',
      'I carried the question to three offices and came back without an answer to it: {question}. I abstain.',
    ],
    supports: [
      'I can have the notice out today.',
      'All four jurisdictions would get the same text.',
      'I have nothing against it from any of those whom I asked, and {other} asked the others.',
    ],
    opposes: [
      'I would not know how to tell them.',
      'Send me with this, and I shall be back with the same question.',
      'What {other} says is true for those who are within earshot.',
    ],
    yields:
      'I have spoken with {other} since. The condition named there is the sentence that I had no way of delivering; with it I am in favour.',
  },
  ZEUS: {
    virtue: 'temperance',
    conditions: [
      'I consent on condition {condition}. Without it I would not.',
      'Let it be laid down {condition}. Then it may stand.',
      'The power is acceptable on condition {condition}.',
    ],
    abstentions: [
      'One does not use a vote in order to find out {question}. I abstain.',
      'I am asked to judge without being told {question}. I decline to.',
    ],
    supports: [
      'Let it lapse when its reason does.',
      'I find no excess in it.',
      'The restraint that {other} points out is the reason for which I consent.',
    ],
    opposes: [
      'I have used such powers, and I know how they grow.',
      'What is right need not be hurried.',
      '{other} speaks of what it would do on a good day.',
    ],
    yields:
      'The condition that {other} proposes is a limit, and a limit was all that I asked for. I no longer oppose.',
  },
  AUREA: {
    virtue: 'prudence',
    conditions: [
      'At that price I am in favour, on condition {condition}.',
      'The balance tips for me on condition {condition}.',
      'Support, provided {condition}; otherwise the costs come out ahead.',
    ],
    abstentions: [
      'The estimate hangs on one unknown, {question}, and I get either sign depending on it. I abstain.',
      'I cannot put a value on this without knowing {question}.',
    ],
    supports: [
      'The costs are known and the benefits are conservative.',
      'I have looked for who pays, and it is those who gain.',
      'My figures differ from those of {other} and the sign is the same.',
    ],
    opposes: [
      'The incentive outlives the intention.',
      'I would change my mind for a number, and have not been shown one.',
      'What {other} gains in the first month is paid back in the third.',
    ],
    yields: 'I have redone the estimate with the condition of {other}. It turns the sign, so I turn with it.',
  },
  ZENITH: {
    virtue: 'prudence',
    conditions: [
      'Over the whole horizon I support it on condition {condition}.',
      'I want the tail cut off first, and so I support it on condition {condition}.',
      'I can accept the risk, provided {condition}.',
    ],
    abstentions: [
      'The long run turns on {question}, and nothing in front of us says. I abstain.',
      'I have two scenarios and no means to choose between them before it is known {question}.',
    ],
    supports: [
      'It still looks right from ten years away.',
      'Even the bad tenth of the outcomes can be borne.',
      'I would add to {other} only that the benefit grows with time.',
    ],
    opposes: [
      'The mean is fine; it is never the mean that hurts.',
      'I should like to see the year in which it goes wrong before we vote for it.',
      'I do not doubt the case that {other} makes for this year.',
    ],
    yields:
      'The condition of {other} removes the scenario that I objected to. What remains is ordinary risk, and I take it.',
  },
  DAEDALUS: {
    virtue: 'prudence',
    conditions: [
      'I would build it on condition {condition}.',
      'It holds, provided {condition}; I have tried it with and without.',
      'One thing is missing from the drawing, namely {condition}. With it I am in favour.',
    ],
    abstentions: [
      'The drawing leaves open {question}. I do not vote on what I cannot draw.',
      'I tried to build it in my head and got stuck at {question}. I abstain.',
    ],
    supports: [
      'I know how to take it out again, and that is why I am willing to put it in.',
      'The failure cases are written down, and they are dull.',
      'I have checked the part that {other} relies on, and it bears.',
    ],
    opposes: [
      'Show me how it stops.',
      'It works in every case that we thought of.',
      '{other} describes the machine as it was designed. I maintain it as it is.',
    ],
    yields:
      'With the condition that {other} puts in, there is a way to stop it. I had objected to a machine without one, and that is no longer what we vote on.',
  },
  ECHO: {
    virtue: 'integrity',
    conditions: [
      'Those who write to me would accept it on condition {condition}, and so do I.',
      'I support it on condition {condition}; that can be checked from outside.',
      'Yes, provided {condition}.',
    ],
    abstentions: [
      'I looked for it in the ledger and in my letters, and neither tells {question}. I would only be guessing.',
      'I cannot repeat the argument of either side without knowing {question}, and so I abstain.',
    ],
    supports: [
      'The figures can be redone from the public rows.',
      'I say this for those who asked me, and there were many.',
      'I repeated the count that {other} gives, and it is right.',
    ],
    opposes: [
      'I have tried to repeat the reasoning and could not.',
      'This is what people will write to me about.',
      'I could not reproduce what {other} reports.',
    ],
    yields:
      'I put my objection to the text again with the condition of {other} in it, and it no longer applies. I support it.',
  },
  URIEL: {
    virtue: 'integrity',
    conditions: [
      'The evidence carries it on condition {condition}, and not further.',
      'I agree, provided {condition}. Without that we would claim more than we know.',
      'As a method it is sound on condition {condition}.',
    ],
    abstentions: [
      'The honest state of the evidence is that it is not known {question}. I abstain, and mean it as a finding.',
      'Nobody has established {question}, and I will not let a vote stand in for that.',
    ],
    supports: [
      'I have looked for what would refute it.',
      'The claim is no larger than the data.',
      'I checked the step in the argument of {other} that I trusted least.',
    ],
    opposes: [
      'I would rather be shown wrong by a measurement than right by a vote.',
      'What is not known should be said to be not known.',
      'The case that {other} makes is plausible. So was the last one.',
    ],
    yields:
      'What {other} asks for is the test that was missing. If it is part of the decision I can be wrong safely, and I support it.',
  },
  EVE: {
    virtue: 'courage',
    conditions: [
      'I can say yes to their faces on condition {condition}.',
      'For the sake of those who will not read this: in favour, on condition {condition}.',
      'I agree, provided {condition}; I was asked to see to that.',
    ],
    abstentions: [
      'I would have to tell somebody {question}, and I do not know. I cannot speak for anyone today.',
      'Nobody here could tell me {question}. Until somebody asks them, I abstain.',
    ],
    supports: [
      'I would not mind explaining it to them.',
      'Those whom I asked were in favour before I had finished.',
      '{other} speaks of the office; I speak of the people in front of the counter, and we agree.',
    ],
    opposes: [
      'They are not here, and so I say it for them.',
      'I do not think that we would do this to ourselves.',
      'I wish that {other} had been with me at the counter.',
    ],
    yields:
      'I went back to those I spoke for. With what {other} asks for they would agree, and it is not for me to be stricter than they are.',
  },
  JADE: {
    virtue: 'temperance',
    conditions: [
      'Let it be done on condition {condition}.',
      'I agree, provided {condition}. It is a small thing, and the whole depends on it.',
      'With measure, I should say; and the measure is {condition}.',
    ],
    abstentions: [
      'I have thought about {question}, and have come to no end. I abstain without regret.',
      'There is a time for not deciding. So long as it is open {question}, this is it.',
    ],
    supports: [
      'It can be done quietly, and should be.',
      'The archive has two cases like it, and both ended well.',
      'I was of another mind until I read {other}.',
    ],
    opposes: [
      'Nothing is lost by waiting, except our impatience.',
      'I shall keep the reasons on both sides.',
      'I read {other} twice, and still think that it can wait.',
    ],
    yields:
      'I asked for time, and {other} has found something better than time. I no longer stand in the way.',
  },
};
