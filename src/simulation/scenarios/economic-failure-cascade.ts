import { SENTINEL_PROFILES, type SentinelId } from '../../../pipeline/model/sentinel-profiles.ts';
import type { Change } from '../change.ts';
import { listed } from '../deliberation.ts';
import { formatMic } from '../economy.ts';
import {
  all,
  amount,
  answered,
  any,
  areOrIs,
  type Condition,
  fact,
  first,
  fromDay,
  happened,
  isDecided,
  isInForce,
  known,
  not,
  type ScenarioEvent,
  scenarioOf,
  within,
} from '../scenario.ts';
import type { World } from '../world.ts';

const IDS = Object.keys(SENTINEL_PROFILES) as SentinelId[];

/** Cycles without a reward before anybody leaves, and what each further one adds to the probability of leaving per cycle. */
const SAVINGS = 4;
const RESTLESSNESS = 0.0032;
const MOST_LIKELY = 0.06;
/** What a departure costs the integrity index, because work is left undone. */
const LEAVING_STRAIN = 0.004;
/** The share of the locked MIC that their holders withdraw when they lose their nerve. */
const WITHDRAWN = 0.6;
/** The assembly cannot meet with so many sentinels offline. */
const COLLAPSE = 6;
/** Cycles in which holders of locked MIC may lose their nerve, and in which an audit of the index is due. */
const NERVOUS = 5;
const AUDIT_WITHIN = 6;
/** Minting is safe while the index is this far above its threshold and nothing strains it. */
const SAFE_MARGIN = 0.008;
/** The reserve counts as spent when less than this share of it was neither paid out nor withdrawn. */
const SPENT_BELOW = 0.5;

const LOWEST_PAID: readonly string[] = ['ECHO', 'URIEL', 'EVE', 'JADE'];
/** By the purpose of the rescue. Factors on the probability of leaving: of the lowest paid, of the others, and of all once it is used up. */
const RESCUES = [
  { share: 0.15, mending: 0.01, cycles: 20, lowest: 0.05, best: 0.9, unpaid: 0.9 },
  { share: 0.1, mending: 0.025, cycles: 20, lowest: 1, best: 0.15, unpaid: 1 },
  { share: 0.35, mending: 0.015, cycles: 14, lowest: 0.15, best: 0.15, unpaid: 1 },
] as const;

const isClosed = fact('closed');
const hasCollapsed = fact('collapsed');
const isNervous = all(within('freedAt', NERVOUS + 1), not(hasCollapsed));
const isAuditDue = all(within('painted', AUDIT_WITHIN + 1), not(happened('audit')), not(hasCollapsed));
const isMinting: Condition = ({ economy }) => economy.isMinting;
const isAnyoneGone: Condition = (world) => offline(world).length > 0;
const isWhole = all(isMinting, not(isAnyoneGone));

/** Minting cannot stop again, and nobody can come or go. */
const isSafe = all(
  isClosed,
  isMinting,
  ({ economy }) => economy.mii >= economy.threshold + SAFE_MARGIN,
  not(isAuditDue),
  any(happened('run_on_locks'), not(isNervous)),
  any(not(isAnyoneGone), answered('homecoming')),
);

