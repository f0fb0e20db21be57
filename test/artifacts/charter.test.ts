import { expect, test } from 'vitest';
import { charter } from '../../pipeline/artifacts/diplomacy/charter.ts';
import { EXAMPLE_LEDGER, exampleOf } from '../../pipeline/ledger/events/event-examples.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';

const genesis = exampleOf('genesis');

test.each([
  ['is that of the genesis event, with its time', EXAMPLE_LEDGER, genesis.timestamp, genesis.data.charter],
  [
    'may be missing in a genesis event',
    [{ ...genesis, data: { ...genesis.data, charter: undefined } }],
    genesis.timestamp,
    null,
  ],
  ['is missing without one', [exampleOf('mii_reading')], null, null],
])('the charter %s', (_, events, timestamp, text) => {
  const state = events.reduce((before, event) => apply(before, { event, hash: '' }), emptyState());
  const view = { state, documents: null as never, companions: null as never, baseUrl: '' };
  expect(JSON.parse(charter.render(view))).toEqual({ timestamp, charter: text });
});
