import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inChainOrder, type Link } from '../../../pipeline/sources/civic/chain.ts';
import { CHAIN_START } from '../../../pipeline/sources/civic/remote-event.ts';

const time = (second: number) => new Date(Date.UTC(2025, 11, 1) + second * 1000).toISOString();
const hashOf = (id: string) => Buffer.from(id.padEnd(32)).toString('hex');
const link = (event_id: string, after: string | null, second: number): Link => ({
  event_id,
  event_hash: hashOf(event_id),
  previous_hash: after === null ? CHAIN_START : hashOf(after),
  timestamp: time(second),
});
const ids = (links: Link[]) => links.map(({ event_id }) => event_id);
const nothing = () => false;

describe('inChainOrder', () => {
  test('orders the events of a fork by time', () => {
    const links = [link('d', 'b', 3), link('c', 'a', 2), link('b', 'a', 1), link('a', null, 0)];
    expect(ids(inChainOrder(links, nothing))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('orders events of the same time by id', () => {
    const links = [link('a', null, 0), link('c', 'a', 1), link('b', 'a', 1)];
    expect(ids(inChainOrder(links, nothing))).toEqual(['a', 'b', 'c']);
  });

  test('puts no event before its predecessor, even if the clock went back', () => {
    const links = [link('a', null, 9), link('b', 'a', 8), link('c', 'b', 1), link('x', null, 5)];
    expect(ids(inChainOrder(links, nothing))).toEqual(['x', 'a', 'b', 'c']);
  });

  test('omits events without a connection to the chain', () => {
    const links = [link('a', null, 0), link('c', 'b', 2), link('d', 'c', 3)];
    expect(ids(inChainOrder(links, nothing))).toEqual(['a']);
    expect(ids(inChainOrder(links, (hash) => hash === hashOf('b')))).toEqual(['a', 'c', 'd']);
  });

  test('gives the same order for any order of arrival, each event after its predecessor', () => {
    const tree = fc.array(fc.record({ after: fc.nat(), second: fc.nat(20) }), { maxLength: 40 });
    const links = tree.map((nodes) =>
      nodes.map(({ after, second }, index) =>
        link(`e${index}`, index === 0 || after % 5 === 0 ? null : `e${after % index}`, second),
      ),
    );
    const shuffled = links.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, mixed]) => {
        const order = ids(inChainOrder(mixed, nothing));
        expect(order).toEqual(ids(inChainOrder(all, nothing)));
        expect(order.toSorted()).toEqual(ids(all).toSorted());
        for (const { event_id, previous_hash } of all) {
          const before = all.find(({ event_hash }) => event_hash === previous_hash);
          if (before) expect(order.indexOf(before.event_id)).toBeLessThan(order.indexOf(event_id));
        }
      }),
    );
  });

  test('orders a chain of 100 000 events whose clock ran backwards', () => {
    const links = Array.from({ length: 100_000 }, (_, n) => link(`e${n}`, n === 0 ? null : `e${n - 1}`, -n));
    expect(inChainOrder(links, nothing).at(-1)!.event_id).toBe('e99999');
  });
});
