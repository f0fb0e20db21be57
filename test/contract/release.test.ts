import { createPublicKey, verify } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { filesBelow } from '../files-below.ts';
import { useFolder } from '../setups/use-folder.ts';
import { leafHash, treeHash } from './lies/publisher.ts';
import { digestOf, type Listing, linesOf, listPublic, sha256 } from './release/listing.ts';
import {
  EXAMPLE_LEDGER,
  EXAMPLES,
  isExample,
  LISTS,
  type Made,
  makeReleases,
} from './release/make-releases.ts';

/** The lines of a ledger's list, and of the files that are the same whatever the ledger. */
async function goldenOf(name: string): Promise<string[]> {
  const texts = await Promise.all(['same', name].map((one) => readFile(join(LISTS, `${one}.txt`), 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter(Boolean));
}

/** Which files a list lacks or has besides, and what differs; of files with an example, the first line. */
async function differences(
  golden: readonly string[],
  listing: Listing,
  examples: string | null,
): Promise<string[]> {
  const byPath = (lines: readonly string[]) => new Map(lines.map((line) => [line.split(' | ')[0]!, line]));
  const [before, now] = [byPath(golden), byPath(await linesOf(listing))];
  const found: string[] = [];
  for (const path of new Set([...before.keys(), ...now.keys()])) {
    const [was, is] = [before.get(path), now.get(path)];
    if (was === is) continue;
    if (is === undefined) found.push(`missing: ${was}`);
    else if (was === undefined) found.push(`new: ${is}`);
    else found.push(`changed: ${was}`, `     to: ${is}`);
    if (is && examples && existsSync(join(examples, path)))
      found.push(
        ...firstDifference(await readFile(join(examples, path), 'utf8'), listing.get(path)!.bytes.toString()),
      );
  }
  return found;
}

/** The first line that differs; a picture has a line for each element. */
function firstDifference(example: string, text: string): string[] {
  const [was, is] = [example, text].map((one) => one.replaceAll('><', '>\n<').split('\n'));
  const at = is!.findIndex((line, index) => line !== was![index]);
  if (at < 0 && was!.length === is!.length) return [];
  const line = at < 0 ? is!.length : at;
  return [`  line ${line + 1} was: ${was![line]}`, `  line ${line + 1} is:  ${is![line]}`];
}

/** Whether the holder of a key (name, id, and algorithm 1 with the public key) signed a note. */
function isSigned(note: string, key: string): boolean {
  const text = note.slice(0, note.indexOf('\n\n') + 1);
  const [name] = key.split('+');
  const [, signature] = new RegExp(`^— ${name} (\\S+)$`, 'm').exec(note)!;
  const x = Buffer.from(key.slice(key.lastIndexOf('+') + 1), 'base64')
    .subarray(1)
    .toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature!, 'base64').subarray(4));
}

/** Its contact, its ledger and its treaty. */
const OF_THE_DEMO = [
  'contact@data.example.org',
  'ledger.cathedral.example/demo',
  'Framework Agreement on Open and Verifiable Ledgers',
];

const folder = useFolder();
let releases: ReadonlyMap<string, Made>;
beforeAll(async () => {
  releases = await makeReleases(folder);
});

/** In which a release of data alone is like none that has more, since it lists others. */
const LISTS_FILES = /^(_headers|manifest\.json)$/;

