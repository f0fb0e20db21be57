import { MAX_PAUSE_MS } from '../../../pipeline/ledger/events/draft.ts';
import { nextSlotId, slotId, slotTimestamp } from '../../../pipeline/ledger/events/slot.ts';
import { ownLedger, sealLedger, sealWarnings } from '../../../pipeline/sources/own-ledger.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { formatNumber } from '../../../pipeline/words/number.ts';
import { defineCommand, formatJson, json, OWN_KEYS, SWITCH } from '../command.ts';

const MAX_PAUSE_DAYS = MAX_PAUSE_MS / DAY_MS;

export const ledgerSeal = defineCommand({
  summary: 'Writes and signs the ledger snapshot of each finished slot.',
  details: `Slots end at 00, 06, 12 and 18 h UTC. Each finished slot with events gets a ledger snapshot, and so does the newest finished slot if it has none: that tells readers that the ledger is quiet and still sealed. Slots without events before it get none. \`start\` and \`build\` seal by themselves if they are given --ledger-signing-key. It is idempotent: with nothing to seal, it writes nothing.`,
  examples: [
    'cathedral ledger seal /srv/ledger',
    'cathedral ledger seal /srv/ledger --ledger-signing-key /etc/cathedral/ledger.key --json',
  ],
  settings: ['ledger', 'wait'],
  optional: OWN_KEYS,
  positionals: ['ledger'],
  flags: {
    afterPause: {
      flag: 'after-pause',
      description: `Seals the newest finished slot without events even if nothing was appended or sealed for more than ${MAX_PAUSE_DAYS} days. Check the clock first: no event can be earlier than the end of a sealed slot, so a clock that is a year ahead would close the ledger for a year.`,
      ...SWITCH,
    },
    json,
  },
  async run(config, { now, print, progress }) {
    const files = ownLedger(config);
    const { ledger } = files;
    const quiet = config.afterPause ? 'always' : 'alive';
    const sealed = await sealLedger(files, { quiet, waitMs: config.wait * 1000, now });
    const { snapshots, position, head, paused } = sealed;
    if (config.json) {
      const { snapshot, size } = position;
      print(formatJson({ ledger, sealed: snapshots, snapshot, size, head, paused: paused?.id ?? null }));
    } else {
      for (const { id, events } of snapshots)
        print(`sealed ${id}: ${events === 1 ? '1 event' : `${formatNumber(events)} events`}`);
      if (snapshots.length === 0)
        print(`Nothing to seal. The current slot ends at ${slotTimestamp(nextSlotId(slotId(now())))}.`);
    }
    for (const warning of sealWarnings(sealed, files.ledger, now())) progress.note(warning);
    return 0;
  },
});
