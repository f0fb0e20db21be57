/** A step of a lesson. */
export interface Phase {
  minutes: number;
  title: string;
  does: string;
  says?: string;
  material?: string;
}

export interface LessonPlan {
  /** Total; the sum of the phases. */
  minutes: 45 | 90;
  phases: readonly Phase[];
}

export interface Lesson {
  name: string;
  title: string;
  subjects: readonly string[];
  goal: string;
  /** Scenarios that suit it, by name; the plans are written for the first. */
  scenarios: readonly string[];
  plans: readonly [LessonPlan, LessonPlan];
}

const HAND_OUT: Phase = {
  minutes: 5,
  title: 'Story and question',
  does: 'Hand out the pupil’s sheet. Read the story aloud. Collect two answers to the questions “before you play”; do not discuss them yet.',
  says: 'Ten advisers have to answer one question. You do not vote. You decide how they debate, what the text says, and what is done about it.',
  material: 'pupil’s sheet, page 1 of the scenario’s sheets',
};

const PREDICT: Phase = {
  minutes: 5,
  title: 'Predict',
  does: 'Everybody writes a prediction on the sheet, alone, before any screen is on. Then pairs compare.',
  says: 'Write down what the ten will decide, and what it will cost. One sentence each. You may be wrong; you may not be vague.',
  material: 'pupil’s sheet: “My prediction”',
};

const SPLIT_RULE =
  'The left half of the room takes the first of the two choices under “Compare in class”, the right half the second. All other decisions are free.';

