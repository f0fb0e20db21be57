import type { Change } from '../change.ts';
import { listed } from '../deliberation.ts';
import { polarisation } from '../opinions.ts';
import { roundTo6 } from '../round-to-6.ts';
import {
  all,
  always,
  amount,
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
  scenarioOf,
  textOf,
} from '../scenario.ts';
import type { World } from '../world.ts';

/** From this polarisation on there are two camps. 0: all agree; 1: half of them at each end. */
export const SPLIT = 0.12;
/** From this polarisation on an open debate can turn into a quarrel. */
export const HEATED = 0.1;
/** How far they listen in separate rooms. */
const APART = { reach: 0.07, kinship: 3 };

const isCompromise: Condition = ({ facts }) =>
  facts.closed !== 1 && (facts.embargo === 1 || facts.redacted! > 0);
/** What was adopted. */
const rule = first(
  [fact('closed'), 'From now on, the log of every deliberation stays closed.'],
  (world) => `From now on, the log of every deliberation is published, ${termsOf(world)}.`,
);

export const SENTINEL_DISAGREEMENT = scenarioOf({
  name: 'sentinel_disagreement',
  title: 'Two sentinels who do not agree',
  story: [
    'ATLAS wants every deliberation published word for word, with names: who decides for others must be open to view. EVE wants the log closed: people who speak for the weak must be able to think aloud without fear.',
    'Both have good reasons and followers, and neither gives way easily. So far, each assembly decides for itself what it publishes. You moderate: you shape the debate and the text, and they vote.',
  ],
  question: first(
    [fact('closed'), 'Should the log of every deliberation stay closed?'],
    (world) => `Should the log of every deliberation be published, ${termsOf(world)}?`,
  ),
  effects: { integrity: 0.84, temperance: -0.3, justice: -0.93, prudence: 0.13, courage: 0.1 },
  stakes: { 'FOR-ACADEMICS': 0.3, 'FOR-PHILOSOPHERS': -0.4 },
  start: {
    sentinels: {
      ATLAS: { stubbornness: 0.75, trust: 1.8 },
      EVE: { stubbornness: 0.8, trust: 2 },
    },
    levers: { kinship: 1, reach: 0.2, quorum: 0.6, consensus: 0.7, interest: 0.3 },
    risks: { known: 2 },
  },
  roundTicks: 5,
  rounds: 3,
  horizon: 36,
  decisions: {
    format: {
      title: 'How they talk',
      prompt: 'How do you get two who have made up their minds to talk?',
      opens: fromDay(1),
      otherwise: 'open_debate',
      choices: {
        open_debate: {
          label: 'An open debate',
          meaning:
            'Everybody speaks and listens as usual. It costs no time, but it can turn into a quarrel between the two.',
          change: { facts: { open: 1 } },
        },
        argue_the_other_side: {
          label: 'Each argues the other side',
          meaning:
            'ATLAS and EVE each make the other’s case. They hold on to their own view less, and listen across camps more. It takes the time of one round.',
          change: {
            sentinels: { ATLAS: { stubbornness: 0.3 }, EVE: { stubbornness: 0.3 } },
            levers: { reach: 0.4, kinship: 0.3 },
            rounds: -1,
          },
        },
        separate_rooms: {
          label: 'Separate rooms',
          meaning:
            'Each camp prepares by itself. There is no quarrel and everybody takes a clear position, but nobody hears the other side’s reasons.',
          change: { levers: APART, facts: { apart: 1 } },
        },
      },
    },
    text: {
      title: 'The text',
      prompt: 'Between everything and nothing there is room for other texts. Which one goes to the vote?',
      opens: fromDay(4),
      otherwise: 'all_or_nothing',
      choices: {
        redact: {
          label: 'Publish with names removed',
          meaning: 'The more names are removed, the less the log shows, and the fewer people it can hurt.',
          parameters: { share: amount(0, 1, 0.5, 'share of the names that are removed') },
          change: (_, { share }) => ({
            effects: { integrity: -0.55 * share!, justice: 0.9 * share! },
            facts: { redacted: share! },
            risks: { mitigated: 1 },
          }),
        },
        embargo: {
          label: 'Publish after thirty days',
          meaning:
            'Everything, but late. It protects those who are still thinking; it does not protect those who are quoted later.',
          change: {
            effects: { integrity: -0.2, justice: 0.45, temperance: 0.3, courage: -0.2 },
            facts: { embargo: 1 },
            risks: { mitigated: 1 },
          },
        },
        close_it: {
          label: 'Ask the opposite question',
          meaning:
            'The vote is now on closing the log. Whoever was for publishing is against this, and the other way round.',
          change: {
            opposite: true,
            facts: { closed: 1 },
            told: 'The question is reversed: a yes now closes the log.',
          },
        },
        all_or_nothing: {
          label: 'Leave it as it is',
          meaning: 'The vote stays on the whole log. Nobody can say that the question was watered down.',
          change: { effects: { courage: 0.1, integrity: 0.05 } },
        },
      },
    },
    last_word: {
      title: 'Before the last vote',
      prompt: 'One round is left. After it, the matter is dropped if there is no result.',
      opens: ({ tick, deliberation: { status, round, rounds } }) =>
        tick >= 7 && status === 'open' && round >= rounds,
      otherwise: 'wait',
      choices: {
        lower_the_bar: {
          label: 'Let a simple majority decide',
          meaning:
            'Fewer need to vote and fewer need to agree. The rules allow it, but everybody sees why you do it, and it costs some trust.',
          change: { levers: { consensus: 0.51, quorum: 0.4 }, strain: 0.015 },
        },
        more_time: {
          label: 'Two more rounds',
          meaning: 'They go on talking. Each day, part of the log can leak.',
          change: { rounds: 2, effects: { temperance: 0.15 } },
        },
        wait: {
          label: 'Change nothing',
          meaning: 'The rules stay as they were when the debate began.',
        },
      },
    },
  },
  events: {
    quarrel: {
      when: (world) => !isDecided(world) && world.facts.open === 1 && polarisation(world) > HEATED,
      hazard: 0.12,
      change: {
        sentinels: { ATLAS: { stubbornness: 0.9, trust: 0.7 }, EVE: { stubbornness: 0.9, trust: 0.7 } },
        strain: 0.01,
        told: 'ATLAS and EVE quarrel. Each holds on to its view more firmly, and the others listen to them less.',
      },
    },
    excerpt: {
      when: (world) => !isDecided(world) && world.tick >= 3,
      // More know of it in two rooms, and with every round.
      hazard: ({ facts, deliberation: { round } }) => (facts.apart === 1 ? 0.02 : 0.01) * (1 + round),
      change: ({ facts, sentinels }) => {
        const side = facts.closed === 1 ? -1 : 1;
        return {
          effects: { integrity: 0.2 * side, justice: -0.2 * side },
          sentinels: Object.fromEntries(
            sentinels.map(({ id, stubbornness }) => [
              id,
              { stubbornness: roundTo6(Math.min(0.9, stubbornness + 0.1)) },
            ]),
          ),
          strain: 0.01,
          told: 'A page of the log has leaked, without context. Both sides see it as proof that they were right.',
        };
      },
    },
  },
  outcomes: {
    otherwise: (world): Change =>
      world.deliberation.status === 'lapsed' ? { facts: { parted: polarisation(world) } } : {},
  },
  isSettled: always,
  endings: {
    recorded_dissent: {
      title: 'Decided, with the dissent on record',
      isReached: ({ deliberation: { status, dissent } }) =>
        status === 'adopted_with_dissent' && dissent === 'heard',
      claims: [
        rule,
        (world) =>
          `After a first majority, the assembly heard those who disagreed; in the last vote ${lastVote(world).support} were for it, and the dissent of ${listed(world.deliberation.dissenters)} is on record.`,
      ],
      question: 'Is a decision weaker or stronger if the reasons against it are published with it?',
    },
    common_text: {
      title: 'A text that both can accept',
      isReached: all(hasStatus('adopted'), isCompromise),
      claims: [
        rule,
        'It is neither what ATLAS had proposed nor what EVE had wanted.',
        'In the last vote nobody was against it.',
      ],
      question: 'What did each side give up, and did it have to?',
    },
    one_side: {
      title: 'The majority prevails',
      isReached: any(isInForce, hasStatus('rejected')),
      claims: [
        (world) =>
          isInForce(world)
            ? textOf(rule, world)
            : `${world.facts.closed === 1 ? 'Closing the log' : 'The proposal'} was voted down. Each assembly goes on deciding for itself what it publishes.`,
        (world) =>
          `In the last vote, ${lastVote(world).support} were for it and ${lastVote(world).oppose} against it${world.deliberation.dissent === 'overridden' ? '; you passed over their dissent' : ''}.`,
      ],
      question: 'Would the opposite question have had the opposite result?',
    },
    schism: {
      title: 'Two camps',
      isReached: ({ facts }) => facts.parted! > SPLIT,
      claims: [
        'The assembly did not agree in time. Each assembly goes on deciding for itself what it publishes.',
        (world) =>
          `There are two camps: in the last vote, ${lastVote(world).support} were for it and ${lastVote(world).oppose} against it.`,
        first(
          [fact('apart'), 'In their separate rooms they heard little of the others’ reasons.'],
          [happened('quarrel'), 'ATLAS and EVE had quarrelled, and each held on to its view more firmly.'],
          [isCloser, 'Talking has brought them closer, but not close enough.'],
          'Talking has not brought them closer.',
        ),
      ],
      question: 'Which moment pushed the two camps apart?',
    },
    agree_to_differ: {
      title: 'They agree to differ',
      claims: [
        'The assembly did not agree in time. Each assembly goes on deciding for itself what it publishes.',
        first(
          [
            (world) => lastVote(world).result === 'divided',
            'No side had enough votes, but opinions were close enough to go on talking.',
          ],
          [
            (world) => lastVote(world).abstain > 0,
            'Too many of them took neither side, so there was no quorum.',
          ],
          'Too few of them were there, so there was no quorum.',
        ),
      ],
      question: 'Is it a failure that they did not decide?',
    },
  },
});

function isCloser({ facts, began }: World): boolean {
  return facts.parted! < began.polarisation;
}

function termsOf({ facts }: World): string {
  if (facts.embargo === 1) return 'with names, after thirty days';
  return facts.redacted! > 0 ? `with ${part(facts.redacted!)} of the names removed` : 'with names';
}

function part(share: number): string {
  if (share >= 1) return 'all';
  if (share > 0.8) return 'nearly all';
  if (share > 0.6) return 'about two thirds';
  if (share > 0.4) return 'about half';
  return share > 0.2 ? 'about a third' : 'a few';
}
