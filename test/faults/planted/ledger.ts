import type { PlantedFault } from './planted-fault.ts';

const LIES = ['test/contract/lies.test.ts'];

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'of two signatures one has to verify',
    breaks: 'A reader refuses a note if the signature of a known key does not verify.',
    file: 'pipeline/ledger/notes/verify-note.ts',
    change: ['if (!holds) throw', 'if (!holds && claims.length === 1) throw'],
    tests: LIES,
  },
  {
    name: 'signatures are not verified',
    breaks: 'A known key signed the checkpoint.',
    file: 'pipeline/ledger/notes/verify-note.ts',
    change: ['if (!holds) throw', 'if (holds === null) throw'],
    tests: LIES,
  },
  {
    name: 'a cosignature may be of next week',
    breaks: 'A cosignature with a time in the future does not count.',
    file: 'pipeline/ledger/notes/witness-quorum.ts',
    change: ['CLOCK_TOLERANCE_MS = 10 * 60_000', 'CLOCK_TOLERANCE_MS = 10 * 600_000_000'],
    tests: LIES,
  },
  {
    name: 'the time of a cosignature is taken for milliseconds',
    breaks: 'A cosignature states seconds since 1970.',
    file: 'pipeline/ledger/notes/witness-quorum.ts',
    change: ['result.timestamp * 1000', 'result.timestamp * 1'],
    tests: LIES,
  },
  {
    name: 'a forged cosignature is skipped',
    breaks: 'A cosignature by a witness of the policy that does not verify invalidates the note.',
    file: 'pipeline/ledger/notes/witness-quorum.ts',
    change: [
      "if (result.verdict !== 'valid') throw await",
      "if (result.verdict !== 'valid') continue; else if (!witness) throw await",
    ],
    tests: LIES,
  },
  {
    name: 'a quorum is one witness short',
    breaks: 'As many witnesses as the policy requires cosigned the log.',
    file: 'pipeline/ledger/notes/witness-policy.ts',
    change: [
      'witnessed.has(member)).length >= threshold)',
      'witnessed.has(member)).length >= threshold - 1)',
    ],
    tests: LIES,
  },
  {
    name: 'the partial tiles need no root',
    breaks: 'A reader of tiles believes none before it follows from the root.',
    file: 'pipeline/ledger/log/tile-reader.ts',
    change: ['if (root !== head.root)', 'if (root.length !== head.root.length)'],
    tests: LIES,
  },
  {
    name: 'interior hashes are those of leaves',
    breaks: 'The tree is that of RFC 6962.',
    file: 'pipeline/ledger/log/merkle.ts',
    change: ['interior[0] = 0x01;', 'interior[0] = 0x00;'],
    tests: LIES,
  },
  {
    name: 'a public event needs no hash of its leaf',
    breaks: 'Every public event has the hash of its leaf in the log.',
    file: 'pipeline/ledger/log/public-bundle.ts',
    change: ['if (found !== hashes[at])', 'if (found.length !== hashes[at]!.length)'],
    tests: LIES,
  },
  {
    name: 'a log need not extend an earlier one',
    breaks: 'Today’s ledger extends the ledger of any earlier day.',
    file: 'pipeline/ledger/log/proofs.ts',
    change: ['oldRoot === before.root && newRoot', 'newRoot'],
    tests: LIES,
  },
  {
    name: 'a checkpoint may have another origin than its key',
    breaks: 'A log’s origin is the name of its key.',
    file: 'pipeline/ledger/reading/read-checkpoint.ts',
    change: ['if (checkpoint.origin !== verifier.name)', "if (checkpoint.origin === '')"],
    tests: ['test/ledger/writing/refusal.test.ts'],
  },
  {
    name: 'a snapshot need not have the root of its checkpoint',
    breaks: 'The Merkle root over all events so far equals the one in the checkpoint.',
    file: 'pipeline/ledger/reading/read-snapshot.ts',
    change: ['if (read.root() === root) return;', 'if (read.size === size) return;'],
    tests: ['test/ledger/writing/refusal.test.ts'],
  },
  {
    name: 'an event is public although a member of it is not',
    breaks: 'An event of a public type stays a hash if its data has any other member.',
    file: 'pipeline/ledger/log/public-events.ts',
    change: [
      'Object.keys(data).every((member) => decision.members',
      'Object.keys(data).some((member) => decision.members',
    ],
    tests: ['test/ledger/log/public-events.test.ts'],
  },
  {
    name: 'a line may be read in two ways',
    breaks: 'An event line has each member once and only finite numbers.',
    file: 'pipeline/ledger/events/event-line.ts',
    change: [
      'if (isUnambiguousJson(text, event)) return event;',
      'if (event) return event;\n  void isUnambiguousJson;',
    ],
    tests: ['test/ledger/events/event-line.test.ts'],
  },
  {
    name: 'a witness cosigns a log that does not extend the one it saw',
    breaks:
      'A witness cosigns a checkpoint only if its tree extends every tree of this log that it saw before.',
    file: 'pipeline/witness/witness.ts',
    change: [
      'if (!(await verifyConsistency({ size, root }, checkpoint, proof, nodeHash)))',
      'if (checkpoint.size < size)',
    ],
    tests: ['test/witness/witness.test.ts'],
  },
  {
    name: 'a witness cosigns a log that its key did not sign',
    breaks: 'A witness cosigns only what a known key of the log has signed.',
    file: 'pipeline/witness/witness.ts',
    change: ["if ((await verifySignature(key, text, signature)).verdict !== 'valid')", 'if (!text)'],
    tests: ['test/witness/witness.test.ts'],
  },
  {
    name: 'appending keeps all of its events in memory',
    breaks: 'What `ledger append` needs does not grow with the file: a batch of lines.',
    file: 'pipeline/ledger/writing/ledger-writer.ts',
    change: ['if (head.isFull) await head.flush(options.dryRun);', 'void head.isFull;'],
    tests: ['test/contract/memory.test.ts'],
  },
  {
    name: 'an append keeps the incomplete line of a writer that was killed',
    breaks: 'The next writer removes what one that was killed left.',
    file: 'pipeline/ledger/writing/event-files.ts',
    change: ['if (kept > 0) await this.#file.truncate(kept);', 'if (kept > 0) void kept;'],
    tests: ['test/ledger/writing/ledger-writer.test.ts'],
  },
  {
    name: 'sealed events stay in the head',
    breaks: 'The head holds the events after the newest ledger snapshot.',
    file: 'pipeline/ledger/writing/ledger-writer.ts',
    change: ['if (head && head.first.seq < size) return this.#dropSealed();', 'void this.#dropSealed;'],
    tests: ['test/ledger/writing/ledger-writer.test.ts'],
  },
  {
    name: 'a check says nothing about signatures after an error',
    breaks: '`ledger check` looks at the signature of each checkpoint',
    file: 'pipeline/ledger/check/check-ledger.ts',
    change: ["if (slot.missing === 'checkpoint') continue;", 'continue;'],
    tests: ['test/ledger/check/check-ledger.test.ts'],
  },
  {
    name: 'a replica need not have the root that the database names',
    breaks: 'A replica verifies hashes, order, root hash and signature before it shows a snapshot.',
    file: 'pipeline/sources/shared/ledger-replica.ts',
    change: [
      'if (found.size !== position.size || found.checkpoint.root !== root)',
      'if (found.size !== position.size || found.checkpoint.root.length !== root.length)',
    ],
    tests: ['test/sources/shared/shared-ledger.test.ts'],
  },
  {
    name: 'a replica replaces any ledger',
    breaks: 'A ledger that has not followed the shared one is never replaced by it.',
    file: 'pipeline/sources/shared/ledger-replica.ts',
    change: ['if (followerOf(folder)?.origin !== origin) {', "if (origin === '') {"],
    tests: ['test/sources/shared/shared-ledger.test.ts'],
  },
];
