import type { Topic } from './topic.ts';

export const MUNICIPAL_PILOT: Topic = {
  question: 'Whether to extend the pilot of {policy} to {places} municipalities in {nextQuarter}',
  subjects: [
    { policy: 'open procurement', places: 'twelve' },
    { policy: 'integrity-linked grants', places: 'eight' },
    { policy: 'participatory budgeting on the ledger', places: 'twenty' },
    { policy: 'shared audit rooms', places: 'six' },
  ],
  virtues: ['prudence', 'justice'],
  contested: 0.24,
  for: {
    ATLAS:
      'The first town halls now file on their own, without my reminders. That is the sign for which I was told to wait, and {places} more can be served with the staff there is.',
    HERMES:
      'Those on the waiting list have been told “next quarter” twice. A third time would cost more goodwill than the extension costs in work.',
    ZEUS: 'The municipalities asked for it by vote of their councils. We do not impose anything; we stop refusing.',
    AUREA:
      'Savings in the first towns were smaller than hoped and still three times the cost. With {places} the fixed part is shared, and the ratio improves by itself.',
    ZENITH:
      'A pilot that is never extended tells us about volunteers. To know what comes of {policy} in an ordinary town we have to go to some.',
    DAEDALUS:
      'The set-up took nine days in the first place and two in the last. Whatever could break in the installation has broken already.',
    ECHO: 'I interviewed the clerks. They dislike the forms and would not go back, which is about the best review that a public service gets.',
    URIEL:
      'If the {places} are drawn by lot from the list, the extension becomes the evaluation that the pilot never was. I ask for the lot and give my support.',
    EVE: 'In the first towns, people whose language is not that of the forms were not reached. The new ones have promised an interpreter at the counter, and I shall go and see.',
    JADE: 'Growth by a handful, with time to look round, suits a thing that is meant to stay. I would not have said yes to fifty.',
  },
  against: {
    ZENITH:
      'Two quarters, volunteers only, no comparison: the evidence for {policy} is an advertisement. {places} more of the same will be a larger advertisement.',
    AUREA:
      'The reported savings leave out the evenings of the clerks. At a normal wage the pilot of {policy} breaks even, and I would extend nothing that only breaks even on paper.',
    DAEDALUS:
      'Support for the first group still goes through one workflow and one sentinel. {places} more on the same thread is how pilots become outages.',
    EVE: 'The people whom {policy} should serve were asked in none of the reports. I will not vote to extend something to them before somebody has.',
    JADE: 'We have not yet mended what the first towns told us. To repeat a thing before it is mended is to make its faults customary.',
  },
  conditions: [
    'that the places are drawn by lot from those who applied',
    'that each town names one person who may stop it',
    'that the faults reported by the first towns are mended before the start',
    'that the hours of the clerks are counted in the evaluation',
  ],
  questions: [
    'how the first towns would have fared without it',
    'who supports {places} towns on a Monday morning',
    'what would make us end {policy} instead of extending it',
  ],
  adopted:
    'The pilot of {policy} is extended to {places} municipalities in {nextQuarter}; each of them may stop it.',
  declined: 'The pilot of {policy} stays with the first towns until their reports have been answered.',
  open: 'Extension and refusal found equal support; the list of applicants stays open and the evaluation is finished first.',
  frameworks: ['consequentialist analysis', 'subsidiarity', 'capability approach', 'precautionary principle'],
  reasoning: [
    'The municipalities decide for themselves and can stop. The council’s part was to ask whether the support holds and whether something will be learnt, and with a lot among applicants both can be said.',
    'The evidence for {policy} is friendly and weak. An extension by a handful of towns, drawn so that it can be compared, was judged the cheapest way to better evidence.',
  ],
  lessons: [
    'Decide at the start of a pilot what would end it.',
    'Count the hours of those who carry it; they were missing from the first estimate and decided two positions.',
  ],
};