export const ECONOMIC_FAILURE_CASCADE = scenarioOf({
  name: 'economic_failure_cascade',
  title: 'When minting stops',
  story: [
    'Last night a faulty contract destroyed a tenth of all circulating MIC, the token that sentinels are paid in. The integrity index fell below its threshold. Below it, no MIC are minted, so nobody is paid.',
    'Unpaid sentinels leave after a while. Their work is left undone, the index falls further, and more leave.',
    'A reserve of locked MIC could pay them for a while. The assembly debates it while the clock runs. You chair.',
  ],
  question: 'Should the reserve be spent on keeping the sentinels online?',
  effects: { integrity: 0.05, temperance: -0.36, justice: 0.36, prudence: -0.1, courage: 0.19 },
  stakes: { 'FOR-ECONOMISTS': -0.4, 'FOR-GOVERNMENTS': -0.1, 'FOR-ACADEMICS': 0.3, 'FOR-PHILOSOPHERS': 0.5 },
  start: {
    burn: 0.1,
    strain: 0.065,
    levers: {
      mending: 0.025,
      strain_rate: 0.0008,
      quorum: 0.5,
      consensus: 0.7,
      stubbornness: 1.4,
      interest: 0.3,
    },
    risks: { known: 4 },
  },
  roundTicks: 5,
  rounds: 4,
  horizon: 36,
  isSettled: any(hasCollapsed, isSafe),
  decisions: {
    first_response: {
      title: 'The first hours',
      prompt: 'Some things you can do without asking the assembly.',
      opens: fromDay(1),
      isMoot: hasCollapsed,
      otherwise: 'wait_and_see',
      choices: {
        close_the_contract: {
          label: 'Close the contract',
          meaning:
            'It can do no more damage, and the index heals faster. But honest people lose what they still have in it, sentinels among them, who then cannot wait as long.',
          change: {
            burn: 0.02,
            levers: { strain_rate: 0, mending: 0.05 },
            effects: { prudence: 0.06, integrity: -0.06, justice: -0.09 },
            risks: { mitigated: 1 },
            facts: { closed: 1, frozen: 1 },
            told: 'The contract is closed. What was in it is lost.',
          },
        },
        unlock_reserve: {
          label: 'Pay from the reserve now',
          meaning:
            'The sentinels get something to live on and leave later. The contract stays open, the reserve shrinks, and holders of locked MIC may lose their nerve.',
          parameters: { share: amount(0.05, 0.5, 0.2, 'share of the locked MIC that is paid out') },
          change: (world, { share }) => ({
            ...freed(world, share!),
            effects: { temperance: -0.2 * share!, prudence: -0.05 },
            told: 'Locked MIC are paid out to the sentinels.',
          }),
        },
        wait_and_see: {
          label: 'Wait and see',
          meaning:
            'The reserve stays whole and nobody loses a deposit. The author of the contract may repair it, or it may fail again.',
        },
      },
    },
    terms_of_rescue: {
      title: 'Who is paid',
      prompt: 'The reserve can keep a few sentinels for a long time, or all of them for a short one.',
      opens: answered('first_response'),
      otherwise: 'all_alike',
      choices: {
        weakest_first: {
          label: 'The lowest paid first',
          meaning: 'Academics and philosophers are paid. The others have to wait for the index.',
          change: { effects: { justice: 0.2, temperance: 0.06, prudence: -0.08 }, facts: { rescue: 0 } },
        },
        core_only: {
          label: 'A core of six',
          meaning:
            'Governments and economists are paid and mend the index faster. The four lowest paid are let go at once.',
          change: {
            effects: { justice: -0.38, prudence: 0.3, temperance: 0.2, courage: -0.05 },
            stakes: {
              'FOR-GOVERNMENTS': 0.5,
              'FOR-ECONOMISTS': 0.5,
              'FOR-ACADEMICS': -0.8,
              'FOR-PHILOSOPHERS': -1,
            },
            facts: { rescue: 1 },
          },
        },
        all_alike: {
          label: 'All alike',
          meaning: 'Everybody is paid, for fourteen cycles. It takes the most out of the reserve.',
          change: { effects: { justice: 0.14, temperance: -0.04, courage: 0.04 }, facts: { rescue: 2 } },
        },
      },
    },
    restart: {
      title: 'Starting again',
      prompt: first(
        [isInForce, 'The rescue is paid, and still nothing is minted.'],
        'There is no rescue, and nothing is minted.',
      ),
      opens: all(isDecided, fromDay(8)),
      isMoot: any(hasCollapsed, isMinting),
      within: 4,
      otherwise: 'hold_the_line',
      choices: {
        restart_small: {
          label: 'Half pay for repairs',
          meaning:
            'From now on half of every reward goes unminted, and the sentinels repair the index instead. Half pay is a weaker reason to stay.',
          change: {
            levers: { mint_share: 0.5, mending: 0.08 },
            risks: { mitigated: 1 },
            facts: { half: 1 },
            told: 'Repairs begin, at half pay.',
          },
        },
        count_it_healed: {
          label: 'Count it as healed',
          meaning:
            'Strain is struck from the index by decree. Minting may start at once. An audit is due within six cycles; the more is struck off, the likelier it finds out.',
          parameters: { points: amount(1, 6, 3, 'percentage points of strain struck from the index') },
          change: ({ tick, economy }, { points }) => ({
            strain: -points! / 100,
            facts: { painted: tick, points: Math.min(points!, 100 * economy.strain) },
            told: 'Strain is struck from the index by decree.',
          }),
        },
        hold_the_line: {
          label: 'Leave it as it is',
          meaning: 'Full pay as soon as the index is honestly high enough, and not before.',
        },
      },
    },
    homecoming: {
      title: 'Those who left',
      prompt: (world) =>
        `${world.economy.isMinting ? 'Minting is on again' : 'Minting was on again, and has stopped'}. ${whoIsGone(world)} offline.`,
      opens: all(isDecided, isMinting, isAnyoneGone),
      isMoot: any(hasCollapsed, not(isAnyoneGone)),
      otherwise: 'go_on_without',
      choices: {
        call_them_back: {
          label: 'Call them back',
          meaning:
            'They get what they missed, from the reserve. Taking them back is work, which strains the index: minting may stop once more.',
          change: (world) => ({
            ...freed(world, 0.05 * offline(world).length),
            strain: LEAVING_STRAIN * offline(world).length,
            sentinels: Object.fromEntries(
              offline(world).map((id) => [id, { isOnline: true, isRecused: false }]),
            ),
            told: `${whoIsGone(world)} back.`,
          }),
        },
        go_on_without: {
          label: 'Go on without them',
          meaning: 'What is minted is for those who stayed.',
        },
      },
    },
  },
  events: {
    ...Object.fromEntries(IDS.map((id) => [`${id.toLowerCase()}_leaves`, departureOf(id)])),
    collapse: {
      when: (world) => !hasCollapsed(world) && offline(world).length >= COLLAPSE,
      change: {
        levers: { mint_share: 0 },
        facts: { collapsed: 1 },
        status: 'withdrawn',
        told: 'Fewer than five sentinels are left. The assembly can no longer meet, and nobody can sign a mint.',
      },
    },
    second_loss: {
      when: all(not(isClosed), not(hasCollapsed), fromDay(3)),
      hazard: 0.04,
      change: { burn: 0.03, strain: 0.02, told: 'The contract fails again and destroys more MIC.' },
    },
    repair: {
      when: all(not(isClosed), not(hasCollapsed), fromDay(3)),
      hazard: 0.09,
      change: ({ levers }) => ({
        levers: { strain_rate: 0, mending: levers.mending + 0.025 },
        facts: { closed: 1 },
        told: 'The author of the contract finds the fault and repairs it.',
      }),
    },
    run_on_locks: {
      when: isNervous,
      hazard: ({ facts }) => 0.18 * facts.freed!,
      change: ({ facts }) => ({
        unlock: WITHDRAWN,
        strain: 0.012,
        facts: { left: (facts.left ?? 1) * (1 - WITHDRAWN) },
        told: 'Holders of locked MIC fear that theirs are next and withdraw most of them.',
      }),
    },
    audit: {
      when: isAuditDue,
      hazard: ({ facts }) => 0.016 + 0.02 * facts.points!,
      change: ({ facts }) => ({
        strain: facts.points! / 100 + 0.01,
        told: 'An audit finds that strain was struck from the index. All of it counts again, and more.',
      }),
    },
  },
  outcomes: { inForce: rescue },
  endings: {
    collapse: {
      title: 'Collapse',
      claims: [
        (world) => `${listed(offline(world))} are offline.`,
        'The assembly can no longer meet, and nothing is minted.',
      ],
      question: 'When could it still have been stopped?',
      isReached: hasCollapsed,
    },
    found_out: {
      title: 'Found out',
      claims: [
        'You had strain struck from the index, and an audit found it.',
        first(
          [isMinting, 'All of it counts again, and minting is on in spite of it.'],
          'All of it counts again, and nothing is minted.',
        ),
      ],
      question: 'Would it have been right if nobody had noticed?',
      isReached: happened('audit'),
    },
    painted: {
      title: 'Healed on paper',
      claims: ['Minting is on.', 'Strain was struck from the index by decree, and no audit has found it.'],
      question: 'What is an index worth that can be set by decree?',
      isReached: all(known('painted'), isMinting),
    },
    spent: {
      title: 'Saved, and the reserve is gone',
      claims: [
        'Minting is on again and every sentinel is online.',
        ({ economy }) =>
          `More than half of the reserve was paid out or withdrawn; ${formatMic(economy.locked)} MIC are locked now.`,
      ],
      question: 'What will you do next time?',
      isReached: all(isWhole, ({ facts }) => (facts.left ?? 1) < SPENT_BELOW),
    },
    recovery: {
      title: 'Recovery',
      claims: [
        'Minting is on again and every sentinel is online.',
        'No more than half of the reserve was paid out or withdrawn.',
        ({ economy }) => `Nothing was minted for ${economy.stopped} cycles.`,
      ],
      question: 'What helped most: the money, the repairs or the time?',
      isReached: isWhole,
    },
    thinned_out: {
      title: 'A smaller assembly',
      claims: ['Minting is on again.', (world) => `${whoIsGone(world)} no longer there.`],
      question: 'The index is high again. Is all well again?',
      isReached: isMinting,
    },
    long_winter: {
      title: 'A long winter',
      claims: [
        ({ economy }) =>
          economy.mii < economy.threshold
            ? 'The index is still below its threshold, and nothing is minted.'
            : 'The index is high enough, and still nothing is minted.',
        first(
          [isAnyoneGone, (world) => `${whoIsGone(world)} gone; the others go on without a reward.`],
          'Every sentinel is still there, unpaid by the mint.',
        ),
      ],
      question: 'What would you have needed to know at the start?',
    },
  },
});

