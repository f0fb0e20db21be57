import { formatMic, MICRO } from '../economy.ts';
import {
  all,
  amount,
  answered,
  any,
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
  type Said,
  scenarioOf,
  since,
} from '../scenario.ts';
import type { World } from '../world.ts';

/** The proposed multiplier of the philosophers; today it is 1. */
const PROPOSED = 1.5;
const FIRST_STEP = 1.25;
/** Cycles from the start of a phased raise to its second step. */
const STEP_AFTER = 5;
/** At most so many MIC more are to circulate than without the raise, REVIEW cycles after it takes effect. */
const PROMISE = 3000;
const REVIEW = 10;
/** Cycles from a raise to the first day on which holders can see what it does. */
const SEEN_AFTER = 1;

const isSuspended = fact('suspended');
const isReviewed = happened('review');
const isRaised: Said = ({ economy }) =>
  `The philosophers’ multiplier is ${written(multiplierIn(economy))} now.`;

export const CATHEDRAL_MULTIPLIER_PROPOSAL = scenarioOf({
  name: 'cathedral_multiplier_proposal',
  title: 'A higher multiplier for the philosophers',
  story: [
    'Sentinels earn a token, MIC, for their work. How much depends on the multiplier of their group: it is 2.0 for governments, but 1.0 for philosophers. EVE, a philosopher, proposes 1.5.',
    'Every extra MIC makes the others worth a little less. The holders were promised that ten cycles after a raise at most 3,000 more MIC circulate than without it.',
    'You chair. You have no vote, but you decide what the assembly votes on and who pays.',
  ],
  question: questionOf,
  effects: { integrity: 0.05, temperance: -0.34, justice: 0.72, prudence: -0.4, courage: 0.2 },
  stakes: { 'FOR-PHILOSOPHERS': 0.8, 'FOR-ECONOMISTS': -0.3 },
  start: {
    levers: { stubbornness: 1.5, interest: 0.4, consensus: 0.7 },
    risks: { known: 3 },
    facts: { multiplier: PROPOSED },
  },
  roundTicks: 6,
  rounds: 3,
  horizon: 40,
  isSettled: any(not(isInForce), isSuspended, isReviewed),
  decisions: {
    terms: {
      title: 'The terms',
      prompt: 'The assembly has not voted yet. What should the proposal say?',
      opens: fromDay(1),
      within: 4,
      otherwise: 'keep_as_proposed',
      choices: {
        keep_as_proposed: {
          label: 'Keep it as proposed',
          meaning: 'The philosophers’ multiplier becomes 1.5 at once.',
        },
        amend_multiplier: {
          label: 'Change the number',
          meaning:
            'A higher number is fairer to the philosophers and mints more MIC. A lower one is cheaper.',
          parameters: { multiplier: amount(1.1, 2, 1.25, 'the philosophers’ new multiplier') },
          change: (_, { multiplier }) => amended(multiplier!),
        },
        phase_in: {
          label: 'Raise it in two steps',
          meaning: '1.25 at first and 1.5 five cycles later. It costs less, and the philosophers wait.',
          change: {
            effects: { temperance: 0.16, prudence: 0.16, justice: -0.1, courage: -0.12 },
            facts: { phased: 1 },
            told: 'The proposal now raises the multiplier in two steps.',
          },
        },
        raise_everyone: {
          label: 'Raise every cathedral to 2.0',
          meaning: 'Nobody ranks below anybody else, and most sentinels gain. It mints far more MIC.',
          change: {
            effects: { temperance: -0.1, justice: -0.1, prudence: -0.1 },
            stakes: { 'FOR-ECONOMISTS': 1.1, 'FOR-ACADEMICS': 0.9, 'FOR-PHILOSOPHERS': 0.2 },
            facts: { everyone: 1 },
            told: 'The proposal now raises every cathedral to 2.0.',
          },
        },
      },
    },
    evidence: {
      title: 'What the assembly knows',
      prompt: 'URIEL has worked out how many MIC the proposal would add. Few have read it.',
      opens: answered('terms'),
      otherwise: 'say_nothing',
      choices: {
        publish_projection: {
          label: 'Publish the figures',
          meaning:
            'Everyone sees what the proposal costs. If it keeps the promise, careful sentinels like it better; if not, they like it less. Holders who know it beforehand are less likely to be frightened.',
          change: (world) => {
            const mic = projected(world);
            return {
              effects: { integrity: 0.1, prudence: mic <= PROMISE ? 0.1 : mic <= 2 * PROMISE ? -0.1 : -0.2 },
              risks: { mitigated: 1 },
              facts: { published: 1 },
              told: `URIEL’s figures: without an offset, about ${formatMic(mic * MICRO)} more MIC would circulate after ten cycles.`,
            };
          },
        },
        appeal_to_fairness: {
          label: 'Tell the story of one sentinel',
          meaning:
            'A story instead of a table. It moves those who care about justice, annoys the others, and drives the two groups apart.',
          change: {
            effects: { integrity: -0.08, justice: 0.4, prudence: -0.16 },
            levers: { reach: 0.12, kinship: 1.5 },
          },
        },
        say_nothing: {
          label: 'Let them talk',
          meaning: 'The assembly goes on with what it has. Nobody is annoyed, and nobody is warned.',
        },
      },
    },
    funding: {
      title: 'Who pays',
      prompt: first(
        [isInForce, 'The raise is in force. Should something balance the extra MIC?'],
        'The economists would be content if something balanced the extra MIC. Should the text say so?',
      ),
      opens: any(answered('evidence'), ({ deliberation }) => deliberation.votes.length > 0),
      isMoot: (world) => (isDecided(world) && !isInForce(world)) || isSuspended(world) || isReviewed(world),
      within: 4,
      otherwise: 'no_offset',
      choices: {
        burn_offset: {
          label: 'Burn some of what circulates',
          meaning:
            'Everyone who holds MIC loses a little each cycle. Too little breaks the promise; too much takes more from the holders than the raise gives.',
          parameters: { share: amount(0.5, 5, 0.8, 'MIC burned each cycle, of every 10,000 that circulate') },
          change: (world, { share }) =>
            funded(
              world,
              { burn_rate: world.unchanged.levers.burn_rate + share! / 10_000 },
              { temperance: 0.16, prudence: 0.18, justice: -0.04 - 0.04 * share! },
            ),
        },
        lock_rewards: {
          label: 'Lock more of all rewards',
          meaning:
            'Every sentinel gets a larger part of its reward locked, to be released slowly. The more is locked, the less the raise is worth at first, to the philosophers too.',
          parameters: { share: amount(0.15, 0.5, 0.25, 'share of each reward that is locked') },
          change: (world, { share }) => ({
            ...funded(world, { lock_share: share! }, { temperance: 0.2, prudence: 0.1, justice: -0.1 }),
            stakes: {
              'FOR-GOVERNMENTS': -share!,
              'FOR-ECONOMISTS': -share! / 2,
              'FOR-PHILOSOPHERS': -share!,
            },
          }),
        },
        no_offset: {
          label: 'Nothing',
          meaning: 'All the extra MIC circulate. Those who hold MIC pay, because theirs are worth less.',
        },
      },
    },
    sale: {
      title: 'Holders are selling',
      prompt: 'Holders see more new MIC than they were promised, and have begun to sell.',
      opens: happened('holders_sell'),
      within: 2,
      isMoot: never,
      otherwise: 'suspend',
      choices: {
        suspend: {
          label: 'Suspend the raise',
          meaning: 'Every multiplier goes back to what it was. What has been paid stays paid.',
          change: ({ unchanged }) => ({
            multipliers: unchanged.multipliers,
            facts: { suspended: 1 },
            told: 'The raise is suspended.',
          }),
        },
        burn_the_excess: {
          label: 'Burn the excess',
          meaning:
            'The excess is taken from all holders in one day, and from now on whatever the raise adds is burned. The raise stays.',
          change: (world) => {
            const share = (mic: number) => (mic * MICRO) / world.economy.circulating;
            return {
              burn: share(more(world)),
              levers: { burn_rate: world.levers.burn_rate + share(more(world) / cyclesInForce(world)) },
              told: 'The excess is burned.',
            };
          },
        },
        stand_by_it: {
          label: 'Stand by the raise',
          meaning: 'The raise stays as it is. Some of those with locked MIC take them out and sell them too.',
          change: { unlock: 0.02, told: 'The raise stands. Locked MIC are withdrawn and sold.' },
        },
      },
    },
  },
  events: {
    figures_leak: {
      when: all(not(isDecided), fromDay(3), not(fact('published'))),
      hazard: 0.08,
      change: {
        effects: { integrity: -0.2, prudence: -0.2 },
        told: 'A newspaper prints half of URIEL’s figures and asks why the assembly kept them to itself.',
      },
    },
    second_step: {
      when: all(isInForce, fact('phased'), not(isSuspended), since('since', STEP_AFTER + 1)),
      change: {
        multipliers: { 'FOR-PHILOSOPHERS': PROPOSED },
        told: 'The second step: the philosophers’ multiplier is 1.5 now.',
      },
    },
    holders_sell: {
      when: (world) =>
        isInForce(world) &&
        cyclesInForce(world) > SEEN_AFTER &&
        // Whatever is done about it is done before the review.
        cyclesInForce(world) < REVIEW - 1 &&
        excessRate(world) > 1,
      hazard: (world) => {
        const likely = Math.min(0.25, 0.08 + 0.06 * (excessRate(world) - 1));
        return world.facts.published === 1 ? likely / 2 : likely;
      },
      change: { told: 'Holders see more new MIC than they were promised, and begin to sell.' },
    },
    review: {
      when: (world) => isInForce(world) && !isSuspended(world) && cyclesInForce(world) > REVIEW,
      change: (world) => ({
        facts: { more: Math.round(more(world)), kept: keepsPromise(world) ? 1 : 0 },
        told: `The review: ${moreOrLess(more(world))} than without the raise.`,
      }),
    },
  },
  outcomes: { inForce: takeEffect },
  endings: {
    undone: {
      title: 'Given and taken back',
      claims: [
        'The assembly raised the multiplier and then suspended the raise, when holders began to sell.',
        (world) =>
          `The philosophers’ multiplier is 1.0 again; they keep the ${formatMic(gained(world))} MIC that the raise has brought them.`,
      ],
      question: 'Was it better to give something and take it back than never to have given it?',
      isReached: isSuspended,
    },
    paper_raise: {
      title: 'A raise on paper',
      claims: [
        isRaised,
        'So much of every reward is locked that the philosophers are paid no more in free MIC than before.',
        'The governments’ sentinels, whose rewards are locked as well, are paid less.',
      ],
      question: 'The locked MIC will be released one day. Is that a raise?',
      isReached: all(isInForce, isOnPaper),
    },
    over_dissent: {
      title: 'Raised, over a dissent',
      claims: [
        'The raise was adopted, and the objection to it is on record.',
        ({ facts }) => `At the review there were ${moreOrLess(facts.more!)} than without the raise.`,
      ],
      question: 'Did those who objected see something that the majority did not?',
      isReached: hasStatus('adopted_with_dissent'),
    },
    measured_parity: {
      title: 'Raised within the promise',
      claims: [
        isRaised,
        'At the review, after ten cycles, the promise to the holders was kept.',
        (world) =>
          gained(world) > 0
            ? `The philosophers have earned ${formatMic(gained(world))} more MIC than they would have without the raise.`
            : 'Nothing has been minted since, so the raise has brought the philosophers nothing yet.',
      ],
      question: 'Who paid for it, and would they agree that it was worth it?',
      isReached: all(isInForce, fact('kept')),
    },
    dear_parity: {
      title: 'A raise at the holders’ expense',
      claims: [
        isRaised,
        ({ facts }) =>
          facts.more! > PROMISE
            ? `At the review, ${formatMic(facts.more! * MICRO)} more MIC circulated than without the raise, which is more than the holders had been promised.`
            : 'To balance it, more MIC were burned than the raise has brought the sentinels.',
      ],
      question: 'Is a fair rule still fair if it breaks a promise to somebody else?',
      isReached: isInForce,
    },
    refused: {
      title: 'Refused',
      claims: [
        'The assembly voted the proposal down.',
        'The philosophers’ sentinels earn half of what the governments’ earn for the same score, as before.',
      ],
      question: 'Was it the idea that failed, or the text?',
      isReached: hasStatus('rejected'),
    },
    unresolved: {
      title: 'Out of time',
      claims: [
        'The time for the debate ran out before enough sentinels agreed.',
        (world) =>
          `In the last vote ${lastVote(world).support} were in favour and ${lastVote(world).oppose} against.`,
      ],
      question: 'Is making no decision a decision to keep things as they are?',
    },
  },
});

