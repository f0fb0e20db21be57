import type { Change } from '../change.ts';
import { listed } from '../deliberation.ts';
import type { Scenario } from '../scenario.ts';
import type { World } from '../world.ts';

/** Cycles without a reward that a sentinel tolerates without help. */
const PATIENCE = 12;

export const ECONOMIC_FAILURE_CASCADE: Scenario = {
  name: 'economic_failure_cascade',
  title: 'When minting stops',
  story: [
    'A contract that held a tenth of all MIC was emptied overnight. The integrity index has fallen below its threshold, and below the threshold nothing is minted.',
    'Who is not rewarded does not stay for ever. Each sentinel that goes offline leaves work undone, which strains the index of those who stay: the next day the threshold is a little farther away.',
    'A rescue is before the assembly. It costs something, and while it is talked about, the cascade goes on.',
  ],
  question: 'Shall the reserve be spent on keeping the sentinels online?',
  lesson:
    'The threshold is a gate that closes on those who need it open. What breaks such a loop is not the size of the answer but how early it comes, and whether it mends the index or only the mood.',
  effects: { integrity: 0.12, temperance: -0.1, justice: 0.25, prudence: 0.04, courage: 0.15 },
  stakes: { 'FOR-ECONOMISTS': -0.3, 'FOR-GOVERNMENTS': 0.2, 'FOR-PHILOSOPHERS': 0.3 },
  start: {
    burn: 0.1,
    strain: 0.07,
    levers: { patience: PATIENCE, mending: 0.02, strain_rate: 0.0008, quorum: 0.5 },
    risks: { known: 4 },
  },
  roundTicks: 7,
  rounds: 4,
  horizon: 38,
  decisions: [
    {
      name: 'first_response',
      title: 'The first hours',
      prompt: 'Some things you may do without asking.',
      opens: ({ tick }) => tick >= 1,
      within: 3,
      otherwise: 'wait_and_see',
      choices: [
        {
          name: 'close_the_contract',
          label: 'Close the contract',
          meaning: 'The hole is mended first: what strains the index heals faster. Nobody is paid for it.',
          change: {
            levers: { strain_rate: 0, mending: 0.04 },
            risks: { mitigated: 1 },
            effects: { prudence: 0.1 },
          },
        },
        {
          name: 'unlock_reserve',
          label: 'Free locked MIC',
          meaning:
            'What is locked flows to the sentinels: they have something to wait with. The index does not move.',
          parameters: {
            share: {
              kind: 'number',
              minimum: 0.05,
              maximum: 0.5,
              default: 0.2,
              meaning: 'share of what is locked',
            },
          },
          change: ({ share }) => ({
            unlock: Number(share),
            levers: { patience: Math.round(PATIENCE + 20 * Number(share)) },
            effects: { temperance: -0.1 },
          }),
        },
        { name: 'wait_and_see', label: 'Wait and see', meaning: 'It may mend by itself.', change: {} },
      ],
    },
    {
      name: 'terms_of_rescue',
      title: 'Whom it is for',
      prompt: 'The reserve does not last for all of them. Or it does, for a short time.',
      opens: ({ tick }) => tick >= 3,
      within: 3,
      otherwise: 'all_alike',
      choices: [
        {
          name: 'weakest_first',
          label: 'The weakest first',
          meaning: 'Those with the lowest multipliers are kept.',
          change: { effects: { justice: 0.25, temperance: 0.1, courage: 0.05 }, facts: { rescue: 1 } },
        },
        {
          name: 'core_only',
          label: 'A core',
          meaning: 'Those whose work holds the index up are kept. It is prudent, and it is not kind.',
          change: {
            effects: { justice: -0.32, prudence: 0.4, courage: -0.05, temperance: 0.12 },
            facts: { rescue: 2 },
          },
        },
        {
          name: 'all_alike',
          label: 'All alike',
          meaning: 'A little for everybody.',
          change: { facts: { rescue: 3 }, effects: { temperance: -0.06, prudence: -0.1 } },
        },
      ],
    },
    {
      name: 'restart',
      title: 'Starting again',
      prompt: 'The index comes back slowly. Minting could be made to begin with less.',
      opens: ({ tick }) => tick >= 16,
      within: 5,
      otherwise: 'hold_the_line',
      choices: [
        {
          name: 'restart_small',
          label: 'Begin with half rewards',
          meaning:
            'When the gate opens, half of the reward formula is minted, and the index has time to heal.',
          change: { levers: { mint_share: 0.5, mending: 0.07 }, risks: { mitigated: 1 } },
        },
        {
          name: 'count_it_healed',
          label: 'Declare it healed',
          meaning:
            'The auditors look away from what is left of the strain. Minting begins, and so does something else.',
          change: { strain: -0.06, levers: { strain_rate: 0.006 }, facts: { painted: 1 } },
        },
        {
          name: 'hold_the_line',
          label: 'Hold the line',
          meaning: 'The threshold is the threshold.',
          change: {},
        },
      ],
    },
  ],
  outcomes: { adopted: rescue, adopted_with_dissent: rescue },
  endings: [
    {
      name: 'collapse',
      title: 'Collapse',
      text: 'Half of the sentinels are gone. There is nobody left to bring the index back, and nothing to pay them with.',
      isReached: (world) => offline(world) >= 5,
    },
    {
      name: 'painted',
      title: 'Healed on paper',
      text: 'Minting is on, by a reading that everybody knows to be a courtesy. The strain it hides grows by the cycle.',
      isReached: ({ facts, economy }) => facts.painted === 1 && economy.stopped < 38,
    },
    {
      name: 'recovery',
      title: 'Recovery',
      text: 'Minting is on again and everybody is there. It was not the money; it was the time it bought.',
      isReached: (world) => world.economy.isMinting && offline(world) === 0,
    },
    {
      name: 'thinned_out',
      title: 'A thinner order',
      text: 'Minting is on again, for those who are left. The index of a smaller assembly is as high as ever, which says something about the index.',
      isReached: ({ economy }) => economy.isMinting,
    },
    {
      name: 'long_winter',
      title: 'A long winter',
      text: 'The gate is still shut. Those who stayed did so without a reward; how long they can is not in any formula.',
      isReached: () => true,
    },
  ],
};

/** By purpose of the rescue: the patience of the rescued, and the added recovery. */
const RESCUES = [
  { patience: 0, mending: 0 },
  { patience: 40, mending: 0.01 },
  { patience: 26, mending: 0.025 },
  { patience: 20, mending: 0.01 },
] as const;
const OUTSIDE_THE_CORE = ['ECHO', 'URIEL', 'EVE', 'JADE'];

function rescue({ facts, levers }: World): Change {
  const { patience, mending } = RESCUES[facts.rescue ?? 3]!;
  const isCore = facts.rescue === 2;
  return {
    unlock: 0.2,
    levers: { patience, mending: levers.mending + mending },
    sentinels: isCore
      ? Object.fromEntries(OUTSIDE_THE_CORE.map((id) => [id, { isOnline: false, isRecused: true }]))
      : {},
    ...(isCore ? { told: `${listed(OUTSIDE_THE_CORE)} are let go.` } : {}),
  };
}

function offline({ sentinels }: World): number {
  return sentinels.filter(({ isOnline }) => !isOnline).length;
}
