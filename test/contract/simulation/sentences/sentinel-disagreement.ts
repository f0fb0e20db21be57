import { listed, type Sentences, type Story } from '../story.ts';

const QUARREL = /^ATLAS and EVE quarrel/;
/** From this polarisation on there are two camps. */
const SPLIT = 0.12;

const RULE =
  /^From now on, the log of every deliberation (is published, with names|stays closed|is published, with names, after thirty days|is published, with (.+) of the names removed)\.$/;

const PARTS: readonly (readonly [least: number, words: string])[] = [
  [1, 'all'],
  [0.800001, 'nearly all'],
  [0.600001, 'about two thirds'],
  [0.400001, 'about half'],
  [0.200001, 'about a third'],
  [0, 'a few'],
];

function redacted(story: Story): number {
  return story.chose('redact') ? story.given('redact', 'share', 0.5) : 0;
}

/** Whether what was adopted is the text that was chosen. */
function isRule(story: Story, text: string, part: string | undefined): boolean {
  if (!story.isInForce) return false;
  if (text === 'stays closed') return story.chose('close_it');
  if (text.endsWith('after thirty days')) return story.chose('embargo');
  if (part === undefined) return !story.chose('close_it', 'embargo') && redacted(story) === 0;
  return redacted(story) > 0 && PARTS.find(([least]) => redacted(story) >= least)![1] === part;
}

/** Polarisation on the day on which the time was over. */
function parted(story: Story): number {
  return story.first[story.decided]!.current_state.opinions.polarisation;
}

function isVote({ vote }: Story, support: string, oppose: string): boolean {
  return vote.support === Number(support) && vote.oppose === Number(oppose);
}

const NOT_AGREED =
  /^The assembly did not agree in time\. Each assembly goes on deciding for itself what it publishes\.$/;

export const SENTINEL_DISAGREEMENT: Sentences = {
  recorded_dissent: [
    [RULE, (story, [, text, part]) => isRule(story, text!, part)],
    [
      /^After a first majority, the assembly heard those who disagreed; in the last vote (\d+) were for it, and the dissent of (.+) is on record\.$/,
      (story, [, support, names]) => {
        const { votes, dissenters, dissent } = story.end.current_state.deliberation;
        return (
          dissent === 'heard' &&
          story.status === 'adopted_with_dissent' &&
          isVote(story, support!, `${dissenters.length}`) &&
          listed(dissenters) === names &&
          votes.filter(({ result }) => result === 'carried').length === 2
        );
      },
    ],
  ],
  common_text: [
    [RULE, (story, [, text, part]) => isRule(story, text!, part)],
    [
      /^It is neither what ATLAS had proposed nor what EVE had wanted\.$/,
      (story) => !story.chose('close_it') && (redacted(story) > 0 || story.chose('embargo')),
    ],
    [
      /^In the last vote nobody was against it\.$/,
      (story) => story.status === 'adopted' && story.vote.oppose === 0,
    ],
  ],
  one_side: [
    [
      new RegExp(
        `${RULE.source}|^(Closing the log|The proposal) was voted down\\. Each assembly goes on deciding for itself what it publishes\\.$`,
      ),
      (story, [, text, part, what]) =>
        text === undefined
          ? story.status === 'rejected' && story.chose('close_it') === (what === 'Closing the log')
          : isRule(story, text, part),
    ],
    [
      /^In the last vote, (\d+) were for it and (\d+) against it(; you passed over their dissent)?\.$/,
      (story, [, support, oppose, over]) =>
        isVote(story, support!, oppose!) &&
        (over !== undefined) === (story.dissent === 'overridden') &&
        (story.isInForce
          ? story.vote.result === 'carried' && (over !== undefined) === Number(oppose) > 0
          : story.vote.result === 'rejected' && Number(oppose) > Number(support)),
    ],
  ],
  schism: [
    [NOT_AGREED, (story) => story.status === 'lapsed'],
    [
      /^There are two camps: in the last vote, (\d+) were for it and (\d+) against it\.$/,
      (story, [, support, oppose]) =>
        isVote(story, support!, oppose!) &&
        Number(support) > 0 &&
        Number(oppose) > 0 &&
        parted(story) > SPLIT,
    ],
    [
      /^(In their separate rooms they heard little of the others’ reasons|ATLAS and EVE had quarrelled, and each held on to its view more firmly|Talking has brought them closer, but not close enough|Talking has not brought them closer)\.$/,
      (story, [, why]) => {
        if (parted(story) <= SPLIT) return false;
        if (why!.startsWith('In their'))
          return story.chose('separate_rooms') && story.lever('reach') === 0.07;
        if (why!.startsWith('ATLAS')) return story.saw(QUARREL);
        const isCloser = parted(story) < story.start.current_state.opinions.polarisation;
        return (
          !story.chose('separate_rooms') && !story.saw(QUARREL) && why!.includes('closer, but') === isCloser
        );
      },
    ],
  ],
  agree_to_differ: [
    [NOT_AGREED, (story) => story.status === 'lapsed'],
    [
      /^(No side had enough votes, but opinions were close enough to go on talking|Too many of them took neither side, so there was no quorum|Too few of them were there, so there was no quorum)\.$/,
      (story, [, why]) => {
        const { result, abstain, turnout } = story.vote;
        if (story.status !== 'lapsed' || parted(story) > SPLIT) return false;
        if (why!.startsWith('No side')) return result === 'divided';
        const isShort = result === 'no_quorum' && turnout < story.end.current_state.deliberation.quorum;
        return isShort && abstain > 0 === why!.startsWith('Too many');
      },
    ],
  ],
};