function questionOf({ facts }: World): string {
  if (facts.everyone === 1) return 'Should the multiplier of every cathedral rise to 2.0?';
  if (facts.phased === 1) return 'Should the philosophers’ multiplier rise to 1.25 and later to 1.5?';
  return `Should the philosophers’ multiplier rise from 1.0 to ${written(facts.multiplier!)}?`;
}

function amended(multiplier: number) {
  const higher = multiplier - PROPOSED;
  return {
    effects: { justice: 0.4 * higher, temperance: -0.4 * higher, prudence: -0.4 * higher },
    stakes: { 'FOR-PHILOSOPHERS': 0.4 * higher },
    facts: { multiplier },
    told: `The proposal now says ${written(multiplier)}.`,
  };
}

/** Part of the text until it is in force; after that it applies at once. */
function funded(
  world: World,
  { burn_rate, lock_share }: { burn_rate?: number; lock_share?: number },
  effects: Partial<World['effects']>,
) {
  const levers = { ...(burn_rate && { burn_rate }), ...(lock_share && { lock_share }) };
  if (isInForce(world)) return { levers, risks: { mitigated: 1 } };
  return { effects, facts: levers, risks: { mitigated: 1 } };
}

/** The multipliers on the first day of the raise. */
function risen(facts: World['facts']): World['economy']['multipliers'] {
  if (facts.everyone === 1) return { 'FOR-ECONOMISTS': 2, 'FOR-ACADEMICS': 2, 'FOR-PHILOSOPHERS': 2 };
  return { 'FOR-PHILOSOPHERS': facts.phased === 1 ? FIRST_STEP : facts.multiplier! };
}

