import { days, type Sentences, type Story } from '../story.ts';

const IN_FORCE = /^(The proposal is adopted|The proposal is in force without a vote)/;
const END_DATE = /^The end date has come/;
const HANDED_OVER = /^The powers are given back/;
const ANSWERED = /^The assembly wants the powers back/;
const GIVEN_BACK = /^(The end date has come|The powers are given back|The assembly wants the powers back)/;
const PROLONGED = /^The assembly wants the protocol to go on/;
const REFUSED = /^Those who hold the powers refuse/;
const MISUSE = /^The special powers are used against/;
const BROKEN = /^The integrity index has fallen below 0\.8/;
const OVER = /^The way in is found and closed\./;
const RETURNED = /^The attack is back/;
const OVER_AGAIN = /^The second attack is over/;
const NO_RETURN = /^The way in has been found and closed in the meantime/;

function mii(story: Story, day: number): number {
  return story.last[day]!.current_state.economy.mii;
}

function isLifted(story: Story): boolean {
  return story.saw(GIVEN_BACK);
}

/** The day on which the index had fallen: it is noted on the day after, if there is one. */
function fell(story: Story): { day: number; mii: number } {
  const day = story.day(BROKEN);
  return day < Infinity ? { day, mii: mii(story, day - 1) } : { day: story.end.tick, mii: story.economy.mii };
}

function isAttackOver(story: Story): boolean {
  return story.saw(RETURNED) ? story.saw(OVER_AGAIN) : story.saw(OVER) || story.saw(NO_RETURN);
}

function isBroken(story: Story): boolean {
  return fell(story).mii < 0.8;
}

export const EMERGENCY_PROTOCOL: Sentences = {
  broken: [
    [
      /^On day (\d+) the integrity index had fallen below 0\.8, and the reports were no longer believed\.$/,
      (story, [, day]) => isBroken(story) && fell(story).day === Number(day),
    ],
    [
      /^The protocol (had been in force, and its powers had been given back|was in force, but it came too late or did too little|was never in force)\.$/,
      (story, [, what]) => {
        const [since, lifted] = [story.day(IN_FORCE), story.day(GIVEN_BACK)];
        if (!isBroken(story)) return false;
        if (what === 'was never in force') return since === Infinity;
        if (what!.startsWith('had been')) return since < lifted && lifted <= fell(story).day;
        return since <= fell(story).day && lifted === Infinity;
      },
    ],
    [
      /^(No MIC are minted|By now the index has recovered so far that MIC are minted)\.$/,
      (story, [, what]) => {
        const { minting_active, threshold } = story.economy;
        if (!isBroken(story) || minting_active !== what!.startsWith('By now')) return false;
        return !minting_active || (story.economy.mii >= threshold && story.economy.mii > fell(story).mii);
      },
    ],
  ],
  returned: [
    [
      /^The special powers were given back after (.+)\.$/,
      (story, [, time]) => story.day(GIVEN_BACK) - story.day(IN_FORCE) === days(time!),
    ],
    [
      /^(The way in was still open then|The attack seemed to be over then); (.+) later it was back\.$/,
      (story, [, how, time]) =>
        story.day(RETURNED) - story.day(GIVEN_BACK) === days(time!) &&
        story.day(OVER) <= story.day(GIVEN_BACK) === how!.startsWith('The attack'),
    ],
    [
      /^The assembly (held out without the powers until it was over|is still holding out without the powers)\.$/,
      (story, [, how]) =>
        story.saw(RETURNED) &&
        story.economy.mii >= 0.8 &&
        how!.startsWith('held') === story.saw(OVER_AGAIN) &&
        story.saw(OVER_AGAIN) === (story.lever('strain_rate') === 0),
    ],
  ],
  given_back: [
    [
      /^The attack is over, and so are the special powers; they lasted (.+)\.$/,
      (story, [, time]) =>
        isAttackOver(story) &&
        story.day(GIVEN_BACK) - story.day(IN_FORCE) === days(time!) &&
        story.lever('strain_rate') === 0,
    ],
    [
      /^(In that time they were also used against a critic|They were not used for anything else)\.$/,
      (story, [, what]) => isLifted(story) && story.saw(MISUSE) === what!.startsWith('In that time'),
    ],
    [
      /^(Nobody had to give them up: the date had been fixed before|Those who held them agreed to give them up|The assembly wanted them back)\.$/,
      (story, [, how]) =>
        [END_DATE, HANDED_OVER, ANSWERED].filter((way) => story.saw(way)).length === 1 &&
        story.saw(how!.startsWith('Nobody') ? END_DATE : how!.startsWith('Those') ? HANDED_OVER : ANSWERED),
    ],
  ],
  permanent: [
    [
      /^The special powers have been in force for (.+), and have no end date\.$/,
      (story, [, time]) =>
        story.isInForce &&
        !isLifted(story) &&
        story.end.tick - story.day(IN_FORCE) === days(time!) &&
        (!story.chose('attach_sunset') || story.chose('make_permanent') || story.saw(PROLONGED)),
    ],
    [
      /^(The assembly itself wanted them to go on|You asked for them back, and were refused|You asked for them back, and are still waiting|Nobody has asked for them back)\.$/,
      (story, [, who]) => {
        if (!story.isInForce || isLifted(story)) return false;
        if (who!.startsWith('The assembly')) return story.chose('ask_assembly') && story.saw(PROLONGED);
        if (who!.startsWith('Nobody')) return !story.chose('lift_now', 'ask_assembly');
        return story.chose('lift_now') && story.saw(REFUSED) === who!.endsWith('refused');
      },
    ],
    [
      /^The attack (is over|goes on)(, and minting is still frozen)?\.$/,
      (story, [, attack, frozen]) =>
        story.isInForce &&
        story.saw(OVER) === (attack === 'is over') &&
        story.chose('narrow_scope') === (frozen === undefined) &&
        (frozen === undefined || (story.lever('mint_share') === 0 && !story.economy.minting_active)),
    ],
  ],
  endured: [
    [
      /^The protocol was never in force: (the assembly voted it down|the assembly did not agree in time|the attack ended before the assembly had agreed|the proposal was withdrawn)\.$/,
      (story, [, why]) => {
        if (story.saw(IN_FORCE)) return false;
        if (why === 'the assembly voted it down') return story.status === 'rejected';
        if (why === 'the assembly did not agree in time') return story.status === 'lapsed';
        if (story.status !== 'withdrawn') return false;
        return why === 'the proposal was withdrawn' ? story.chose('stand_down') : story.saw(OVER);
      },
    ],
    [
      /^(The attack is over, and the integrity index never fell below 0\.8|The attack goes on, but so far the integrity index has not fallen below 0\.8)\.$/,
      (story, [, what]) =>
        story.last.every((_, day) => mii(story, day) >= 0.8) &&
        story.saw(OVER) === what!.startsWith('The attack is over'),
    ],
  ],
};
