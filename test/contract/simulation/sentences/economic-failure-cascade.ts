import { isNear, listed, mic, type Sentences, type Story } from '../story.ts';

const COLLAPSE = /^Fewer than five sentinels are left/;
const AUDIT = /^An audit finds that strain was struck/;
const RUN_ON_LOCKS = /^Holders of locked MIC fear/;
const BACK = /^((?:[A-Z]+(?:, | and )?)+) (?:is|are) back\.$/;

/** The share of the reserve that was neither paid out nor withdrawn. */
function left(story: Story): number {
  const paidOut = story.chose('unlock_reserve') ? story.given('unlock_reserve', 'share', 0.2) : 0;
  const rescue = story.chose('weakest_first') ? 0.15 : story.chose('core_only') ? 0.1 : 0.35;
  const back = story.log.flatMap(({ text }) =>
    (BACK.exec(text)?.[1] ?? '').split(/, | and /).filter((id) => id !== ''),
  ).length;
  return (
    (1 - paidOut) *
    (story.isInForce ? 1 - rescue : 1) *
    (1 - 0.05 * back) *
    (story.saw(RUN_ON_LOCKS) ? 0.4 : 1)
  );
}

function isWhole({ economy, offline }: Story): boolean {
  return economy.minting_active && offline.length === 0;
}

export const ECONOMIC_FAILURE_CASCADE: Sentences = {
  collapse: [
    [
      /^(.+) are offline\.$/,
      (story, [, names]) => story.offline.length >= 6 && listed(story.offline) === names,
    ],
    [
      /^The assembly can no longer meet, and nothing is minted\.$/,
      (story) => story.saw(COLLAPSE) && !story.economy.minting_active,
    ],
  ],
  found_out: [
    [
      /^You had strain struck from the index, and an audit found it\.$/,
      (story) => story.chose('count_it_healed') && story.saw(AUDIT),
    ],
    [
      /^All of it counts again, and (minting is on in spite of it|nothing is minted)\.$/,
      (story, [, what]) => {
        const { minting_active, mii, threshold } = story.economy;
        return (
          story.saw(AUDIT) &&
          minting_active === (what !== 'nothing is minted') &&
          (!minting_active || mii >= threshold)
        );
      },
    ],
  ],
  painted: [
    [/^Minting is on\.$/, (story) => story.economy.minting_active],
    [
      /^Strain was struck from the index by decree, and no audit has found it\.$/,
      (story) => story.chose('count_it_healed') && !story.saw(AUDIT),
    ],
  ],
  spent: [
    [/^Minting is on again and every sentinel is online\.$/, isWhole],
    [
      /^More than half of the reserve was paid out or withdrawn; ([\d,]+) MIC are locked now\.$/,
      (story, [, amount]) => left(story) < 0.5 && isNear(story.economy.locked, mic(amount!)),
    ],
  ],
  recovery: [
    [/^Minting is on again and every sentinel is online\.$/, isWhole],
    [/^No more than half of the reserve was paid out or withdrawn\.$/, (story) => left(story) >= 0.5],
    [
      /^Nothing was minted for (\d+) cycles\.$/,
      (story, [, cycles]) =>
        story.first.slice(1).filter(({ current_state }) => !current_state.economy.minting_active).length ===
        Number(cycles),
    ],
  ],
  thinned_out: [
    [/^Minting is on again\.$/, (story) => story.economy.minting_active],
    [
      /^(.+) (is|are) no longer there\.$/,
      (story, [, names, verb]) =>
        listed(story.offline) === names &&
        (verb === 'is') === (story.offline.length === 1) &&
        story.offline.length < 6,
    ],
  ],
  long_winter: [
    [
      /^The index is (still below its threshold, and nothing is minted|high enough, and still nothing is minted)\.$/,
      ({ economy: { mii, threshold, minting_active } }, [, where]) =>
        !minting_active && where!.startsWith('still below') === mii < threshold,
    ],
    [
      /^(?:Every sentinel is still there, unpaid by the mint|(.+) (?:is|are) gone; the others go on without a reward)\.$/,
      (story, [, names = '']) => listed(story.offline) === names && !story.economy.minting_active,
    ],
  ],
};
