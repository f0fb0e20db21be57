import { polarisation } from '../opinions.ts';
import { isInForce, type Scenario } from '../scenario.ts';

/** Above this polarisation the two camps no longer hear each other. */
const SPLIT = 0.03;

export const SENTINEL_DISAGREEMENT: Scenario = {
  name: 'sentinel_disagreement',
  title: 'Two sentinels who do not agree',
  story: [
    'ATLAS wants the raw log of every deliberation published: who said what, and when. EVE wants it closed: who speaks for the weak, she says, has to be able to think aloud.',
    'Both have reasons, both are listened to by their own, and neither of them gives way easily. The rest of the assembly stands between them, for now.',
    'You moderate. How they talk is in your hands; what they conclude is not.',
  ],
  question: 'Shall the raw log of deliberations be published?',
  lesson:
    'In the model of Friedkin and Johnsen stubbornness keeps a disagreement alive for ever, and that need not be a failure: the question is whether the assembly can decide with it, or only without it.',
  effects: { integrity: 0.36, temperance: -0.14, justice: -0.42, prudence: 0.14, courage: 0.02 },
  start: {
    sentinels: {
      ATLAS: { stubbornness: 0.75, trust: 1.6 },
      EVE: { stubbornness: 0.8, trust: 1.8 },
    },
    levers: { kinship: 1, reach: 0.2, quorum: 0.6 },
    risks: { known: 2 },
  },
  roundTicks: 6,
  rounds: 3,
  horizon: 32,
  decisions: [
    {
      name: 'format',
      title: 'How they talk',
      prompt: 'There are several ways to hold a debate between two who have made up their minds.',
      opens: ({ tick }) => tick >= 1,
      within: 4,
      otherwise: 'open_debate',
      choices: [
        {
          name: 'open_debate',
          label: 'An open debate',
          meaning: 'Everybody listens to whom they always listen to.',
          change: {},
        },
        {
          name: 'argue_the_other_side',
          label: 'Each argues the other side',
          meaning: 'Who has had to say the other’s reasons holds on to its own less.',
          change: {
            sentinels: { ATLAS: { stubbornness: 0.4 }, EVE: { stubbornness: 0.4 } },
            levers: { reach: 0.5, kinship: 0.2 },
          },
        },
        {
          name: 'separate_rooms',
          label: 'Separate rooms',
          meaning: 'Each camp prepares by itself. It is calm there.',
          change: { levers: { reach: 0.08, kinship: 2.5 }, facts: { apart: 1 } },
        },
      ],
    },
    {
      name: 'text',
      title: 'The text',
      prompt: 'Between “all” and “nothing” there are texts that can be written.',
      opens: ({ tick }) => tick >= 7,
      within: 4,
      otherwise: 'all_or_nothing',
      choices: [
        {
          name: 'redact',
          label: 'Publish with names redacted',
          meaning: 'The more is redacted, the less it is the truth, and the fewer it hurts.',
          parameters: {
            share: {
              kind: 'number',
              minimum: 0,
              maximum: 1,
              default: 0.5,
              meaning: 'share of the names that are redacted',
            },
          },
          change: ({ share }) => ({
            effects: { integrity: -0.18 * Number(share), justice: 0.5 * Number(share), temperance: 0.1 },
            facts: { redacted: Number(share) },
            risks: { mitigated: 1 },
          }),
        },
        {
          name: 'embargo',
          label: 'Publish after thirty cycles',
          meaning:
            'Everything, later. Waiting costs little and protects those who are in the middle of a thought.',
          change: {
            effects: { integrity: -0.05, justice: 0.25, temperance: 0.25, courage: -0.1 },
            facts: { embargo: 1 },
            risks: { mitigated: 1 },
          },
        },
        {
          name: 'close_it',
          label: 'Ask the opposite question',
          meaning: 'Put a text to the vote that publishes nothing but the outcome.',
          change: {
            effects: { integrity: -0.3, justice: -0.1, prudence: -0.25, courage: -0.2 },
            facts: { closed: 1 },
          },
        },
        { name: 'all_or_nothing', label: 'Leave it as it is', meaning: 'The raw log, whole.', change: {} },
      ],
    },
    {
      name: 'last_word',
      title: 'Before the last vote',
      prompt: 'There is one round left, and you know by now how it will go.',
      opens: ({ tick, deliberation }) => tick >= 13 && deliberation.status === 'open',
      within: 3,
      otherwise: 'wait',
      choices: [
        {
          name: 'lower_the_bar',
          label: 'A simple majority',
          meaning:
            'Six of ten shall be enough. It is within the rules to say so, and everybody sees why you do.',
          change: { levers: { consensus: 0.55, quorum: 0.4 }, strain: 0.01 },
        },
        {
          name: 'more_time',
          label: 'More time',
          meaning: 'One more round.',
          change: { rounds: 1, effects: { temperance: 0.1 } },
        },
        { name: 'wait', label: 'Wait', meaning: 'They know what they do.', change: {} },
      ],
    },
  ],
  endings: [
    {
      name: 'recorded_dissent',
      title: 'Decided, with the dissent beside it',
      text: 'The log is published, and the first thing in it is the reason why somebody thought it should not be.',
      isReached: ({ deliberation }) => deliberation.status === 'adopted_with_dissent',
    },
    {
      name: 'common_text',
      title: 'A text that both can sign',
      text: 'What was adopted is not what either of them had proposed. Nobody dissents: they have found out what they were both afraid of.',
      isReached: (world) => isInForce(world) && (world.facts.redacted ?? world.facts.embargo ?? 0) > 0,
    },
    {
      name: 'one_side',
      title: 'One side prevails',
      text: 'The assembly has followed one of the two, without a change of the text. It was a fair vote.',
      isReached: (world) => isInForce(world) || world.deliberation.status === 'rejected',
    },
    {
      name: 'schism',
      title: 'Two assemblies',
      text: 'There was no decision, and there are two camps who have stopped to answer each other. The next matter will find them where this one has left them.',
      isReached: (world) => polarisation(world) > SPLIT,
    },
    {
      name: 'agree_to_differ',
      title: 'They differ, and go on',
      text: 'There was no decision, and no breach either. The opinions came to rest where each one’s stubbornness holds it, close enough to talk.',
      isReached: () => true,
    },
  ],
};