function takeEffect({ facts, tick }: World) {
  const { burn_rate, lock_share } = facts;
  return {
    facts: { since: tick },
    levers: { ...(burn_rate && { burn_rate }), ...(lock_share && { lock_share }) },
    multipliers: risen(facts),
  };
}

/** The MIC that the proposal as it stands would add by the review, by today’s rewards and without an offset. */
function projected(world: World): number {
  const { sentinels, conditions, economy, levers } = world;
  const to = risen(world.facts);
  const perCycle = sentinels.reduce((sum, { cathedral }, i) => {
    const now = economy.multipliers[cathedral]!;
    return sum + (conditions.reward[i]! / now) * ((to[cathedral] ?? now) - now);
  }, 0);
  const later = world.facts.phased === 1 ? (PROPOSED - FIRST_STEP) / (FIRST_STEP - 1) : 0;
  const cycles = REVIEW + later * (REVIEW - STEP_AFTER);
  return Math.round((perCycle * (1 - levers.lock_share) * cycles) / MICRO);
}

/** That of the philosophers. */
function multiplierIn({ multipliers }: Pick<World['economy'], 'multipliers'>): number {
  return multipliers['FOR-PHILOSOPHERS']!;
}

/** The number of the current cycle under the raise, from 1. */
function cyclesInForce({ facts, tick }: World): number {
  return tick - facts.since!;
}

