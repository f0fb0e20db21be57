import { communityVirtues } from '../../simulation/community-virtues.ts';
import { debriefOf } from '../../simulation/debrief.ts';
import { available, openedDecision } from '../../simulation/decisions.ts';
import { meanOpinion, polarisation, positionOf } from '../../simulation/opinions.ts';
import { NO_OUTLOOKS, type Outlooks, outlooksOf } from '../../simulation/outlooks.ts';
import type { Session } from '../../simulation/protocol/session.ts';
import { type Standing, sayReasoning, standingsOf } from '../../simulation/reasoning.ts';
import type { Run } from '../../simulation/run.ts';
import { cycleOf, inMic, showChoice, statusOf } from '../../simulation/view.ts';
import { VIRTUES } from '../../simulation/virtues.ts';
import type { Vote, World } from '../../simulation/world.ts';
import type { JsonBytes } from './json-bytes.ts';

/**
 * `JSON.stringify(updateOf(session))`, for a session that has begun: the same bytes without the objects and texts between.
 */
export function writeUpdate(session: Session, out: JsonBytes): void {
  const run = session.run!;
  const { scenario, seed, world, opened } = run;
  const outlooks = session.outlooks ? outlooksOf(opened, scenario) : NO_OUTLOOKS;
  out.text('{"type":"simulation_update","scenario":"').text(scenario.name).text('","seed":').number(seed);
  out.text(',"tick":').number(world.tick).text(',"sentinels":[');
  writeSentinels(world, out);
  out.text('],"current_state":{');
  writeState(run, out);
  out.text(',"decisions":[');
  writeDecisions(run, out);
  out.text('],"outlook":').kept(outlooks.otherwise);
  out.text(',"happened":').json(world.happened).text(',"actions":').kept(run.actions);
  out.text(',"debrief":').json(world.ending === null ? null : debriefOf(world, scenario));
  out.text(session.isRunning ? ',"is_running":true' : ',"is_running":false');
  out.text(',"pace_ms":').number(session.pace).text('},"next_actions":[');
  writeActions(run, outlooks, out);
  out.text(']}');
}

/** What of a sentinel's JSON stays the same from tick to tick. */
interface Frame {
  opening: string;
  tags: string;
  middle: string;
}

const POSITION = {
  support: 'support","reasoning":"',
  support_with_conditions: 'support_with_conditions","reasoning":"',
  oppose: 'oppose","reasoning":"',
  abstain: 'abstain","reasoning":"',
} as const;

/** Few, and the same in all runs: one of each is enough. */
const SHARED = new Map<string, string>();
const MOST_SHARED = 1000;

function shared(text: string): string {
  const known = SHARED.get(text);
  if (known !== undefined) return known;
  if (SHARED.size === MOST_SHARED) SHARED.clear();
  SHARED.set(text, text);
  return text;
}

const FRAMES = new WeakMap<readonly Standing[], Frame[]>();

function framesOf({ sentinels }: World, standings: readonly Standing[]): Frame[] {
  const known = FRAMES.get(standings);
  if (known) return known;
  const frames = sentinels.map((sentinel, i) => {
    const { id, cathedral, stubbornness } = sentinel;
    return {
      opening: shared(`${i === 0 ? '' : ','}{"id":"${id}","cathedral":"${cathedral}","position":"`),
      tags: shared(`","virtue_tags":${JSON.stringify(standings[i]!.tags)},"opinion":`),
      middle: `,"stubbornness":${stubbornness},"status":"${statusOf(sentinel)}","coordination_score":`,
    };
  });
  FRAMES.set(standings, frames);
  return frames;
}

function writeSentinels(world: World, out: JsonBytes): void {
  const { conditions } = world;
  const { innate, score, gi, drift, minted } = conditions;
  const standings = standingsOf(world);
  const frames = framesOf(world, standings);
  for (let i = 0; i < frames.length; i += 1) {
    const { opening, tags, middle } = frames[i]!;
    const opinion = conditions.opinion[i]!;
    out.text(opening).text(POSITION[positionOf(opinion)]);
    sayReasoning(conditions, standings[i]!, i, out);
    out
      .text(tags)
      .number(opinion)
      .text(',"innate_opinion":')
      .number(innate[i]!)
      .text(middle)
      .number(score[i]!);
    out.text(',"gi_score":').number(gi[i]!).text(',"drift":').number(drift[i]!);
    out.text(',"total_rewards":').number(inMic(minted[i]!)).text('}');
  }
}

