import { integer } from '../../../pipeline/config/setting.ts';
import { type NoteKey, verifierKeyOf } from '../../../pipeline/ledger/notes/note-keys.ts';
import { retireLedgerKey, rotateLedgerKey } from '../../../pipeline/ledger/writing/ledger-keys.ts';
import { ownLedger } from '../../../pipeline/sources/own-ledger.ts';
import { defineCommand, formatJson, json, OWN_KEYS } from '../command.ts';

export const ledgerRotate = defineCommand({
  summary: "Makes the ledger's next key. From the next ledger snapshot on, it signs beside the current one.",
  details:
    'It adds the new verifier key to the file of verifier keys. Give that line to everyone who reads the ledger; after the overlap, `ledger retire` ends the older key.',
  examples: ['cathedral ledger rotate /srv/ledger', 'cathedral ledger rotate /srv/ledger --json'],
  settings: ['ledger', 'wait'],
  optional: OWN_KEYS,
  positionals: ['ledger'],
  flags: { json },
  async run(config, { now, print }) {
    const change = { ...ownLedger(config), now: now(), waitMs: config.wait * 1000 };
    printKeys(await rotateLedgerKey(change), config.json, print);
    return 0;
  },
});

export const ledgerRetire = defineCommand({
  summary: "Ends a rotation: the ledger's older key stops signing.",
  details:
    'It refuses while readers may not have got the new key. The older verifier key stays in the file of verifier keys, because earlier checkpoints have no other signature.',
  examples: ['cathedral ledger retire /srv/ledger', 'cathedral ledger retire /srv/ledger --overlap-days 7'],
  settings: ['ledger', 'wait'],
  optional: OWN_KEYS,
  positionals: ['ledger'],
  flags: {
    overlapDays: {
      flag: 'overlap-days',
      default: '30',
      unit: 'days, 0 to 3650',
      description:
        'How old the new key must be. Readers who have not added it to their file by then can read no further ledger snapshot.',
      schema: integer(0, 3650),
    },
    json,
  },
  async run(config, { now, print }) {
    const change = { ...ownLedger(config), now: now(), waitMs: config.wait * 1000 };
    printKeys(await retireLedgerKey(change, { days: config.overlapDays }), config.json, print);
    return 0;
  },
});

function printKeys(keys: readonly NoteKey[], asJson: boolean, print: (line: string) => void): void {
  const facts = keys.map((key, index) => ({
    verifier_key: verifierKeyOf(key),
    made: key.made,
    until_retired: index > 0,
  }));
  if (asJson) print(formatJson({ keys: facts }));
  else
    for (const { verifier_key: key, made, until_retired: isOlder } of facts)
      print(`${key} (made ${made}${isOlder ? ', signs until it is retired' : ''})`);
}
