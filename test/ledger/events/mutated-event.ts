import fc from 'fast-check';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { EXAMPLE_LEDGER } from '../../../pipeline/ledger/events/event-examples.ts';
import { anyCharacter } from '../../any-character.ts';
import { WRONG as OTHER_WRONG } from '../../attestation/generated-document.ts';

/** Values on both sides of each limit and pattern of the schemas; undefined leaves the member out. */
const WRONG: readonly unknown[] = [
  undefined,
  ...OTHER_WRONG,
  ...[-1, 1.5, 2, 2.0001, 10, 10.1, 2 ** 53 - 1, 2 ** 53, -0, 5e-324, 1e308, 365],
  ...'A a_b _a a__b a-b 1 =1 +a -a @a a= __proto__ a\u0000 a\u0085 \u007f é C-0 C-01 c-1 C-1\n C--1'.split(
    ' ',
  ),
  ...[100, 101, 200, 201].map((length) => 'x'.repeat(length)),
  ...['12.5', '12.', '.5', '1.1234567', '01', '-1', '1e3', '9'.repeat(15), '9'.repeat(16), '١', '1\n'],
  ...['', '.123456789', '.'].map((fraction) => `2025-12-01T06:00:00${fraction}Z`),
  ...['2025-12-01T06:00:00Z\n', '2100-02-29', '2024-02-29', '2025-12-01\n', '0000-01-01'],
  ...['A', 'B'].map((last) => 'A'.repeat(21) + last),
  ...'support prudence FOR-GOVERNMENTS USA EU warning reached info heartbeat mic_mint'.split(' '),
  ...[['prudence'], ['envy'], ['prudence', 'prudence'], [''], ['='], { a: 1 }, { 'FOR-GOVERNMENTS': 2 }],
  ...[{ 'FOR-GOVERNMENTS': 3 }, { GDPR: 'a', AI_Act: 'b', MiCA: 'c' }, { GDPR: 'a' }, [{ risk: 'a' }]],
];
/** Texts longer than any other member may be; few, because each takes as long as all others. */
const LONG = ['x'.repeat(20_000), 'x'.repeat(20_001)];

// biome-ignore lint/suspicious/noExplicitAny: any object or array
type Parent = any;

/** Each place of an event, at any depth, and what to put there. Members that no schema names are places too. */
export function placesOf(event: LedgerEvent): [parent: Parent, name: string, wrong: readonly unknown[]][] {
  const inner = (value: unknown): [Parent, string][] => {
    if (typeof value !== 'object' || value === null) return [];
    const own = Object.entries(value).flatMap(([name, part]) => [
      [value, name] as [Parent, string],
      ...inner(part),
    ]);
    return Array.isArray(value) ? own : [...own, [value, 'unknown']];
  };
  return inner(event).map(([parent, name]) => [
    parent,
    name,
    /^(charter|reason|topic)$/.test(name) ? [...WRONG, ...LONG] : WRONG,
  ]);
}

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WRONG) },
  fc.string({ unit: anyCharacter, maxLength: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** An example with up to three changes, as JSON gives it. */
export const mutated: fc.Arbitrary<LedgerEvent> = fc
  .tuple(fc.constantFrom(...EXAMPLE_LEDGER), fc.array(fc.tuple(fc.nat(), value), { maxLength: 3 }))
  .map(([example, changes]) => {
    const event = structuredClone<LedgerEvent>(example);
    for (const [at, changed] of changes) {
      const places = placesOf(event);
      const [parent, name] = places[at % places.length]!;
      // A copy: a later change may be inside it, and the constants are shared.
      parent[name] = structuredClone(changed);
    }
    return JSON.parse(JSON.stringify(event));
  });
