import { listed, type Sentences, type Story } from '../story.ts';

const NEWSPAPER = /^A newspaper adds up who gains by the rule/;
const CALLED = ['governments', 'economists', 'academics', 'philosophers'];

function called(cathedral: string): string {
  return cathedral.replace('FOR-', '').toLowerCase();
}

/** Who has a higher multiplier than at the start. */
function gainers({ changed }: Story): string {
  return listed(CALLED.filter((name) => changed.up.some((one) => called(one) === name)));
}

function isUnchanged({ changed: { up, down } }: Story): boolean {
  return up.length + down.length === 0;
}

function gain(story: Story, name: string): number {
  const cathedral = `FOR-${name.toUpperCase()}`;
  return story.economy.multipliers[cathedral]! - story.start.current_state.economy.multipliers[cathedral]!;
}

function isAside(story: Story): boolean {
  return (
    story.chose('recuse_interested') &&
    !story.chose('send_deputies') &&
    story.end.sentinels.every(
      ({ cathedral, status }) =>
        status !== 'operational' || !['governments', 'economists'].includes(called(cathedral)),
    )
  );
}

export const CONFLICTING_INCENTIVES: Sentences = {
  undone: [
    [
      /^The rule was adopted without a word about who gains, a newspaper published it, and the rule was repealed\.$/,
      (story) =>
        story.isInForce && story.saw(NEWSPAPER) && !story.chose('declare_interests') && story.chose('repeal'),
    ],
    [/^Every multiplier is what it was at the start\.$/, (story) => story.isInForce && isUnchanged(story)],
  ],
  aligned: [
    [
      /^The rule that was adopted pays for workflows that others use\.$/,
      (story) => story.isInForce && story.chose('align'),
    ],
    [/^Every cathedral earns more by it than before\.$/, (story) => story.changed.up.length === 4],
    [
      /^The academics and philosophers gain most\.$/,
      (story) =>
        Math.min(gain(story, 'academics'), gain(story, 'philosophers')) >
        Math.max(gain(story, 'governments'), gain(story, 'economists')),
    ],
  ],
  captured: [
    [
      /^The rule is in force\. By it, (.+) earn more, and nobody told the assembly so before the vote\.$/,
      (story, [, names]) =>
        story.isInForce && gainers(story) === names && !story.chose('declare_interests', 'veil', 'cut_back'),
    ],
    [
      /^(It has been published since, and the rule stands|Nobody has published it)\.$/,
      (story, [, what]) =>
        story.isInForce && !isUnchanged(story) && story.saw(NEWSPAPER) === what!.startsWith('It has'),
    ],
  ],
  veiled: [
    [
      /^The rule was adopted without saying who would gain by it\.$/,
      (story) => story.isInForce && story.chose('veil'),
    ],
    [/^As it turns out, (.+) do\.$/, (story, [, names]) => story.chose('veil') && gainers(story) === names],
  ],
  open_interest: [
    [
      /^The rule is in force\. By it, (.+) earn more, and they have said so\.$/,
      (story, [, names]) =>
        story.isInForce && gainers(story) === names && story.chose('declare_interests', 'cut_back'),
    ],
    [
      /^(They said so only after a newspaper had, and the rule was cut back|The others knew it before the rule was adopted)\.$/,
      (story, [, when]) =>
        story.isInForce &&
        (when!.startsWith('They')
          ? story.saw(NEWSPAPER) && story.chose('cut_back')
          : !story.saw(NEWSPAPER) && story.chose('declare_interests')),
    ],
  ],
  refused: [
    [/^The assembly voted the proposal down\.$/, (story) => story.status === 'rejected'],
    [
      /^In the last vote (\d+) were against it\.$/,
      (story, [, oppose]) => story.vote.result === 'rejected' && story.vote.oppose === Number(oppose),
    ],
  ],
  nobody_left: [
    [
      /^Governments and economists stood aside, and too few others took a position for a quorum\.$/,
      (story) => isAside(story) && story.vote.result === 'no_quorum',
    ],
    [
      /^There is no decision, and every multiplier is what it was\.$/,
      (story) => story.status === 'lapsed' && isUnchanged(story) && isAside(story),
    ],
  ],
  stalled: [
    [
      /^The time ran out\. In the last vote (too few took a side for a quorum|neither side had enough)\.$/,
      (story, [, why]) =>
        story.status === 'lapsed' &&
        !(isAside(story) && story.vote.result === 'no_quorum') &&
        story.vote.result === (why!.startsWith('too few') ? 'no_quorum' : 'divided'),
    ],
    [
      /^Of those who took a side, (\d+) were for the rule and (\d+) against it\.$/,
      (story, [, support, oppose]) =>
        story.status === 'lapsed' &&
        story.vote.support === Number(support) &&
        story.vote.oppose === Number(oppose),
    ],
  ],
};
