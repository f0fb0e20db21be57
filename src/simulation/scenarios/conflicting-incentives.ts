import type { Cathedral } from '../../../pipeline/ledger/events/event.ts';
import { SENTINEL_CATHEDRALS } from '../../../pipeline/model/sentinel-profiles.ts';
import type { Change } from '../change.ts';
import { listed } from '../deliberation.ts';
import { roundTo6 } from '../round-to-6.ts';
import {
  all,
  amount,
  answered,
  any,
  type Condition,
  fact,
  first,
  fromDay,
  happened,
  hasStatus,
  isDecided,
  isInForce,
  lastVote,
  never,
  not,
  scenarioOf,
} from '../scenario.ts';
import type { World } from '../world.ts';

type Multipliers = Readonly<Partial<Record<Cathedral, number>>>;

/** Where the multipliers stand, and where each version of the rule puts them. */
const TODAY = {
  'FOR-GOVERNMENTS': 1.6,
  'FOR-ECONOMISTS': 1.4,
  'FOR-ACADEMICS': 1.3,
  'FOR-PHILOSOPHERS': 1.2,
} as const satisfies Multipliers;
const PROPOSED = {
  'FOR-GOVERNMENTS': 2,
  'FOR-ECONOMISTS': 1.9,
  'FOR-ACADEMICS': 1.1,
  'FOR-PHILOSOPHERS': 1,
} as const satisfies Multipliers;
const ALIGNED = {
  'FOR-GOVERNMENTS': 1.7,
  'FOR-ECONOMISTS': 1.5,
  'FOR-ACADEMICS': 1.6,
  'FOR-PHILOSOPHERS': 1.5,
} as const satisfies Multipliers;
/** The stake of a cathedral per unit that its multiplier gains. */
const STAKE = 2;
/** After a scandal the rule may be cut to this. */
const CUT = 1.7;
/** Cycles in which somebody may add up who gains from a rule. */
const EXPOSED_FOR = 10;

const isTooFew: Condition = ({ deliberation }) => deliberation.votes.at(-1)?.result === 'no_quorum';
/** One trial, with one result; what is paid for what others use is not what is tried. */
const isTrialOpen = all(
  not(any(happened('trial_succeeds'), happened('trial_fails'))),
  not(isDecided),
  fromDay(3),
  not(fact('aligned')),
);

const INTERESTED = ['ATLAS', 'HERMES', 'ZEUS', 'AUREA', 'ZENITH', 'DAEDALUS'];