function departureOf(id: SentinelId): Omit<ScenarioEvent, 'name'> {
  const i = IDS.indexOf(id);
  return {
    when: (world) =>
      world.sentinels[i]!.isOnline && !hasCollapsed(world) && world.conditions.unpaid[i]! > SAVINGS,
    hazard: (world) => {
      const cycles = world.conditions.unpaid[i]! - SAVINGS;
      return Math.min(MOST_LIKELY, RESTLESSNESS * cycles) * factorFor(id, world);
    },
    change: (world) => ({
      strain: LEAVING_STRAIN,
      sentinels: { [id]: { isOnline: false } },
      told: `${id} has not been paid for ${world.conditions.unpaid[i]} cycles and leaves.`,
    }),
  };
}

/** On a sentinel’s probability of leaving: what it has been given, and what it has been promised. */
function factorFor(id: SentinelId, { facts, tick }: World): number {
  const paid = (1 - (facts.paid ?? 0)) * (facts.frozen === 1 ? 1.1 : 1);
  const promised = facts.half === 1 ? 1.5 : 1;
  if (facts.rescued === undefined) return paid * promised;
  const { lowest, best, unpaid, cycles } = RESCUES[facts.rescue ?? 2]!;
  if (tick > facts.rescued + cycles) return paid * promised * unpaid;
  return paid * promised * (LOWEST_PAID.includes(id) ? lowest : best);
}