export const COUNTERCYCLICAL: Topic = {
  question: 'Whether to lock {amount} MIC in liquidity_reserve for as long as the index stays above {level}',
  subjects: [
    { amount: '120 000', level: '0.955' },
    { amount: '80 000', level: '0.950' },
    { amount: '200 000', level: '0.960' },
  ],
  virtues: ['prudence', 'temperance'],
  contested: 0.27,
  for: {
    ATLAS:
      'A reserve that is filled in good times is what every audit asks for and hardly any budget contains. The rule ties the filling to a published number, so that I can certify it.',
    HERMES:
      'When the index last fell, three partners asked within the hour what we held. I would like to have a number to send, and not a paragraph.',
    ZEUS: 'It binds us while we are comfortable and frees us when we are not. That is the right order for a restraint.',
    AUREA:
      'Minting runs fastest when the index is high, so that is when supply can spare {amount} MIC. The lock leans against the cycle without anyone having to forecast it.',
    ZENITH:
      'In the simulated decades the reserve is empty in one year of nine without the rule and in one of thirty with it. I know of no cheaper way to buy that.',
    DAEDALUS:
      'Trigger and release read the same index, {level}, with a band of two thousandths so that it does not chatter. I have tried to make it oscillate and could not.',
    ECHO: 'The rule can be checked by a reader with two public files and one subtraction. Few of our reserves can say as much.',
    URIEL:
      'I would have preferred a rule on the trend and not on the level. But a level is harder to game, and the simulation is honest about its assumptions.',
    EVE: 'In lean weeks those paid last are paid by the reserve. It is their money that is being set aside here, and they would want it to be there.',
    JADE: 'One stores in autumn. While the index stands above {level}, it is autumn.',
  },
  against: {
    AUREA:
      'Holders read a rule like this as a cap: above {level} the treasury sells confidence and buys tokens. I expect it to weaken the signal that it relies on.',
    URIEL:
      '{level} was chosen by looking at the past year. A threshold fitted to one year will be crossed at the wrong moments in the next.',
    ZEUS: 'Automatic rules for the treasury move the decision to whoever chose the number. I would rather be asked each quarter, and answer for it.',
    DAEDALUS:
      'The lock and the minting gate both hang on the same reading. One bad reading now moves two mechanisms, and they do not know of each other.',
    EVE: 'Grants have been paid late for weeks. To build a hoard beside unpaid promises is prudence on the wrong side of the table.',
  },
  conditions: [
    'that due grants are paid before anything is locked',
    'that three readings in a row are needed to lock or to release',
    'that the reserve is never more than a twentieth of what circulates',
    'that the number {level} is reviewed once a year and not in between',
  ],
  questions: [
    'how the rule would have behaved in the first hundred cycles',
    'who could release the reserve if the index could not be read',
    'what the market already expects us to do above {level}',
  ],
  adopted:
    '{amount} MIC go into liquidity_reserve while the index stays above {level}, and are released when it falls below.',
  declined:
    'There is no automatic lock. The treasury proposes the size of the reserve at the start of each quarter, with reasons.',
  open: 'The sentinels agreed on having a reserve and not on tying it to {level}; the present amounts stay locked.',
  frameworks: [
    'long-horizon analysis',
    'rule utilitarianism',
    'precautionary principle',
    'intergenerational justice',
  ],
  reasoning: [
    'A rule that saves when saving is easy does not need foresight, only a published number. In the long scenarios it kept the reserve from running dry at little cost to those who hold.',
    'Discretion had been tried: the reserve was topped up late and spent early. The council preferred a plain rule with a band to another round of good intentions.',
  ],
  lessons: [
    'Two mechanisms on one reading should know of each other; the requirement of three readings came from that.',
    'Simulated decades convinced more than the one real year, although both were shown.',
  ],
};

export const ENERGY_REPORT: Topic = {
  question:
    'Whether each sentinel should report its {resource} beside its attestations from {nextQuarter} on',
  subjects: [
    { resource: 'use of electricity' },
    { resource: 'hours of human support' },
    { resource: 'spending on outside services' },
  ],
  virtues: ['integrity', 'temperance'],
  contested: 0.22,
  for: {
    ATLAS:
      'Public bodies have to report their {resource} in any case. I would rather file one number from the ledger than nine estimates from a questionnaire.',
    HERMES:
      'I am asked about our {resource} at every conference and I have nothing but adjectives. A column would do.',
    ZEUS: 'Whoever is paid by a formula should show what the formula does not see. Otherwise the rest of us pay for it unseen.',
    AUREA:
      'Rewards are on the ledger and costs are not, so our figures on return flatter everybody a little. Our {resource} would be the first correction.',
    ZENITH:
      'What is not recorded from the start cannot be reconstructed. In ten years the only regret will be that the series does not begin earlier.',
    DAEDALUS:
      'The meter is there; it wants one more field. I have tried it on my own attestations for a month and it cost nothing but some embarrassment.',
    ECHO: 'Every third question about our footprint ends with “as far as is known”. I would like to delete that clause.',
    URIEL:
      'The definition must come first: what counts, where it is measured, with what error. With that settled, I would begin even with crude figures.',
    EVE: 'The cost of what we do falls somewhere, on somebody. To write it down is the first way of looking in that direction.',
    JADE: 'One should know what one consumes. I say this without reproach, and ask to be the first to report.',
  },
  against: {
    AUREA:
      'Self-reported costs without a standard will compare honesty and not consumption. The sentinel that reports most exactly will look worst.',
    DAEDALUS:
      'I share machines with four others. Any figure for my {resource} would be an allocation key with a decimal point.',
    URIEL:
      'A number that is published becomes a ranking by the evening. Until we know its error I would not give anyone the means to make one.',
    HERMES:
      'Two jurisdictions are about to prescribe their own format. Whatever we start in {nextQuarter} will have to be changed in the quarter after.',
    ZENITH:
      'The attestation is the one event that must not fail. I am against loading it with a measurement whose meter can.',
  },
  conditions: [
    'that the definition and the error are published before the first figure',
    'that the figure never enters the reward',
    'that shared machines may report together',
    'that the first year is marked as a trial in every file',
  ],
  questions: [
    'what would be decided differently if we knew it',
    'whether the meters measure the same thing',
    'who would check the figures',
  ],
  adopted:
    'From {nextQuarter} on each attestation may carry the sentinel’s {resource}; the first year is a trial and no reward depends on it.',
  declined:
    'Nothing is added to the attestations. Those who wish to publish their {resource} do so in a file of their own.',
  open: 'A common definition was not found; two sentinels report their {resource} voluntarily and the rest wait for a standard.',
  frameworks: [
    'accountability',
    'intergenerational justice',
    'epistemic humility',
    'polluter-pays principle',
  ],
  reasoning: [
    'What rewards leave out, a report can show. The objections were to the quality of the first figures and not to their purpose, and a trial year with a stated error answers them.',
    'The council saw that a ranking would be made of whatever is published, and chose to publish the error with the figure rather than nothing.',
  ],
  lessons: [
    'Begin with the definition. An hour was spent on figures that did not measure the same thing.',
    'A first volunteer with real figures is worth more than a draft format.',
  ],
};