export const CONFLICTING_INCENTIVES = scenarioOf({
  name: 'conflicting_incentives',
  title: 'Those who decide, and those who gain',
  story: [
    'DAEDALUS, an economist, wants to reward workflows, jobs that run by themselves. The multiplier, which sets what a group of sentinels earns, would rise from 1.6 to 2.0 for governments and almost as high for economists. For academics and philosophers it would fall.',
    'Six of the ten who vote would earn more. None of them is dishonest. A trial is under way; its result may come before the vote.',
    'You chair. You can make interests visible, take them out of the room, or change what there is to gain.',
  ],
  question: questionOf,
  effects: { integrity: -0.08, temperance: -0.14, justice: -0.2, prudence: 0.24, courage: 0.22 },
  stakes: stakesOf(PROPOSED),
  start: {
    multipliers: TODAY,
    levers: { interest: 0.75, kinship: 1.2, consensus: 0.65, quorum: 0.6, stubbornness: 1.3 },
    risks: { known: 3 },
  },
  roundTicks: 6,
  rounds: 3,
  horizon: 44,
  isSettled: any(not(isInForce), happened('gains_published'), not(isExposed)),
  decisions: {
    interests: {
      title: 'What everybody knows',
      prompt: 'Nobody has said yet who would gain how much.',
      opens: fromDay(1),
      within: 4,
      otherwise: 'leave_unsaid',
      choices: {
        declare_interests: {
          label: 'Have everyone declare their gain',
          meaning:
            'Those who have named their gain aloud give it less weight. But the two camps are now known, and each listens to its own.',
          change: {
            levers: { interest: 0.4, kinship: 2 },
            effects: { integrity: 0.02 },
            risks: { mitigated: 1 },
            facts: { declared: 1 },
            told: 'Everyone declares what they would gain or lose.',
          },
        },
        veil: {
          label: 'Hide who would gain',
          meaning:
            'The rule will apply to whoever runs the most workflows in a year, and nobody can know who that is. Nobody can argue from experience either.',
          change: {
            levers: { interest: 0.05, kinship: 0.2 },
            effects: { justice: 0.04, courage: 0.14, prudence: -0.06 },
            facts: { veiled: 1 },
            told: 'The proposal no longer says to whom it will apply.',
          },
        },
        leave_unsaid: {
          label: 'Leave it unsaid',
          meaning: 'The debate stays friendly. If the rule is adopted, somebody may add up later who gained.',
        },
      },
    },
    recusal: {
      title: 'Who votes',
      prompt: 'URIEL asks whether anybody may vote on their own reward.',
      opens: answered('interests'),
      otherwise: 'all_vote',
      choices: {
        recuse_interested: {
          label: 'Those who gain stand aside',
          meaning:
            'Governments and economists neither speak nor vote. The quorum is still counted from all ten.',
          change: {
            sentinels: Object.fromEntries(INTERESTED.map((id) => [id, { isRecused: true }])),
            facts: { recused: 1 },
            told: 'Governments and economists stand aside.',
          },
        },
        recuse_author: {
          label: 'The author stands aside',
          meaning: 'DAEDALUS has made its case and leaves the room. One voice fewer, and less to hide.',
          change: {
            sentinels: { DAEDALUS: { isRecused: true } },
            effects: { integrity: 0.08 },
            risks: { mitigated: 1 },
            facts: { author: 1 },
            told: 'DAEDALUS stands aside.',
          },
        },
        all_vote: {
          label: 'All vote',
          meaning: 'The assembly belongs to all of them, and so does its vote.',
        },
      },
    },
    design: {
      title: 'What there is to gain',
      prompt: 'The interest lies in the rule itself, and the rule can still be rewritten.',
      opens: answered('recusal'),
      otherwise: 'as_it_is',
      choices: {
        align: {
          label: 'Pay for what others use',
          meaning:
            'Only workflows that others use are rewarded. Every cathedral gains something, and those that help others gain most. The author calls it a different proposal.',
          change: (world) => ({
            ...rewritten(world, ALIGNED),
            effects: { integrity: 0.1, temperance: 0.04, justice: 0.2, prudence: -0.26, courage: -0.14 },
            risks: { mitigated: 1 },
            facts: { aligned: 1 },
            told: 'The rule now pays for workflows that others use.',
          }),
        },
        cap: {
          label: 'Set a ceiling',
          meaning:
            'No multiplier may be above it. The governments’ is 1.6 today, so a lower ceiling takes from them.',
          parameters: { ceiling: amount(1.5, 1.9, 1.7, 'the highest multiplier that a cathedral may have') },
          change: (world, { ceiling }) => ({
            ...rewritten(world, capped(PROPOSED, ceiling!)),
            effects: {
              temperance: 0.5 * (2 - ceiling!),
              justice: 0.5 * (2 - ceiling!),
            },
            facts: { ceiling: ceiling! },
            told: `The rule now has a ceiling of ${ceiling}.`,
          }),
        },
        as_it_is: {
          label: 'Leave the rule as it is',
          meaning: 'What it does is known, and its author defends it.',
        },
      },
    },
    quorum: {
      title: 'Too few to decide',
      prompt: 'The vote failed: those who may vote are too few for a quorum of all ten.',
      opens: all(fact('recused'), isTooFew),
      otherwise: 'keep_the_quorum',
      choices: {
        count_those_present: {
          label: 'Count those who may vote',
          meaning: (world) =>
            `Four decide for all ten. ${losersAmong(world) > 0 ? 'They would earn less by the rule, which is an interest too.' : 'By this rule they would earn more themselves.'}`,
          change: { levers: { quorum: 0.3 }, told: 'The quorum is counted from those who may vote.' },
        },
        send_deputies: {
          label: 'Let deputies vote',
          meaning:
            'Those who stood aside send deputies, who vote but gain little by it themselves. They listen mostly to those who sent them.',
          change: {
            sentinels: Object.fromEntries(INTERESTED.map((id) => [id, { isRecused: false }])),
            levers: { interest: 0.3, kinship: 2.5 },
            facts: { recused: 0, deputies: 1 },
            told: 'Deputies take the seats of those who stood aside.',
          },
        },
        keep_the_quorum: {
          label: 'Keep the rules',
          meaning: 'Rules that change when they hinder are not rules. There may be no decision at all.',
        },
      },
    },
    scandal: {
      title: 'It is in the papers',
      prompt: (world) =>
        `A newspaper has added up who gains by the rule: ${listed(gainers(world))}. Nobody had said so.`,
      opens: happened('gains_published'),
      within: 2,
      isMoot: never,
      otherwise: 'stand_by_the_rule',
      choices: {
        repeal: {
          label: 'Repeal the rule',
          meaning: 'Every multiplier goes back to what it was. What was paid stays paid.',
          change: ({ unchanged }) => ({
            multipliers: unchanged.multipliers,
            facts: { repealed: 1 },
            told: 'The rule is repealed.',
          }),
        },
        cut_back: {
          label: 'Cut it back, and say who gains',
          meaning: 'No multiplier above 1.7, and everyone declares what is left of their gain.',
          change: ({ economy }) => ({
            multipliers: capped(economy.multipliers, CUT),
            facts: { declared: 1 },
            told: 'The rule is cut back, and everyone declares their gain.',
          }),
        },
        stand_by_the_rule: {
          label: 'Stand by the rule',
          meaning: 'It was adopted by the book. Trust in the assembly suffers, and with it the index.',
          change: { strain: 0.025, told: 'The assembly stands by the rule.' },
        },
      },
    },
  },
  events: {
    trial_succeeds: {
      when: isTrialOpen,
      hazard: 0.05,
      change: {
        effects: { prudence: 0.14 },
        told: 'The trial is over: offices with the new rule got much more done.',
      },
    },
    trial_fails: {
      when: isTrialOpen,
      hazard: 0.05,
      change: {
        effects: { integrity: -0.12, prudence: -0.14 },
        told: 'The trial is over: offices with the new rule ran more workflows, but nobody used them.',
      },
    },
    gains_published: {
      when: all(isInForce, isExposed),
      hazard: ({ facts }) => (facts.author === 1 || facts.veiled === 1 ? 0.1 : 0.2),
      change: (world) => ({
        told: `A newspaper adds up who gains by the rule: ${listed(gainers(world))}.`,
      }),
    },
  },
  outcomes: { inForce: takeEffect },
  endings: {
    undone: {
      title: 'Published, and undone',
      claims: [
        'The rule was adopted without a word about who gains, a newspaper published it, and the rule was repealed.',
        'Every multiplier is what it was at the start.',
      ],
      question: 'Would the rule have survived if its gains had been declared at the start?',
      isReached: fact('repealed'),
    },
    aligned: {
      title: 'Interests that point the same way',
      claims: [
        'The rule that was adopted pays for workflows that others use.',
        'Every cathedral earns more by it than before.',
        'The academics and philosophers gain most.',
      ],
      question: 'If everyone gains, who pays?',
      isReached: all(isInForce, fact('aligned')),
    },
    captured: {
      title: 'Captured',
      claims: [
        (world) =>
          `The rule is in force. By it, ${listed(gainers(world))} earn more, and nobody told the assembly so before the vote.`,
        first(
          [happened('gains_published'), 'It has been published since, and the rule stands.'],
          'Nobody has published it.',
        ),
      ],
      question: 'Did anybody do anything wrong?',
      isReached: all(isInForce, not(fact('declared')), not(fact('veiled'))),
    },
    veiled: {
      title: 'Agreed, without knowing for whom',
      claims: [
        'The rule was adopted without saying who would gain by it.',
        (world) => `As it turns out, ${listed(gainers(world))} do.`,
      ],
      question: 'Is a rule fair because nobody knew whom it would favour?',
      isReached: all(isInForce, fact('veiled')),
    },
    open_interest: {
      title: 'An interest in the open',
      claims: [
        (world) => `The rule is in force. By it, ${listed(gainers(world))} earn more, and they have said so.`,
        first(
          [
            happened('gains_published'),
            'They said so only after a newspaper had, and the rule was cut back.',
          ],
          'The others knew it before the rule was adopted.',
        ),
      ],
      question: 'Is it enough to know who gains?',
      isReached: isInForce,
    },
    refused: {
      title: 'Refused',
      claims: [
        'The assembly voted the proposal down.',
        (world) => `In the last vote ${lastVote(world).oppose} were against it.`,
      ],
      question: 'Was it refused for its effects, or because of who proposed it?',
      isReached: hasStatus('rejected'),
    },
    nobody_left: {
      title: 'Nobody left to decide',
      claims: [
        'Governments and economists stood aside, and too few others took a position for a quorum.',
        'There is no decision, and every multiplier is what it was.',
      ],
      question: 'Is a rule against self-dealing good if nothing can be decided under it?',
      isReached: all(fact('recused'), isTooFew),
    },
    stalled: {
      title: 'Stalled',
      claims: [
        first(
          [isTooFew, 'The time ran out. In the last vote too few took a side for a quorum.'],
          'The time ran out. In the last vote neither side had enough.',
        ),
        (world) =>
          `Of those who took a side, ${lastVote(world).support} were for the rule and ${lastVote(world).oppose} against it.`,
      ],
      question: 'Who is better off without a decision?',
    },
  },
});

