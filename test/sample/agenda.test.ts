import { expect, test } from 'vitest';
import { SLOT_MS } from '../../pipeline/ledger/slot.ts';
import { Agenda } from '../../pipeline/sample/agenda.ts';

const START = Date.parse('2025-07-03T00:00:00Z');

function times(agenda: Agenda): number[] {
  const taken: number[] = [];
  for (let action = agenda.take(); action; action = agenda.take()) {
    taken.push((action.at - START) / 1000);
    action.act(action.at);
  }
  return taken;
}

test('returns actions in time order, slot by slot, including those added meanwhile', () => {
  const agenda = new Agenda();
  agenda.add(START + SLOT_MS + 1000, () => null);
  agenda.open(START);
  agenda.add(START + 9000, () => null);
  agenda.add(START + 2999, () => {
    agenda.add(START + 5000, () => null);
    agenda.add(START + SLOT_MS, () => null);
    return null;
  });
  agenda.begin();
  expect(agenda.nextAt).toBe(START + 2000);
  expect(times(agenda)).toEqual([2, 5, 9]);
  expect(agenda.nextAt).toBeUndefined();
  agenda.open(START + SLOT_MS);
  agenda.begin();
  expect(times(agenda)).toEqual([SLOT_MS / 1000, SLOT_MS / 1000 + 1]);
});

test('keeps the insertion order within a second', () => {
  const agenda = new Agenda();
  const order: string[] = [];
  const note = (name: string) => () => {
    order.push(name);
    return null;
  };
  agenda.open(START);
  agenda.add(START + 400, note('first'));
  agenda.add(START, () => {
    agenda.add(START, note('third'));
    return note('second')();
  });
  agenda.begin();
  times(agenda);
  expect(order).toEqual(['first', 'second', 'third']);
});

test('rejects times in the past', () => {
  const agenda = new Agenda();
  agenda.open(START + SLOT_MS);
  expect(() => agenda.add(START, () => null)).toThrow('2025-07-03T00:00:00.000Z, which is in the past');
  agenda.add(START + SLOT_MS + 5000, () => {
    agenda.add(START + SLOT_MS + 4000, () => null);
    return null;
  });
  agenda.begin();
  expect(() => times(agenda)).toThrow('which is in the past');
});