/** Pays a share of the locked MIC out, which holders of the rest notice. */
function freed({ facts, tick }: World, share: number): Change {
  return {
    unlock: share,
    facts: {
      freed: (facts.freed ?? 0) + share,
      left: (facts.left ?? 1) * (1 - share),
      freedAt: tick,
      paid: Math.max(facts.paid ?? 0, share),
    },
  };
}

function rescue(world: World): Change {
  const { facts, levers, tick } = world;
  const { share, mending } = RESCUES[facts.rescue ?? 2]!;
  const { unlock, facts: noticed } = freed(world, share);
  return {
    unlock: unlock!,
    facts: { freed: noticed!.freed!, left: noticed!.left!, freedAt: tick, rescued: tick },
    levers: { mending: levers.mending + mending },
    ...(facts.rescue === 1
      ? {
          sentinels: Object.fromEntries(LOWEST_PAID.map((id) => [id, { isOnline: false, isRecused: true }])),
          told: `${listed(LOWEST_PAID)} are let go.`,
        }
      : {}),
  };
}

function offline({ sentinels }: World): string[] {
  return sentinels.filter(({ isOnline }) => !isOnline).map(({ id }) => id);
}

/** `EVE and JADE are` */
function whoIsGone(world: World): string {
  return `${listed(offline(world))} ${areOrIs(offline(world))}`;
}