function writeState({ world, scenario }: Run, out: JsonBytes): void {
  out.text('"cycle":"').text(cycleOf(world));
  out.text(world.ending === null ? '","is_over":false' : '","is_over":true');
  out.text(',"horizon":').number(scenario.horizon).text(',"deliberation":{"status":"');
  writeDeliberation(world, out);
  out.text('},"opinions":{"mean":').number(meanOpinion(world));
  out.text(',"polarisation":').number(polarisation(world)).text(',"movement":').number(world.movement);
  out.text('},"virtues":{');
  const virtues = communityVirtues(world);
  for (const virtue of VIRTUES) {
    out
      .text(virtue === VIRTUES[0] ? '"' : ',"')
      .text(virtue)
      .text('":')
      .number(virtues[virtue]);
  }
  out.text('},"economy":{');
  writeEconomy(world, out);
}

function writeDeliberation({ deliberation, levers }: World, out: JsonBytes): void {
  const { status, round, rounds, votes, dissenters, dissent, roundEnds } = deliberation;
  out.text(status).text('","round":').number(round).text(',"rounds":').number(rounds);
  out.text(',"votes":[');
  for (const [i, vote] of votes.entries()) {
    if (i > 0) out.text(',');
    writeVote(vote, out);
  }
  out.text('],"dissenters":').json(dissenters);
  out.text(',"dissent":"').text(dissent).text('","round_ends":').number(roundEnds);
  out.text(',"quorum":').number(levers.quorum).text(',"consensus":').number(levers.consensus);
}

function writeVote(
  { tick, support, oppose, abstain, turnout, agreement, result }: Vote,
  out: JsonBytes,
): void {
  out.text('{"tick":').number(tick).text(',"support":').number(support).text(',"oppose":').number(oppose);
  out.text(',"abstain":').number(abstain).text(',"turnout":').number(turnout);
  out.text(',"agreement":').number(agreement).text(',"result":"').text(result).text('"}');
}

function writeEconomy({ economy }: World, out: JsonBytes): void {
  const { total, circulating, locked, burned, mii, threshold, isMinting, strain, multipliers } = economy;
  out.text('"total_supply":').number(inMic(total)).text(',"circulating":').number(inMic(circulating));
  out.text(',"locked":').number(inMic(locked)).text(',"burned":').number(inMic(burned));
  out.text(',"mii":').number(mii).text(',"threshold":').number(threshold);
  out.text(isMinting ? ',"minting_active":true' : ',"minting_active":false').text(',"strain":');
  out.number(strain).text(',"multipliers":').kept(multipliers).text('}');
}

/** By the decision: its JSON up to when it ends, which alone differs from run to run. */
const DECISIONS = new WeakMap<object, object>();

function writeDecisions({ world, scenario }: Run, out: JsonBytes): void {
  for (const [i, { name, until }] of world.open.entries()) {
    const decision = openedDecision(name, scenario);
    const { title, prompt, otherwise } = decision;
    let opening = DECISIONS.get(decision);
    if (!opening) {
      opening = { name, title, prompt };
      DECISIONS.set(decision, opening);
    }
    if (i > 0) out.text(',');
    out.kept(opening).reopen().text(',"until":').number(until);
    out.text(',"otherwise":"').text(otherwise).text('"}');
  }
}

function writeActions({ world, scenario }: Run, outlooks: Outlooks, out: JsonBytes): void {
  for (const [i, action] of available(world, scenario).entries()) {
    if (i > 0) out.text(',');
    out.kept(showChoice(action)).reopen().text(',"outlook":');
    out.kept(outlooks.choices.get(action.choice.name) ?? null).text('}');
  }
}
