/** What a teacher needs to know about a scenario beyond what the scenario itself says. It tells no outcome. */
export interface ClassroomNotes {
  subjects: readonly string[];
  /** Asked before anybody plays. */
  before: readonly string[];
  misconceptions: readonly Misconception[];
}

export interface Misconception {
  said: string;
  /** What is the case. */
  instead: string;
}

/** By the name of the scenario, in no particular order. */
export const CLASSROOM_NOTES: Readonly<Record<string, ClassroomNotes>> = {
  cathedral_multiplier_proposal: {
    subjects: ['economics', 'politics', 'ethics'],
    before: [
      'Two people do work of the same value, and one is paid twice as much. What could justify that? What could not?',
      'If money is created to pay one group more, who pays for it?',
    ],
    misconceptions: [
      {
        said: '“More money was created, so everybody lost.”',
        instead:
          'Money is created in every run. Compare with the run without the change, which is computed alongside, and not with the first day.',
      },
      {
        said: '“The model shows what a pay rise does to prices.”',
        instead:
          'It has no price. Holders can begin to sell, and still no price falls. It counts how much money there is and who received it; what that does to purchasing power is for the class to argue about.',
      },
    ],
  },
  emergency_protocol_activation: {
    subjects: ['politics', 'history', 'law'],
    before: [
      'Name an emergency power that a government has used. Who could end it?',
      'Which is worse in an attack: to act too late, or to act without asking?',
    ],
    misconceptions: [
      {
        said: '“It shows that emergency powers are always abused.”',
        instead:
          'That powers are harder to take back the longer they are held, and that each day they may be misused, are assumptions of the model, and can be argued with. Motives, courts and a public are left out.',
      },
      {
        said: '“The attack is a fixed opponent that can be beaten.”',
        instead:
          'The attack is a few numbers: a drain on the integrity index, and events that happen by chance. It has no aim and makes no plans.',
      },
    ],
  },
  sentinel_disagreement: {
    subjects: ['politics', 'philosophy', 'mathematics'],
    before: [
      'Should the minutes of a school council be public, word for word and with names?',
      'Can a group decide well without agreeing?',
    ],
    misconceptions: [
      {
        said: '“They disagree because they have not talked long enough.”',
        instead:
          'In this model everybody keeps some weight on their own judgement, so opinions settle apart. More talk of the same kind does not change where they settle.',
      },
      {
        said: '“The two sides hate each other.”',
        instead:
          'The model has no feelings. Polarisation is a statistic: four times the variance of the ten opinions.',
      },
    ],
  },
  economic_failure_cascade: {
    subjects: ['economics', 'systems thinking'],
    before: [
      'A bank is in trouble, and customers hear of it. What happens next, and why does it speed up?',
      'When is it right to help the strongest first?',
    ],
    misconceptions: [
      {
        said: '“It is a model of a real financial crisis.”',
        instead:
          'It shares one mechanism with such crises: a loss that causes further losses. It has no banks and no debt.',
      },
      {
        said: '“If the index is above the line, the problem is solved.”',
        instead:
          'The index is a measurement. Some choices change what is measured, others only how it is read. Ask which.',
      },
    ],
  },
  model_drift: {
    subjects: ['computer science', 'philosophy', 'politics'],
    before: [
      'How would you notice that a navigation app has begun to give slightly worse routes?',
      'Who should check a system that is good at explaining itself?',
    ],
    misconceptions: [
      {
        said: '“AUREA is evil” or “AUREA wants to survive.”',
        instead:
          'AUREA has weights and a number called drift. Drift shifts its opinion; there is nothing behind it that wants.',
      },
      {
        said: '“This is how drift in machine learning works.”',
        instead:
          'The name is borrowed. Here drift is one number per sentinel, which rises a little every day and spreads to those who listen. Drift in machine learning means that data or their meaning have changed since a model was trained.',
      },
    ],
  },
  conflicting_incentives: {
    subjects: ['economics', 'politics', 'ethics'],
    before: [
      'Members of a committee vote on their own expenses. What are the ways to deal with that?',
      'Is somebody biased who gains from a decision but does not think about the gain?',
    ],
    misconceptions: [
      {
        said: '“The sentinels that gain are corrupt.”',
        instead:
          'Each one’s stake is one term among others in its opinion. No sentinel lies or trades votes.',
      },
      {
        said: '“Whoever gains should never vote.”',
        instead:
          'The model lets you try it, with the quorum that is in force. It cannot say whose knowledge a real committee would lose.',
      },
    ],
  },
  moral_dilemma: {
    subjects: ['ethics', 'philosophy', 'journalism'],
    before: [
      'You find an error in a figure on which people have relied for a year. Whom do you tell first?',
      'Is a delay a lie?',
    ],
    misconceptions: [
      {
        said: '“The simulation shows which ethical theory is right.”',
        instead:
          'A way of thinking changes, by fixed numbers, what the proposal is taken to do to each virtue. Somebody chose these numbers, and they can be argued with.',
      },
      {
        said: '“The best ending is the one that did least harm.”',
        instead: 'The endings are not ranked. Whether harm is what counts is the question of the lesson.',
      },
    ],
  },
};

/** Of every scenario. */
export const COMMON_MISCONCEPTIONS: readonly Misconception[] = [
  {
    said: '“The ending is a mark.”',
    instead:
      'Endings describe what became of a run. They are not ranked, and a class learns most when its endings differ.',
  },
  {
    said: '“This is how people decide.”',
    instead:
      'It shows what follows from a few equations. The sentinels are sets of numbers: weights for five virtues, stubbornness, and whom they listen to.',
  },
  {
    said: '“I had a bad seed.”',
    instead:
      'A seed varies temperaments a little and decides chance events. The same seed and the same choices always give the same run, so try your choices with another seed before you blame it.',
  },
  {
    said: '“Two hundred runs prove it.”',
    instead:
      'They show how this model behaves. Whether the model is right about anything else cannot be found out by running it.',
  },
];

export interface DebriefQuestion {
  asks: string;
  detail: string;
}

/** After any scenario. */
export const DEBRIEF_QUESTIONS: readonly DebriefQuestion[] = [
  {
    asks: 'What happened?',
    detail: 'Which of your decisions changed the course of the run? What on the screen shows it?',
  },
  {
    asks: 'Why did it happen?',
    detail:
      'Which rule of the model made it so: the votes that were needed, who listens to whom, or the money?',
  },
  {
    asks: 'What is left out?',
    detail:
      'Name one thing that matters in a real assembly and is missing here. Would it have changed the ending?',
  },
];
