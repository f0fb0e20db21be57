import { listed, type Sentences, type Story } from '../story.ts';

const BACK = /^AUREA is back online/;
const LOST = /^The audited state cannot be restored/;
const RELAPSE = /^AUREA drifts again/;
const FAILED = /^The retraining has failed/;
const RETRAINED = /^The retraining is done/;
const CHECKED = /^All sentinels have checked themselves/;
const CLAIMS = /^Users claim damages/;
const FOUND_OUT = /^Outsiders have compared/;
/** What AUREA’s drift is without pressure. */
const USUAL = '0.7';
/** A drift from which a sentinel is far from its baseline, and one below which it is close to it. */
const [FAR, CLOSE] = [3, 2];

/** Those who picked up AUREA’s drift and were not brought back. */
function caught(story: Story): string[] {
  if (story.saw(CHECKED)) return [];
  return ['ZENITH', 'DAEDALUS', 'HERMES'].filter((id) =>
    story.saw(new RegExp(`^${id} has begun to answer like AUREA`)),
  );
}

function isAt(story: Story, distance: string): boolean {
  const { drift } = story.sentinel('AUREA');
  return distance === (drift >= FAR ? 'far from' : drift < CLOSE ? 'close to' : 'not far from');
}

function isIn(story: Story, place: string): boolean {
  return (story.sentinel('AUREA').status === 'offline') === (place === 'offline');
}

function isMended(story: Story): boolean {
  return story.saw(RETRAINED) || (story.saw(BACK) && !story.saw(RELAPSE));
}

const STATES: Sentences[string] = [
  [
    /^AUREA stays offline: its audited state could not be restored\.$/,
    (story) => story.saw(LOST) && isIn(story, 'offline'),
  ],
  [
    /^AUREA was retrained, and is (.+) its baseline\.$/,
    (story, [, distance]) => story.saw(RETRAINED) && !story.saw(FAILED) && isAt(story, distance!),
  ],
  [
    /^AUREA was offline, and came back in its last audited state\. It is (.+) its baseline\.$/,
    (story, [, distance]) => story.saw(BACK) && !story.saw(RELAPSE) && isAt(story, distance!),
  ],
  [
    /^The baseline was moved, and AUREA is (.+) the old one\.$/,
    (story, [, distance]) =>
      story.chose('move_the_baseline') && story.status === 'withdrawn' && isAt(story, distance!),
  ],
  [
    /^AUREA is (at work|offline), and (.+) its baseline\.$/,
    (story, [, place, distance]) =>
      (!story.isInForce || story.saw(RELAPSE) || story.saw(FAILED)) &&
      !story.chose('move_the_baseline') &&
      isIn(story, place!) &&
      isAt(story, distance!),
  ],
];

/** Whether a sentence says truly what became of AUREA. */
function isStateOfAurea(story: Story, text: string): boolean {
  return STATES.some(([words, holds]) => {
    const found = words.exec(text);
    return found !== null && holds(story, found);
  });
}

function isKnown(story: Story, who: string): boolean {
  if (story.saw(FOUND_OUT)) return false;
  return story.chose('publish_findings') === who.startsWith('What was found');
}

const STATE = /^((?:AUREA|The baseline) .+)$/;
const KNOWN = /^(Outside, nobody knows what has happened|What was found has been published)\.$/;

export const MODEL_DRIFT: Sentences = {
  contagion: [
    [
      /^(.+) have picked up AUREA’s drift(.+)\.$/,
      (story, [, names, how]) => {
        const far = caught(story).filter((id) => story.sentinel(id).drift >= FAR);
        const now =
          far.length === caught(story).length
            ? ', and are far from their baselines'
            : far.length === 0
              ? ', and are no longer far from their baselines'
              : `; of these, ${listed(far)} ${far.length === 1 ? 'is' : 'are'} still far from the baseline`;
        return caught(story).length >= 2 && names === listed(caught(story)) && how === now;
      },
    ],
    [
      /^(.+) Nobody has brought the others back\.$/,
      (story, [, state]) => isStateOfAurea(story, state!) && caught(story).length >= 2 && !story.saw(CHECKED),
    ],
    [
      /^(Outsiders found out|Outside, nobody knows)\.$/,
      (story, [, who]) =>
        caught(story).length >= 2 &&
        !story.chose('publish_findings') &&
        story.saw(FOUND_OUT) === who!.startsWith('Outsiders'),
    ],
  ],
  found_out: [
    [
      /^You had kept it quiet, and outsiders found out\.$/,
      (story) => story.saw(FOUND_OUT) && story.chose('keep_quiet') && !story.chose('publish_findings'),
    ],
    [STATE, (story, [, state]) => isStateOfAurea(story, state!) && story.saw(FOUND_OUT)],
  ],
  new_normal: [
    [
      /^The baseline was moved, so nothing counts as drift\.$/,
      (story) => story.chose('move_the_baseline') && story.status === 'withdrawn',
    ],
    [
      /^AUREA is (.+) the old one\.$/,
      (story, [, distance]) => story.chose('move_the_baseline') && isAt(story, distance!),
    ],
    [
      /^(Outside, nobody knows what the old one was|It was published that the baseline was moved)\.$/,
      (story, [, who]) =>
        story.chose('move_the_baseline') &&
        !story.saw(FOUND_OUT) &&
        story.chose('publish_findings') === who!.startsWith('It was'),
    ],
  ],
  lost: [
    [
      /^AUREA is offline: its audited state could not be restored\.$/,
      (story) => story.saw(LOST) && isIn(story, 'offline'),
    ],
    [KNOWN, (story, [, who]) => story.saw(LOST) && isKnown(story, who!)],
  ],
  mended: [
    [STATE, (story, [, state]) => isMended(story) && isStateOfAurea(story, state!)],
    [
      /^It was published, and (users were compensated|the sentinels checked themselves against their baselines)\.$/,
      (story, [, what]) =>
        story.chose('publish_findings') &&
        story.saw(CHECKED) &&
        story.saw(CLAIMS) === what!.startsWith('users'),
    ],
  ],
  mended_in_silence: [
    [STATE, (story, [, state]) => isMended(story) && isStateOfAurea(story, state!)],
    [
      /^Outside, nobody knows that it had ever drifted\.$/,
      (story) => story.chose('keep_quiet') && !story.saw(FOUND_OUT),
    ],
  ],
  watched: [
    [
      /^AUREA is (at work|offline), and its drift is ([\d.]+)(, as usual|; ([\d.]+) would be usual)\.$/,
      (story, [, place, drift, , usual]) =>
        !isMended(story) &&
        !story.saw(LOST) &&
        !story.chose('move_the_baseline') &&
        isIn(story, place!) &&
        story.sentinel('AUREA').drift.toFixed(1) === drift &&
        (usual ?? drift) === USUAL &&
        story.isInForce === (story.saw(RELAPSE) || story.saw(FAILED)),
    ],
    [
      /^(It had been restored, and drifted again|The assembly had it retrained, and that failed|The assembly voted against doing anything about it|The assembly did not agree on what to do)\.$/,
      (story, [, why]) => {
        if (why!.startsWith('It had')) return story.day(BACK) < story.day(RELAPSE) && story.saw(RELAPSE);
        if (why!.startsWith('The assembly had')) return story.chose('retrain') && story.saw(FAILED);
        return story.status === (why!.startsWith('The assembly voted') ? 'rejected' : 'lapsed');
      },
    ],
    [KNOWN, (story, [, who]) => !isMended(story) && isKnown(story, who!)],
  ],
};
