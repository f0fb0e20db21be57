import type { EventOf } from '../../ledger/events/event.ts';
import { formatAmount, parseAmount, roundToAmount } from '../amount.ts';
import { addFinding } from '../finding.ts';
import { reward } from '../formulas.ts';
import { ownMember } from '../own-member.ts';
import { hourOf, monthOf } from '../period.ts';
import type { State } from '../state.ts';

/** Ledgers record rewards with 6 decimal places. One unit in the last place allows for platforms whose `exp` differs. */
const REWARD_TOLERANCE = 1n;

export function genesis(state: State, event: EventOf<'genesis'>): void {
  state.supply.total += parseAmount(event.data.allocation);
  state.charter = event.data.charter ?? null;
  for (const [cathedral, multiplier] of Object.entries(event.data.multipliers)) {
    state.multipliers[cathedral] = multiplier;
  }
  monthOf(state).total_supply = state.supply.total;
}

export function micMint(state: State, event: EventOf<'mic_mint'>): void {
  const { sentinel: id, cathedral, multiplier } = event.data;
  const amount = parseAmount(event.data.amount);
  checkMint(state, event, amount);
  state.supply.total += amount;
  const month = monthOf(state);
  month.minted += amount;
  month.mints += 1;
  month.total_supply = state.supply.total;
  const sentinel = ownMember(state.sentinels, id);
  if (sentinel) {
    sentinel.minted += amount;
    sentinel.mints += 1;
  }
  const ofCathedral = ownMember(state.rewards, cathedral) ?? {};
  const reward = ownMember(ofCathedral, id) ?? { minted: 0n, mints: 0 };
  ofCathedral[id] = { minted: reward.minted + amount, mints: reward.mints + 1 };
  state.rewards[cathedral] = ofCathedral;
  const sums = ownMember(state.year.by_cathedral, cathedral) ?? { mints: 0, minted: 0n };
  state.year.by_cathedral[cathedral] = { mints: sums.mints + 1, minted: sums.minted + amount };
  const today = ownMember(state.day.minted, cathedral) ?? { mints: 0, minted: 0n };
  state.day.minted[cathedral] = { mints: today.mints + 1, minted: today.minted + amount };
  state.year.by_sentinel[id] = (ownMember(state.year.by_sentinel, id) ?? 0n) + amount;
  const { normalised } = hourOf(state);
  normalised[id] = (ownMember(normalised, id) ?? 0) + Number(event.data.amount) / multiplier;
}

function checkMint(state: State, event: EventOf<'mic_mint'>, amount: bigint): void {
  const { sentinel, cathedral, coordination_score, multiplier } = event.data;
  const expected = roundToAmount(reward(coordination_score, multiplier));
  const difference = amount - parseAmount(expected);
  if (difference > REWARD_TOLERANCE || -difference > REWARD_TOLERANCE) {
    addFinding(
      state,
      event,
      `${event.data.amount} MIC minted, but the reward formula gives ${expected}`,
      sentinel,
    );
  }
  const current = ownMember(state.multipliers, cathedral);
  if (current !== undefined && current !== multiplier) {
    addFinding(
      state,
      event,
      `the mint uses multiplier ${multiplier}, but that of ${cathedral} is ${current}`,
      sentinel,
    );
  }
  const known = ownMember(state.sentinels, sentinel);
  if (!known) addFinding(state, event, `mint for ${sentinel}, which is not registered`, sentinel);
  else if (known.cathedral !== cathedral) {
    addFinding(
      state,
      event,
      `the mint names ${cathedral}, but ${sentinel} belongs to ${known.cathedral}`,
      sentinel,
    );
  }
}

export function micBurn(state: State, event: EventOf<'mic_burn'>): void {
  const amount = parseAmount(event.data.amount);
  requireCirculating(state, event, amount, 'burned');
  state.supply.burned += amount;
  monthOf(state).burned += amount;
}

export function micLock(state: State, event: EventOf<'mic_lock'>): void {
  const amount = parseAmount(event.data.amount);
  requireCirculating(state, event, amount, 'locked');
  moveLocked(state, event.data.contract, amount);
}

export function micUnlock(state: State, event: EventOf<'mic_unlock'>): void {
  const amount = parseAmount(event.data.amount);
  const held = ownMember(state.contracts, event.data.contract) ?? 0n;
  if (amount > held) {
    const { contract } = event.data;
    addFinding(
      state,
      event,
      `${event.data.amount} MIC unlocked, but ${contract} holds ${formatAmount(held)}`,
    );
  }
  moveLocked(state, event.data.contract, -amount);
}

export function multiplierSet(state: State, event: EventOf<'multiplier_set'>): void {
  state.multipliers[event.data.cathedral] = event.data.multiplier;
}

function moveLocked(state: State, contract: string, amount: bigint): void {
  state.supply.locked += amount;
  const held = (ownMember(state.contracts, contract) ?? 0n) + amount;
  if (held === 0n) delete state.contracts[contract];
  else state.contracts[contract] = held;
}

function requireCirculating(
  state: State,
  event: EventOf<'mic_burn' | 'mic_lock'>,
  amount: bigint,
  verb: string,
): void {
  const { total, locked, burned } = state.supply;
  const circulating = total - locked - burned;
  if (amount > circulating) {
    addFinding(
      state,
      event,
      `${event.data.amount} MIC ${verb}, but only ${formatAmount(circulating)} circulate`,
    );
  }
}
