import type { PlantedFault } from './planted-fault.ts';

const LIES = ['test/contract/lies.test.ts'];

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'a fetched file needs no hash',
    breaks: 'Nothing unverified ever has an address.',
    file: 'pipeline/mirror/fetch-blob.ts',
    change: ['if (found !== promised.sha256)', 'if (found.length !== promised.sha256.length)'],
    tests: LIES,
  },
  {
    name: 'what a former attempt left is taken for what its name says',
    breaks: 'Nothing unverified ever has an address.',
    file: 'pipeline/mirror/blobs.ts',
    change: ['if (!(await isIntact(target, file))) {', 'if (!(await hasLength(target, file.bytes))) {'],
    tests: ['test/mirror/mirror.test.ts'],
  },
  {
    name: 'a mirror drops the cosignatures of a former release',
    breaks: 'The cosigned checkpoint of a former release stays, at /log/cosigned/<size>.',
    file: 'pipeline/mirror/refresh-notes.ts',
    change: ['if (size === log.size ||', 'if (size <= log.size ||'],
    tests: ['test/verify/witnesses.test.ts'],
  },
  {
    name: 'a table that has grown is put together without comparing',
    breaks: 'Neither the host’s ranges nor the old copy need to be trusted.',
    file: 'pipeline/mirror/fetch-blob.ts',
    change: ["if (hash.digest('hex') !== promised.sha256) return false;", "void hash.digest('hex');"],
    tests: LIES,
  },
  {
    name: 'a release may have paths that no file system holds apart',
    breaks: 'Paths that differ only in case or that hosts would read as settings are refused.',
    file: 'pipeline/mirror/keep.ts',
    change: ['assertPlaceable(paths, place);', 'void assertPlaceable;'],
    tests: LIES,
  },
  {
    name: 'one content may have two lengths',
    breaks: 'A mirror refuses a release that contradicts itself before it fetches.',
    file: 'pipeline/mirror/keep.ts',
    change: ['if (known === bytes) continue;', 'if (known > 0) continue;'],
    tests: LIES,
  },
  {
    name: 'a snapshot may change',
    breaks: 'A snapshot never changes.',
    file: 'pipeline/mirror/keep.ts',
    change: ['if (known === undefined || known === index.sha256) return;', 'if (known !== id) return;'],
    tests: LIES,
  },
  {
    name: 'the checkpoint is published before its release',
    breaks: 'A mirror keeps serving what it has, whole.',
    file: 'pipeline/mirror/keep.ts',
    change: [
      'this.#reader = reader;\n',
      "this.#reader = reader;\n    await replaceFile(join(this.#options.folder, LOG, 'checkpoint'), Buffer.from(cosigned ?? ''));\n",
    ],
    tests: LIES,
  },
  {
    name: 'an expired release is unchanged for ever',
    breaks: 'A mirror refuses an origin that has no newer release although it has expired.',
    file: 'pipeline/mirror/mirror.ts',
    change: ['if (!acceptExpired) assertFresh(', 'if (isWhole && recheck) assertFresh('],
    tests: LIES,
  },
  {
    name: 'a mirror does not ask for its policy’s quorum',
    breaks:
      'With a policy, a mirror publishes a release only when enough witnesses have cosigned its checkpoint.',
    file: 'pipeline/mirror/mirror.ts',
    change: [
      'const trust = { keys, ledgerKeys, earlier, checkpoint, policy };',
      'const trust = { keys, ledgerKeys, earlier, checkpoint, policy: policy && null };',
    ],
    tests: LIES,
  },
  {
    name: 'a mirror forgets the log that it has',
    breaks: 'The new log must begin with the one that the mirror holds.',
    file: 'pipeline/mirror/mirror.ts',
    change: [
      'const checkpoint = log ? { place: origin.placeOf(LOG), log } : null;',
      'const checkpoint = log && !log ? { place: origin.placeOf(LOG), log } : null;',
    ],
    tests: LIES,
  },
  {
    name: 'the first update of a mirror trusts any key',
    breaks: 'A mirror accepts only releases that a key signed which it was given or which it remembers.',
    file: 'pipeline/mirror/mirror.ts',
    change: [
      'const trusted = trustedKeys(state, keys);',
      'const trusted = trustedKeys(state, keys) && null;',
    ],
    tests: LIES,
  },
  {
    name: 'a tile is kept as it came',
    breaks: 'Each tile must follow from the signed root.',
    file: 'pipeline/ledger/log/tile-reader.ts',
    change: ['if (root === expected) return hashes;', 'if (root.length === expected.length) return hashes;'],
    tests: LIES,
  },
  {
    name: 'a new snapshot needs no known key',
    breaks: 'New snapshots need a known key.',
    file: 'pipeline/mirror/keep.ts',
    change: [
      "if (isNew && this.#hasList && voucher !== 'known key')",
      "if (isNew && !this.#hasList && voucher !== 'known key')",
    ],
    tests: ['test/mirror/mirror.test.ts'],
  },
  {
    name: 'a forged cosignature on an unchanged release is kept',
    breaks: 'A mirror keeps no cosignature by a witness of its policy that does not verify.',
    file: 'pipeline/mirror/refresh-notes.ts',
    change: ['if (policy && offered) await readWitnesses(', 'if (policy && !offered) await readWitnesses('],
    tests: ['test/verify/witnesses.test.ts'],
  },
  {
    name: 'a replica that was paused goes on answering from its release',
    breaks: 'After a pause a replica finds out what it missed before it answers',
    file: 'pipeline/bucket/switch-clock.ts',
    change: ['Math.min(this.#ticked.monotonic + PAUSE_MS, next)', 'next'],
    tests: ['test/bucket/switch-clock.test.ts', 'test/bucket/follower.test.ts'],
  },
  {
    name: 'a replica whose switch has failed asks others to leave',
    breaks: 'A server that cannot take part in a switch leaves, and no other',
    file: 'pipeline/bucket/switch-clock.ts',
    change: ['&& this.#retryAt === -Infinity', ''],
    tests: ['test/bucket/switch-clock.test.ts', 'test/bucket/follower.test.ts'],
  },
  {
    name: 'a pointer to an older release is accepted',
    breaks: 'A replica never goes back to an older version than it has served',
    file: 'pipeline/bucket/pointer-reader.ts',
    change: ['if (version < least)', 'if (version < 0)'],
    tests: ['test/bucket/follower.test.ts'],
  },
  {
    name: 'a replica shows a release before its log',
    breaks: 'The checkpoint and the snapshot list of a pointer become visible before its release',
    file: 'pipeline/bucket/pull.ts',
    change: [
      '  await publishCheckpoint(out, note);\n',
      '  await swapCurrent(out, name, null);\n  await publishCheckpoint(out, note);\n',
    ],
    tests: ['test/bucket/follower.test.ts'],
  },
  {
    name: 'a replica takes entries of the log as the bucket has them',
    breaks: 'A server compares every byte with a hash or with the signed checkpoint',
    file: 'pipeline/bucket/pull-log.ts',
    change: ['  assertHashes(entries.map(leafHash), hashes, place);\n', '  void leafHash;\n'],
    tests: ['test/sidecar/files/published.test.ts'],
  },
  {
    name: 'a replica denies a snapshot that it is still fetching',
    breaks: 'A snapshot that is listed and not there yet gets 503',
    file: 'src/sidecar/files/snapshot-files.ts',
    change: ['if (id && (await this.list())', 'if (!id && (await this.list())'],
    tests: ['test/sidecar/files/published.test.ts'],
  },
];