/** The MIC that circulate beyond what would circulate without the raise. */
function more({ economy, unchanged }: World): number {
  return (economy.circulating - unchanged.circulating) / MICRO;
}

/** The excess per cycle so far, as a multiple of what the promise allows. */
function excessRate(world: World): number {
  return (more(world) * REVIEW) / (PROMISE * (cyclesInForce(world) - 1));
}

/** Neither too much circulates, nor was more burned for it than it gave. */
function keepsPromise(world: World): boolean {
  const { economy, unchanged } = world;
  return more(world) <= PROMISE && economy.burned - unchanged.burned <= economy.total - unchanged.total;
}

/** What the philosophers have earned beyond what they would have without the raise; millionths of a MIC. */
function gained({ sentinels, conditions, unchanged }: World): number {
  return sentinels.reduce(
    (sum, { cathedral }, i) =>
      cathedral === 'FOR-PHILOSOPHERS' ? sum + conditions.minted[i]! - unchanged.minted[i]! : sum,
    0,
  );
}

/** More of every reward is locked than before, and the philosophers are paid no more in free MIC. */
function isOnPaper({ economy, levers, unchanged }: World): boolean {
  const before = unchanged.levers.lock_share;
  const freePay = multiplierIn(economy) * (1 - levers.lock_share);
  return levers.lock_share > before && freePay <= multiplierIn(unchanged) * (1 - before);
}

function moreOrLess(mic: number): string {
  if (Math.round(mic) === 0) return 'no more MIC in circulation, and no fewer,';
  return `${formatMic(Math.abs(mic) * MICRO)} ${mic < 0 ? 'fewer' : 'more'} MIC in circulation`;
}

/** `1.0`, `1.25`. */
function written(multiplier: number): string {
  return Number.isInteger(multiplier) ? `${multiplier}.0` : `${multiplier}`;
}
