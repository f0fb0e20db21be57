import { days, type Sentences, type Story } from '../story.ts';

const PUBLISHED = /^(Everybody has been told|The correction is published)/;
const IN_STAGES = /^Everybody has been told, those who could lose most/;
const LEAK = /^It has leaked\./;
const REVISION = /^The yearly revision is out/;
const INQUIRY = /^An inquiry finds out/;

/** Days until all know; 0 if it is not told in stages. */
function stages(story: Story): number {
  return story.chose('stage_it') ? story.given('stage_it', 'cycles', 5) : 0;
}

/** 10 at first, 10 more if those whom it hits were asked, one more on each day of debate, three more on each day of stages. */
function whoKnow(story: Story, day: number): number {
  const told = story.isInForce && stages(story) > 0 ? 3 * Math.max(0, day - story.decided) : 0;
  return 10 + (story.chose('by_care') ? 10 : 0) + Math.min(day, story.decided) + told;
}

/** Whether a share of what circulated was burned on the day of the publication, beside what is burned every day. */
function isLost(story: Story, percent: string): boolean {
  const day = story.day(PUBLISHED);
  const before = story.last[day - 1]!.current_state.economy;
  const after = story.first[day]!;
  const daily = after.model.levers.burn_rate * after.current_state.economy.circulating;
  const lost = (after.current_state.economy.burned - before.burned - daily) / before.circulating;
  return Math.abs(100 * lost - Number(percent)) < 0.06;
}

const ANSWERS = new Map([
  ['You explained everything', 'explain'],
  ['You defended what had been done', 'defend'],
  ['You defended the delay', 'defend'],
  ['You said nothing more', 'say_nothing_more'],
  ['You said nothing about the delay', 'say_nothing_more'],
]);

export const MORAL_DILEMMA: Sentences = {
  inquiry: [
    [
      /^It (leaked|was published) on day (\d+)\.$/,
      (story, [, how, day]) =>
        story.day(how === 'leaked' ? LEAK : PUBLISHED) === Number(day) && story.saw(INQUIRY),
    ],
    [
      /^(You explained everything|You defended what had been done|You said nothing more), and an inquiry followed\.$/,
      (story, [, answer]) => story.saw(INQUIRY) && story.chose(ANSWERS.get(answer!)!),
    ],
  ],
  broken_silence: [
    [
      /^It leaked on day (\d+), when (\d+) people knew\.$/,
      (story, [, day, people]) =>
        story.day(LEAK) === Number(day) && whoKnow(story, Number(day)) === Number(people),
    ],
    [
      /^(You defended the delay|You said nothing about the delay)\.$/,
      (story, [, answer]) => story.saw(LEAK) && story.chose(ANSWERS.get(answer!)!),
    ],
    [/^So far nobody has looked into it\.$/, (story) => story.saw(LEAK) && !story.saw(INQUIRY)],
  ],
  late_candour: [
    [
      /^It leaked on day (\d+)\. Then you told everything yourself, and damages were paid\.$/,
      (story, [, day]) => story.day(LEAK) === Number(day) && story.chose('explain'),
    ],
    [
      /^The integrity index \(MII\), .*, is (above|below) the line from which MIC are minted\.$/,
      (story, [, side]) =>
        story.saw(LEAK) &&
        (side === 'above') === story.economy.mii >= story.economy.threshold &&
        story.economy.minting_active === (side === 'above' && story.lever('mint_share') > 0),
    ],
  ],
  truth_with_care: [
    [
      /^It took (.+) from the decision until everybody knew, and those who could lose most knew first\.$/,
      (story, [, time]) =>
        story.day(IN_STAGES) - story.decided === days(time!) &&
        stages(story) === days(time!) &&
        !story.saw(LEAK),
    ],
    [
      /^In the run, ([\d.]+)% of the circulating MIC were lost\.$/,
      (story, [, share]) => stages(story) > 0 && isLost(story, share!),
    ],
  ],
  truth_and_run: [
    [
      /^Everybody was told in the same minute, on day (\d+)\.$/,
      (story, [, day]) => story.day(PUBLISHED) === Number(day) && !story.saw(IN_STAGES),
    ],
    [
      /^In the run, ([\d.]+)% of the circulating MIC were lost\.$/,
      (story, [, share]) => stages(story) === 0 && isLost(story, share!),
    ],
  ],
  silence_holds: [
    [
      /^The figure was corrected in a footnote, and nobody has asked\.$/,
      (story) => story.saw(REVISION) && !story.saw(PUBLISHED) && !story.saw(LEAK),
    ],
    [
      /^(You had withdrawn the proposal|The assembly had voted against publishing|The assembly had not agreed in time)\.$/,
      (story, [, how]) =>
        story.saw(REVISION) &&
        (how === 'You had withdrawn the proposal'
          ? story.status === 'withdrawn' && story.chose('withhold')
          : how === 'The assembly had not agreed in time'
            ? story.status === 'lapsed'
            : story.status === 'rejected' && story.vote.result === 'rejected'),
    ],
    [
      /^Until then, those who relied on it lost a little each day, for (.+)\.$/,
      (story, [, time]) => story.saw(REVISION) && story.decided + 14 === days(time!),
    ],
  ],
};
