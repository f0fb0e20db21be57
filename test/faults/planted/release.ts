import type { PlantedFault } from './planted-fault.ts';

const RELEASE = ['test/contract/release.test.ts'];
const VERSIONS = ['test/contract/versions.test.ts'];
const SAME = 'A resumed run gives what a rebuild gives';
const ONE_PUBLISHER = 'No two manifests have the same version, and a publisher does not contradict itself';

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'a run takes over a file whose content has changed',
    breaks: SAME,
    file: 'pipeline/release/staging/staging.ts',
    change: ['before?.sha256 !== file.sha256) return false;', '!before) return false;'],
    tests: RELEASE,
  },
  {
    name: 'a run takes over what was made of other data',
    breaks: SAME,
    file: 'pipeline/release/staging/staging.ts',
    change: [
      'return digest !== undefined && digest === this.before(path)?.sha256;',
      'return digest !== undefined;',
    ],
    tests: ['test/release/staging.test.ts'],
  },
  {
    name: 'an immutable file may change',
    breaks: 'What was published as immutable stays',
    file: 'pipeline/release/staging/staging.ts',
    change: [
      'if (!before?.immutable || before.sha256 === sha256) return;',
      'if (before?.sha256 !== sha256) return;',
    ],
    tests: ['test/release/rebuild.test.ts'],
  },
  {
    name: 'an immutable file may disappear',
    breaks: 'What was published as immutable stays',
    file: 'pipeline/release/staging/staging.ts',
    change: ['if (isServed) this.#assertNoneLost(mayLose);', ''],
    tests: ['test/release/rebuild.test.ts'],
  },
  {
    name: 'a release is served before its log and its snapshot are there',
    breaks: 'Everything that a release refers to exists before it is served',
    file: 'pipeline/release/staging/commit.ts',
    change: [
      'await prepare?.(release);\n    if (isServed && served !== name) await swapCurrent(out, name, served);',
      'if (isServed && served !== name) await swapCurrent(out, name, served);\n    await prepare?.(release);',
    ],
    tests: ['test/build/snapshots/quiet-and-missed.test.ts', 'test/faults/faults.test.ts'],
  },
  {
    name: 'a release is renamed before it is flushed',
    breaks: 'Bytes are flushed before the name that shows them',
    file: 'pipeline/release/staging/commit.ts',
    change: ['  await folder.flush();\n', ''],
    tests: ['test/faults/faults.test.ts'],
  },
  {
    name: 'a version follows the time of the data alone',
    breaks: ONE_PUBLISHER,
    file: 'pipeline/release/signing/sign-release.ts',
    change: ['Math.max(seconds, (last?.version ?? 0) + 1)', 'seconds'],
    tests: ['test/release/signed-releases.test.ts'],
  },
  {
    name: 'a publisher signs what does not follow from what it signed',
    breaks: ONE_PUBLISHER,
    file: 'pipeline/release/signing/sign-release.ts',
    change: ['    if (last) assertFollows(last, release, records);\n', ''],
    tests: ['test/release/signed-releases.test.ts'],
  },
  {
    name: 'two folders publish at one address',
    breaks: ONE_PUBLISHER,
    file: 'pipeline/release/signing/sign-release.ts',
    change: ['    if (recorded) await assertOneFolder(recorded, out, place);\n', ''],
    tests: ['test/release/signed-releases.test.ts'],
  },
  {
    name: 'the signed manifest lists restricted files',
    breaks: 'The publisher signs a manifest of the public files',
    file: 'pipeline/release/format/proof-files.ts',
    change: ["!restricted && kind !== 'proof'", "kind !== 'proof'"],
    tests: RELEASE,
  },
  {
    name: 'shared caches may keep a restricted file',
    breaks: 'Answers to a key are not for shared caches, and not for storage',
    file: 'pipeline/release/format/headers.ts',
    change: ["restricted: 'private, no-store',", "restricted: 'private, max-age=300',"],
    tests: RELEASE,
  },
  {
    name: 'a page of another site may not read a schema',
    breaks: 'Any page on the web may read public data and schemas',
    file: 'pipeline/release/format/headers.ts',
    change: ["new Set(['data', 'schema', 'proof'])", "new Set(['data', 'proof'])"],
    tests: RELEASE,
  },
  {
    name: 'a closed year may be kept for five minutes only',
    breaks: 'The headers of a file say how long it is fresh',
    file: 'pipeline/release/format/headers.ts',
    change: [
      "const immutable = file.immutable && path.startsWith('government/');",
      'const immutable = false;',
    ],
    tests: RELEASE,
  },
  {
    name: 'a bucket gets restricted files',
    breaks: 'No restricted file is uploaded',
    file: 'pipeline/bucket/site-files.ts',
    change: ['manifest.files.filter(({ restricted }) => !restricted)', 'manifest.files'],
    tests: ['test/contract/restricted.test.ts'],
  },
  {
    name: 'a version between two snapshots is the older one, whether it was the same or not',
    breaks: 'as_of gives a file as it was, or says that this version is not kept',
    file: 'pipeline/release/format/version-at.ts',
    change: ['isExact: before.id === slot || isLast || newerOfTwo', 'isExact: true'],
    tests: VERSIONS,
  },
  {
    name: 'a version that began in the snapshot asked for is not found',
    breaks: 'as_of gives a file as it was, or says that this version is not kept',
    file: 'src/sidecar/files/versions.ts',
    change: [
      '(await firstSnapshotIn(path, version.resource)) <= slot',
      '(await firstSnapshotIn(path, version.resource)) < slot',
    ],
    tests: VERSIONS,
  },
  {
    name: 'the last snapshot of a month is removed',
    breaks: 'Of an earlier month the last snapshot is kept',
    file: 'pipeline/build/snapshots/retained.ts',
    change: ['slotTime(id) >= since || lastOfMonth.has(id)', 'slotTime(id) >= since'],
    tests: VERSIONS,
  },
  {
    name: 'a run refuses the state that version 1.0.0 wrote',
    breaks: 'A run continues from the release of an earlier version',
    file: 'pipeline/model/state.ts',
    change: ['export const STATE_VERSION = 2;', 'export const STATE_VERSION = 1;'],
    tests: ['test/contract/published.test.ts'],
  },
  {
    name: 'a run keeps every event that it reads',
    breaks: 'What a run needs does not grow with the events that it reads: a batch of them',
    file: 'pipeline/build/fold-snapshots.ts',
    change: [
      'for (const { event } of leaves) days.add(event);',
      'for (const { event } of leaves) days.add(event);\n      (globalThis as never as { kept: unknown[] }).kept = [(globalThis as never as { kept: unknown[] }).kept, leaves];',
    ],
    tests: ['test/contract/memory.test.ts'],
  },
  {
    name: 'a list of citations lacks the service',
    breaks: 'The lists of citations have the same entries under the same keys',
    file: 'pipeline/formats/render-catalogue.ts',
    change: [
      'citeAll(catalogue, catalogue.papers, ARTIFACTS);',
      'citeAll(catalogue, catalogue.papers, ARTIFACTS).slice(1);',
    ],
    tests: RELEASE,
  },
];