describe.each(['demo', 'own', 'nasty'])('the release of the %s ledger', (name) => {
  let made: Made;
  beforeAll(() => {
    made = releases.get(name)!;
  });
  const text = (path: string) => made.listing.get(path)!.bytes.toString();

  /**
   * Paths, columns, members, their order and the form of numbers are a promise to readers. A change is made on purpose: `npm run golden`
   * writes the lists and the examples anew, and the commit that has them has a line in the changelog.
   */
  test('has the files, headers and bytes of the list, no more and no fewer', async () => {
    const golden = await goldenOf(name);
    expect(await differences(golden, made.listing, name === EXAMPLE_LEDGER ? EXAMPLES : null)).toEqual([]);
  });

  test('is the same on another machine, in one run', async () => {
    const other = await listPublic(made.other);
    const isWhole = other.has('charts/supply.svg') === made.listing.has('charts/supply.svg');
    const exact = async (listing: Listing) =>
      Promise.all(
        [...listing].map(async ([path, { bytes, mediaType, use, encodings }]) => {
          if (isWhole ? use.startsWith('restricted') : !other.has(path) || LISTS_FILES.test(path)) return '';
          const digest = await digestOf(path, bytes);
          const isAsMade = digest === '-' || /^(parts|rows):/.test(digest);
          const isSignature = path.endsWith('.sig');
          return [
            path,
            mediaType,
            use,
            isSignature || encodings,
            isAsMade && !isSignature ? sha256(bytes) : digest,
          ].join(' ');
        }),
      );
    const [theirs, own] = await Promise.all([other, made.listing].map(exact));
    expect(theirs!.filter(Boolean)).toEqual(own!.filter(Boolean));
  });

  test('has a signed manifest of exactly its public files', () => {
    const { files } = JSON.parse(text('manifest.json')) as {
      files: { path: string; sha256: string; bytes: number }[];
    };
    const apart = /^(log|snapshots)\/|^(manifest\.json(\.sig)?|latest\.json|_headers|\.nojekyll)$/;
    const open = [...made.listing].filter(([path, { use }]) => !apart.test(path) && use !== 'restricted');
    expect(files.map(({ path, sha256, bytes }) => [path, sha256, bytes])).toEqual(
      open.map(([path, { bytes }]) => [path, sha256(bytes), bytes.length]),
    );
    const note = text('manifest.json.sig');
    expect(isSigned(note, text('publisher.vkey').trim())).toBe(true);
    const { bytes } = made.listing.get('manifest.json')!;
    expect(note.split('\n').slice(2, 4)).toEqual([sha256(bytes), `${bytes.length}`]);
    expect(JSON.parse(text('latest.json')).manifest).toMatchObject({
      sha256: sha256(bytes),
      bytes: bytes.length,
    });
  });

  test.runIf(name === 'own')('names its organisation, and the demo’s nowhere', () => {
    const naming = (word: string) =>
      [...made.listing].filter(([, { bytes }]) => bytes.includes(word)).map(([path]) => path);
    // It cites the software.
    expect(naming('Cathedral Data Service')).toEqual(['CITATION.cff']);
    expect(OF_THE_DEMO.flatMap(naming)).toEqual([]);
  });

  test('has the tree over the lines of the ledger as its log, and these lines as its export', async () => {
    const snapshots = join(made.ledger, 'snapshots');
    const lines: string[] = [];
    for (const file of (await readdir(snapshots)).filter((one) => one.endsWith('.ndjson.zst')).sort())
      lines.push(
        ...zstdDecompressSync(await readFile(join(snapshots, file)))
          .toString()
          .split('\n')
          .filter(Boolean),
      );
    const checkpoint = text('log/checkpoint');
    expect(checkpoint.split('\n').slice(1, 3)).toEqual([
      `${lines.length}`,
      treeHash(lines.map(leafHash)).toString('base64'),
    ]);
    expect(isSigned(checkpoint, text('ledger.vkey').trim())).toBe(true);
    const { events } = JSON.parse(text('government/ledger/export')) as {
      events: { attestation_hash: string }[];
    };
    const leaves = lines.map((line) => `0x${leafHash(line).toString('hex')}`);
    expect(events.map((event) => event.attestation_hash)).toEqual(leaves.toReversed());
  });
});

test('every example is one of the release that has it', async () => {
  const golden = await goldenOf(EXAMPLE_LEDGER);
  const expected = golden.map((line) => line.split(' | ')[0]!).filter(isExample);
  const paths = filesBelow(EXAMPLES).map(([path]) => path);
  expect(paths.sort()).toEqual(expected.sort());
});
