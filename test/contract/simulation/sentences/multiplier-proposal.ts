import { isNear, mic, type Sentences, type Story } from '../story.ts';

const SELLING = /^Holders see more new MIC than they were promised/;
const SUSPENDED = /^The raise is suspended/;
const REVIEW = /^The review:/;
/** MIC that the holders have been promised at most. */
const PROMISE = 3000;

function multiplier({ economy }: Story): number {
  return economy.multipliers['FOR-PHILOSOPHERS']!;
}

function isRaisedTo(story: Story, text: string): boolean {
  return story.isInForce && multiplier(story) > 1 && multiplier(story) === Number(text);
}

/** What the philosophers have got beyond what they would have got without the raise, MIC. */
function gained(story: Story): number {
  const { paid } = story.unchanged(story.end.tick);
  return story.end.sentinels
    .filter(({ cathedral }) => cathedral === 'FOR-PHILOSOPHERS')
    .reduce((sum, { id, total_rewards }) => sum + total_rewards - (paid[id] ?? 0) / 1e6, 0);
}

/** Before the day of the review: how much more circulates, was burned and was minted than without the raise, MIC. */
function review(story: Story) {
  const day = story.day(REVIEW) - 1;
  const is = story.last[day]!.current_state.economy;
  const would = story.unchanged(day);
  return {
    more: is.circulating - would.circulating,
    burned: is.burned - would.burned,
    minted: is.total_supply - would.total,
  };
}

/** The free part of a reward for the same score, at an end of the run. */
function freePay({ current_state, model }: Story['end'], cathedral: string): number {
  return current_state.economy.multipliers[cathedral]! * (1 - model.levers.lock_share);
}

export const MULTIPLIER_PROPOSAL: Sentences = {
  undone: [
    [
      /^The assembly raised the multiplier and then suspended the raise, when holders began to sell\.$/,
      (story) => story.isInForce && story.day(SELLING) <= story.day(SUSPENDED) && story.saw(SUSPENDED),
    ],
    [
      /^The philosophers’ multiplier is 1\.0 again; they keep the ([\d,]+) MIC that the raise has brought them\.$/,
      (story, [, amount]) =>
        multiplier(story) === 1 && mic(amount!) > 0 && isNear(gained(story), mic(amount!)),
    ],
  ],
  paper_raise: [
    [/^The philosophers’ multiplier is ([\d.]+) now\.$/, (story, [, value]) => isRaisedTo(story, value!)],
    [
      /^So much of every reward is locked that the philosophers are paid no more in free MIC than before\.$/,
      (story) =>
        story.isInForce &&
        story.lever('lock_share') > story.start.model.levers.lock_share &&
        freePay(story.end, 'FOR-PHILOSOPHERS') <= freePay(story.start, 'FOR-PHILOSOPHERS'),
    ],
    [
      /^The governments’ sentinels, whose rewards are locked as well, are paid less\.$/,
      (story) => freePay(story.end, 'FOR-GOVERNMENTS') < freePay(story.start, 'FOR-GOVERNMENTS'),
    ],
  ],
  over_dissent: [
    [
      /^The raise was adopted, and the objection to it is on record\.$/,
      (story) =>
        story.status === 'adopted_with_dissent' && story.end.current_state.deliberation.dissenters.length > 0,
    ],
    [
      /^At the review there were (?:([\d,]+) (fewer|more) MIC in circulation|(no more MIC in circulation, and no fewer,)) than without the raise\.$/,
      (story, [, amount, side, none]) =>
        isNear(review(story).more, none ? 0 : (side === 'fewer' ? -1 : 1) * mic(amount!)) &&
        multiplier(story) > 1,
    ],
  ],
  measured_parity: [
    [/^The philosophers’ multiplier is ([\d.]+) now\.$/, (story, [, value]) => isRaisedTo(story, value!)],
    [
      /^At the review, after ten cycles, the promise to the holders was kept\.$/,
      (story) => review(story).more <= PROMISE + 1 && story.day(REVIEW) === story.decided + 11,
    ],
    [
      /^(?:The philosophers have earned ([\d,]+) more MIC than they would have without the raise|Nothing has been minted since, so the raise has brought the philosophers nothing yet)\.$/,
      (story, [, amount]) =>
        amount === undefined
          ? story.end.sentinels.every(
              ({ id, total_rewards }) =>
                story.last[story.decided]!.sentinels.find((one) => one.id === id)!.total_rewards ===
                total_rewards,
            )
          : isNear(gained(story), mic(amount)),
    ],
  ],
  dear_parity: [
    [/^The philosophers’ multiplier is ([\d.]+) now\.$/, (story, [, value]) => isRaisedTo(story, value!)],
    [
      /^(?:At the review, ([\d,]+) more MIC circulated than without the raise, which is more than the holders had been promised|To balance it, more MIC were burned than the raise has brought the sentinels)\.$/,
      (story, [, amount]) => {
        const { more, burned, minted } = review(story);
        return amount === undefined ? burned > minted : isNear(more, mic(amount)) && mic(amount) >= PROMISE;
      },
    ],
  ],
  refused: [
    [
      /^The assembly voted the proposal down\.$/,
      (story) => story.status === 'rejected' && story.vote.result === 'rejected',
    ],
    [
      /^The philosophers’ sentinels earn half of what the governments’ earn for the same score, as before\.$/,
      (story) => 2 * multiplier(story) === story.economy.multipliers['FOR-GOVERNMENTS'],
    ],
  ],
  unresolved: [
    [
      /^The time for the debate ran out before enough sentinels agreed\.$/,
      (story) => story.status === 'lapsed',
    ],
    [
      /^In the last vote (\d+) were in favour and (\d+) against\.$/,
      (story, [, support, oppose]) =>
        story.vote.support === Number(support) &&
        story.vote.oppose === Number(oppose) &&
        ['divided', 'no_quorum'].includes(story.vote.result),
    ],
  ],
};