export const LESSONS: readonly Lesson[] = [
  {
    name: 'deliberation',
    title: 'How groups decide',
    subjects: ['ethics', 'civics', 'politics', 'philosophy'],
    goal: 'Pupils explain how the rules of a debate, and not only its arguments, shape what a group decides, and they separate what the model shows from what they believe.',
    scenarios: ['moral_dilemma', 'sentinel_disagreement', 'emergency_protocol_activation', 'model_drift'],
    plans: [
      {
        minutes: 45,
        phases: [
          HAND_OUT,
          PREDICT,
          {
            minutes: 12,
            title: 'Play',
            does: `Pairs open the assignment link. ${SPLIT_RULE} Walk round; ask pairs for the reason before they press.`,
            says: 'One of you gives the reason, the other writes it down. Then you choose. Do not cross anything out afterwards.',
            material: 'one device per pair, assignment link; pupil’s sheet: “My decisions”',
          },
          {
            minutes: 8,
            title: 'Compare',
            does: 'Draw two columns on the board, one for each half. Each pair calls out its ending; tally. Then show the table on the teacher’s sheet.',
            says: 'These are 200 players who chose everything else at random. Where is our class different, and why?',
            material: 'board; teacher’s sheet: “Compare in class”',
          },
          {
            minutes: 7,
            title: 'Explain',
            does: 'One pair from each half shows its run on the projector: the decision that the halves took differently, and which sentinels moved after it.',
            says: 'Who changed their opinion after this choice, and who did not? What do those who did not move have in common?',
            material: 'projector; the pairs’ links',
          },
          {
            minutes: 8,
            title: 'Debrief',
            does: 'Ask the three debrief questions in order, then one question that belongs to an ending the class has reached. Pupils finish the sheet at home.',
            says: 'What happened? Why did it happen? What is left out?',
            material: 'teacher’s sheet: debrief questions and questions by ending',
          },
        ],
      },
      {
        minutes: 90,
        phases: [
          { ...HAND_OUT, minutes: 8 },
          { ...PREDICT, minutes: 7 },
          {
            minutes: 15,
            title: 'Play',
            does: `Pairs open the assignment link. ${SPLIT_RULE} Walk round; ask pairs for the reason before they press.`,
            says: 'One of you gives the reason, the other writes it down. Then you choose. Do not cross anything out afterwards.',
            material: 'one device per pair, assignment link; pupil’s sheet: “My decisions”',
          },
          {
            minutes: 10,
            title: 'Compare',
            does: 'Tally the endings of the two halves on the board. Then show the table on the teacher’s sheet.',
            says: 'These are 200 players who chose everything else at random. Where is our class different, and why?',
            material: 'board; teacher’s sheet: “Compare in class”',
          },
          {
            minutes: 15,
            title: 'Argue',
            does: 'Form groups of four, two pairs from each half. Each side explains why its choice was right, for two minutes without interruption. Then each side says what was strongest in the other’s case.',
            says: 'First be fair to the other side. Then disagree.',
            material: 'pupil’s sheet: the reasons that were written down',
          },
          {
            minutes: 15,
            title: 'Play again',
            does: 'Each pair plays the same seed again and changes exactly one decision. It writes a prediction first.',
            says: 'Change one thing only. Otherwise you will not know what made the difference.',
            material: 'assignment link; a new pupil’s sheet, or the back of the first',
          },
          {
            minutes: 8,
            title: 'Explain',
            does: 'Two pairs whose ending changed and one whose ending did not show both runs on the projector.',
            says: 'What did the decision move: the opinions, the text, or the time that was left?',
            material: 'projector; the pairs’ links',
          },
          {
            minutes: 12,
            title: 'Debrief',
            does: 'Ask the three debrief questions, then a question for each of two endings that were reached. Close with one minute of writing.',
            says: 'Write one sentence that is true of the model, and one that you believe of people. Underline the one for which you have evidence.',
            material: 'teacher’s sheet: debrief questions and questions by ending',
          },
        ],
      },
    ],
  },
  {
    name: 'economics',
    title: 'Who gains, who pays',
    subjects: ['economics', 'social studies', 'politics'],
    goal: 'Pupils compare a policy with what would have happened without it, name who gains and who pays, and read a table of results without taking it for a law.',
    scenarios: ['cathedral_multiplier_proposal', 'conflicting_incentives', 'economic_failure_cascade'],
    plans: [
      {
        minutes: 45,
        phases: [
          HAND_OUT,
          {
            ...PREDICT,
            does: 'Everybody writes a prediction on the sheet, alone: will it be adopted, who gains, who pays? Then pairs compare.',
            says: 'Write down who will have more at the end, and who will have less. If you think that nobody has less, say where the rest comes from.',
          },
          {
            minutes: 12,
            title: 'Play',
            does: `Pairs open the assignment link. ${SPLIT_RULE} Ask pairs to watch the picture of the economy, and to note what moves it.`,
            says: 'Before each choice, say who pays for it. Write the name down, then choose.',
            material: 'one device per pair, assignment link; pupil’s sheet: “My decisions”',
          },
          {
            minutes: 10,
            title: 'Compare',
            does: 'Tally endings for each half on the board. Then show the table on the teacher’s sheet. Ask two pairs with different endings for their total of MIC at the end.',
            says: 'More than at the start is not yet an effect. More than without your decisions: that is one.',
            material: 'board; teacher’s sheet: “Compare in class”',
          },
          {
            minutes: 6,
            title: 'Explain',
            does: 'One pair shows on the projector which of its choices changed the money, and which changed only the debate.',
            says: 'Which line on the screen would look the same if you had done nothing?',
            material: 'projector; the pair’s link',
          },
          {
            minutes: 7,
            title: 'Debrief',
            does: 'Ask the three debrief questions in order, then one that belongs to an ending the class has reached.',
            says: 'Which cost did nobody in your run have to justify?',
            material: 'teacher’s sheet: debrief questions and questions by ending',
          },
        ],
      },
      {
        minutes: 90,
        phases: [
          {
            ...HAND_OUT,
            minutes: 8,
            does: 'Half of the class gets the sheet of the first scenario of this lesson, half that of another. Each half reads its story and collects answers to the questions “before you play”.',
            material: 'pupil’s sheets of two scenarios',
          },
          {
            ...PREDICT,
            minutes: 7,
            does: 'Everybody writes a prediction on the sheet, alone: what will be decided, who gains, who pays? Then pairs compare.',
          },
          {
            minutes: 15,
            title: 'Play',
            does: 'Pairs open the link of their scenario and play it to the end, with reasons on the sheet.',
            says: 'Before each choice, say who pays for it. Write the name down, then choose.',
            material: 'one device per pair, two assignment links; pupil’s sheet: “My decisions”',
          },
          {
            minutes: 12,
            title: 'Compare within a scenario',
            does: 'Each half tallies its endings, sorted by the two choices under “Compare in class”, and checks them against the table on the teacher’s sheet.',
            says: 'Your tally has a dozen runs, the table has two hundred for each choice. Which differences would you bet on?',
            material: 'teacher’s sheets of both scenarios',
          },
          {
            minutes: 15,
            title: 'Teach each other',
            does: 'Pairs from the two halves sit together. Each explains its scenario, its costliest decision and who paid, in five minutes. The listeners ask: compared with what?',
            says: 'Whoever listens has one question, as often as needed: compared with what?',
            material: 'both pupil’s sheets',
          },
          {
            minutes: 15,
            title: 'Play again',
            does: 'Each pair goes back to its own scenario and tries to keep the benefit and lower the cost, with the same seed. It writes a prediction first.',
            says: 'Change as little as possible. Write down what you expect to lose.',
            material: 'assignment link; back of the sheet',
          },
          {
            minutes: 6,
            title: 'Explain',
            does: 'Pairs that succeeded and pairs that did not show the decisive moment on the projector.',
            material: 'projector; the pairs’ links',
          },
          {
            minutes: 12,
            title: 'Debrief',
            does: 'Ask the three debrief questions. Then let the class name a policy from the news and say which comparison would be needed to judge it.',
            says: 'What would “the run without the change” be in real life, and how could anybody know it?',
            material: 'teacher’s sheet: debrief questions and questions by ending',
          },
        ],
      },
    ],
  },
  {
    name: 'modelling',
    title: 'Inside a model',
    subjects: ['mathematics', 'computer science', 'research methods'],
    goal: 'Pupils compute one step of the model by hand, test a claim about a parameter with many runs, and say what such a test can and cannot show.',
    scenarios: ['sentinel_disagreement', 'moral_dilemma', 'model_drift'],
    plans: [
      {
        minutes: 45,
        phases: [
          {
            minutes: 5,
            title: 'What a model is',
            does: 'Write on the board: new opinion = mostly what I hear + a little what I think myself. Ask what must be known to turn it into numbers.',
            says: 'A model is a claim that this is enough. By the end of the lesson you will know how much “this” is.',
            material: 'board',
          },
          {
            minutes: 17,
            title: 'One tick by hand',
            does: 'Pairs fill in the sheet with a calculator or a spreadsheet. Step 1 alone, steps 2 and 3 in pairs. Give out the solution after fifteen minutes.',
            says: 'Write four decimals. If your shares do not add up to 1, look there first.',
            material: 'sheet “One tick by hand”, calculator; solution on its second page',
          },
          {
            minutes: 5,
            title: 'Compare with the machine',
            does: 'Open the run of the sheet on the projector, advance by one tick, and read the opinion.',
            says: 'The computer does exactly what you did, ten times a tick. It does not know anything else.',
            material: 'projector; link on the sheet',
          },
          {
            minutes: 10,
            title: 'Predict and test',
            does: 'Each pair picks one parameter, predicts in which direction it moves the endings, and runs a batch of 200 seeds before and after in the laboratory.',
            says: 'Say first: when I raise this, that will fall. Then press.',
            material: 'laboratory; one device per pair',
          },
          {
            minutes: 8,
            title: 'Debrief',
            does: 'Collect results in the form “when … rises, … falls; … hardly matters”. Then ask the three debrief questions.',
            says: 'What have you found out about the model, and what about people?',
            material: 'board',
          },
        ],
      },
      {
        minutes: 90,
        phases: [
          {
            minutes: 8,
            title: 'What a model is',
            does: 'Write on the board: new opinion = mostly what I hear + a little what I think myself. Ask what must be known to turn it into numbers; collect until weights, shares and stubbornness are named.',
            says: 'A model is a claim that this is enough. By the end of the lesson you will know how much “this” is.',
            material: 'board',
          },
          {
            minutes: 20,
            title: 'One tick by hand',
            does: 'Pairs fill in the sheet with a calculator or a spreadsheet. Step 1 alone, steps 2 and 3 in pairs. Give out the solution after fifteen minutes.',
            says: 'Write four decimals. If your shares do not add up to 1, look there first.',
            material: 'sheet “One tick by hand”, calculator; solution on its second page',
          },
          {
            minutes: 12,
            title: 'Play once',
            does: 'Pairs play the scenario to the end and note which decision they think mattered.',
            says: 'You now know the arithmetic. Write down what you still did not foresee.',
            material: 'one device per pair, assignment link; pupil’s sheet',
          },
          {
            minutes: 10,
            title: 'Hypotheses',
            does: 'Groups of four take one parameter each: stubbornness, reach, kinship, quorum or consensus. They write a hypothesis and what result would refute it.',
            says: 'If no result could prove you wrong, it is not a hypothesis yet.',
            material: 'page of the model: table of parameters',
          },
          {
            minutes: 18,
            title: 'Batches',
            does: 'Each group runs batches of 200 seeds at three values of its parameter, everything else unchanged, saves the CSV files and draws the shares of endings.',
            says: 'One thing at a time, the same seeds every time. That is what makes it an experiment.',
            material: 'laboratory; spreadsheet',
          },
          {
            minutes: 12,
            title: 'Report',
            does: 'Each group reports in ninety seconds: hypothesis, picture, verdict, one surprise.',
            says: 'Tell us the result that you did not want.',
            material: 'projector; the groups’ pictures and links',
          },
          {
            minutes: 10,
            title: 'Debrief',
            does: 'Ask the three debrief questions. Then: how could one test whether people behave like this? Use the section on evidence.',
            says: 'A thousand more runs would not answer that. What would?',
            material: 'this page: “What is known, and what is not”',
          },
        ],
      },
    ],
  },
];

/** The phases with the minutes in which they begin and end. */
export function timed({ phases }: LessonPlan): (Phase & { from: number; to: number })[] {
  let to = 0;
  return phases.map((phase) => {
    const from = to;
    to += phase.minutes;
    return { ...phase, from, to };
  });
}