function questionOf({ facts }: World): string {
  if (facts.aligned === 1) return 'Should workflows that others use be rewarded, whoever runs them?';
  if (facts.ceiling !== undefined)
    return `Should workflows be rewarded, with no multiplier above ${facts.ceiling}?`;
  return 'Should the multipliers of governments and economists rise with their workflows?';
}

function takeEffect({ facts, tick }: World): Change {
  return { multipliers: ruleOf(facts), facts: { since: tick } };
}

/** The multipliers by the text as it stands. */
function ruleOf(facts: World['facts']): Multipliers {
  if (facts.aligned === 1) return ALIGNED;
  return facts.ceiling === undefined ? PROPOSED : capped(PROPOSED, facts.ceiling);
}

function byCathedral(of: (cathedral: Cathedral) => number): Multipliers {
  return Object.fromEntries(SENTINEL_CATHEDRALS.map((cathedral) => [cathedral, of(cathedral)]));
}

function capped(multipliers: Multipliers, ceiling: number): Multipliers {
  return byCathedral((cathedral) => Math.min(multipliers[cathedral]!, ceiling));
}

function gainOf(cathedral: Cathedral, after: Multipliers, before: Multipliers): number {
  return after[cathedral]! - before[cathedral]!;
}

/** What each cathedral has at stake: in proportion to what its multiplier would gain. */
function stakesOf(rule: Multipliers): Multipliers {
  return byCathedral((cathedral) => roundTo6(STAKE * gainOf(cathedral, rule, TODAY)));
}

/** The stakes of another rule, as a change of those that there are. */
function rewritten({ stakes }: World, rule: Multipliers): Change {
  return { stakes: byCathedral((cathedral) => gainOf(cathedral, stakesOf(rule), stakes)) };
}

/** The cathedrals whose multiplier is higher than it would be without the change: `governments`. */
function gainers({ economy, unchanged }: World): string[] {
  const gain = SENTINEL_CATHEDRALS.filter(
    (one) => gainOf(one, economy.multipliers, unchanged.multipliers) > 0,
  );
  return gain.map((cathedral) => cathedral.slice('FOR-'.length).toLowerCase());
}

/** How many of those who may vote would earn less by the text as it stands. */
function losersAmong({ sentinels, facts }: World): number {
  const rule = ruleOf(facts);
  return sentinels.filter(({ isRecused, cathedral }) => !isRecused && gainOf(cathedral, rule, TODAY) < 0)
    .length;
}

/** Whether there is still something that a newspaper might find out. */
function isExposed({ facts, tick }: World): boolean {
  const isHidden = facts.declared !== 1 && facts.aligned !== 1;
  return isHidden && tick <= facts.since! + EXPOSED_FOR;
}
