import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { filesBelow } from '../files-below.ts';
import { isSweep } from '../setups/sweep.ts';
import { useFolder } from '../setups/use-folder.ts';
import { LyingServer } from './lies/host.ts';
import { honest, LIES, type Lie } from './lies/lies.ts';
import {
  checkpoint,
  cosigned,
  hex,
  LEDGER,
  leafHash,
  lineOf,
  NOW,
  OTHER_LEDGER,
  POLICY,
  PUBLISHER,
  proofOf,
  rowOf,
  type Site,
  STRANGE_WITNESS,
  textOf,
  WITNESSES,
} from './lies/publisher.ts';
import { type Outcome, readAsPage, run } from './lies/seam.ts';

let server: LyingServer;
/** With the policy, the checkpoint that the reader kept, and a mirror of the second release. */
const folder = useFolder();
let trust: string[];

beforeAll(async () => {
  await writeFile(join(folder, 'policy'), POLICY);
  await writeFile(join(folder, 'kept'), checkpoint(200));
  trust = ['--verifier-key', PUBLISHER.verifier, '--policy', join(folder, 'policy')];
  server = await LyingServer.start(honest(2));
  const { status, stderr } = await run('mirror', [server.url, join(folder, 'second'), ...trust], NOW);
  expect([status, stderr]).toEqual([0, expect.anything()]);
});
afterAll(() => server.close());
beforeEach(() => {
  server.site = new Map(honest(3));
  server.lies.clear();
});

/**
 * A copy with hard links: a mirror replaces its files and changes none. Hundreds of small files for each lie: synchronous calls cost a
 * tenth.
 */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [old, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(old, copy);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(old), copy);
    else linkSync(old, copy);
  }
}

/** What hosts are told by a file in the folder; the mirror writes it itself. */
const OWN = new Set(['_headers', '.nojekyll']);

/** Everything that a mirror has an address for. */
function servedBy(mirror: string): Site {
  const all = [
    ...filesBelow(join(mirror, 'current/public')),
    ...filesBelow(join(mirror, 'log'), 'log/'),
    ...filesBelow(join(mirror, 'snapshots'), 'snapshots/'),
  ];
  return new Map(all.filter(([path]) => !OWN.has(path)));
}
/** The mirror of the second release after an update to the third: the cosigned checkpoint of the former one stays. */
const updated = (): Site => new Map([...honest(3), ['log/cosigned/200', honest(2).get('log/checkpoint')!]]);
const listOf = (site: Site) => [...site].map(([path, bytes]) => `${path} ${hex(bytes)}`).sort();

/** What the folder has that is verified as one. */
const copied: Site = new Map();
function writeCopy(copy: string): void {
  for (const path of copied.keys())
    if (!server.site.has(path)) {
      rmSync(join(copy, path));
      copied.delete(path);
    }
  for (const [path, bytes] of server.site) {
    if (copied.get(path) === bytes) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), bytes);
    copied.set(path, bytes);
  }
}

const ROW = rowOf(100);
const EVENT = leafHash(lineOf(90)).toString('hex');

const READERS: Record<string, (lie: Lie, mirror: string) => Promise<Outcome>> = {
  v: ({ now = NOW }) => run('verify', [server.url, ...trust, '--checkpoint', join(folder, 'kept')], now),
  f({ now = NOW }) {
    const copy = join(folder, 'copy');
    writeCopy(copy);
    return run('verify', [copy, ...trust, '--checkpoint', join(folder, 'kept')], now);
  },
  m: ({ now = NOW }, mirror) => run('mirror', [server.url, mirror, ...trust], now),
  p({ now = NOW }) {
    const reader = { publisherKey: PUBLISHER.verifier, ledgerKey: LEDGER.verifier };
    return readAsPage(server.url, ROW, { ...reader, policy: join(folder, 'policy'), now });
  },
  r: ({ now = NOW }) =>
    run(
      'prove',
      [ROW, '--url', server.url, '--policy', join(folder, 'policy'), '--checkpoint', join(folder, 'kept')],
      now,
    ),
  e: ({ now = NOW }) => run('prove', [EVENT, '--url', server.url, '--policy', join(folder, 'policy')], now),
};
const NAMES: Record<string, string> = {
  v: 'verify',
  f: 'verify folder',
  m: 'mirror',
  p: 'page',
  r: 'prove row',
  e: 'prove',
};

const FINDING = /^(?:cathedral: )?(.+): expected (.+), found (.+?)( \(\w+\))?$/;

/** Each finding on a line, with what differs from run to run left out. */
function findingsOf({ stdout, stderr }: Outcome): string[] {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => FINDING.test(line));
  const short = lines.map((line) =>
    line
      .replace('cathedral: ', '')
      .replaceAll(`${server.url}/`, '/')
      .replaceAll(server.url, 'the host')
      .replaceAll(server.url.replace('127.0.0.1', 'localhost'), 'another host')
      .replaceAll(join(folder, 'copy'), '')
      .replaceAll(folder, '')
      .trim()
      .replace(/\b([0-9a-f]{8})[0-9a-f]{56}\b/g, '$1…'),
  );
  return [...new Set(short)].sort();
}

/** `npm run golden` writes it. */
const FINDINGS = join(import.meta.dirname, 'lies/findings.txt');

/** Findings of the readers by lie, each once for all that say the same. */
const told = new Map<string, string>();

function tellings(outcomes: readonly [reader: string, outcome: Outcome][]): string[] {
  const readers = new Map<string, string[]>();
  for (const [reader, outcome] of outcomes) {
    if (outcome.status === 0) continue;
    const said = [`exit status ${outcome.status}`, ...findingsOf(outcome)].join('\n  ');
    readers.set(said, [...(readers.get(said) ?? []), NAMES[reader]!]);
  }
  return [...readers].map(([said, names]) => `${names.join(', ')}: ${said}`);
}

/** The mirror serves what it had; tiles and snapshots that were verified may be there already, in wait for their release. */
function assertKept(served: Site): void {
  const [before, next, after] = [honest(2), honest(3), served].map(listOf) as [string[], string[], string[]];
  expect.soft(after).toEqual(expect.arrayContaining(before));
  const waiting = next.filter((line) => /^(log\/(tile|public\/v)|snapshots\/2)/.test(line));
  expect.soft(after.filter((line) => !before.includes(line) && !waiting.includes(line))).toEqual([]);
}

/** After how many lies the mirror gets to see the honest host again. */
const TOLD_APART = 6;

describe('a reader of a host', () => {
  let mirror: string;
  beforeEach(() => {
    mirror = mkdtempSync(join(folder, 'mirror-'));
    linkTree(join(folder, 'second'), mirror);
  });
  afterEach(() => rmSync(mirror, { recursive: true }));

  test('that is honest finds everything proved', async () => {
    for (const [reader, read] of Object.entries(READERS)) {
      const outcome = await read({ name: '', by: '', tell: () => {} }, mirror);
      expect([reader, outcome.status, findingsOf(outcome)]).toEqual([reader, 0, []]);
    }
    expect(listOf(servedBy(mirror))).toEqual(listOf(updated()));
  });

  test.each(LIES.map((lie, number) => ({ ...lie, number })))(
    'that lies finds it out: $name',
    async ({ number, ...lie }) => {
      lie.tell(server);
      if (!lie.isOverHttp && !isSweep) onTestFinished(server.answerHere());
      const outcomes: [string, Outcome][] = [];
      for (const [reader, read] of Object.entries(READERS))
        if (reader !== 'f' || !lie.isOverHttp) outcomes.push([reader, await read(lie, mirror)]);
      told.set(lie.name, [`## ${lie.name}`, ...tellings(outcomes)].join('\n'));
      const failed = outcomes.filter(([, { status }]) => status !== 0);
      expect.soft(failed.map(([reader]) => reader).join(' ')).toBe(lie.by);
      for (const [reader, outcome] of failed) expect.soft(findingsOf(outcome), reader).not.toEqual([]);
      if (lie.by.includes('m')) {
        assertKept(servedBy(mirror));
        // And the truth is taken again; which lie was told before makes no difference.
        if (number % TOLD_APART !== 0 && !isSweep) return;
        server.site = honest(3);
        server.lies.clear();
        expect.soft((await READERS.m!({ ...lie, now: NOW }, mirror)).status).toBe(0);
      }
      expect.soft(listOf(servedBy(mirror))).toEqual(listOf(updated()));
    },
  );

  test('leaves the mirror of the second release alone, which all began with', () => {
    expect(listOf(servedBy(join(folder, 'second')))).toEqual(listOf(honest(2)));
  });

  test('is told where, what was expected and what was found', async () => {
    if (told.size < LIES.length) return;
    const text = `${[...told.values()].join('\n\n')}\n`;
    if (process.env.GOLDEN === 'write') await writeFile(FINDINGS, text);
    expect(text).toBe(await readFile(FINDINGS, 'utf8'));
  });
});

describe('a proof of an event', () => {
  const note = cosigned(checkpoint(300), WITNESSES.slice(0, 2));
  const proof = proofOf(100, note, 300);
  const lines = proof.split('\n');
  const signedBy = (key: typeof LEDGER, text: string) => `${text}\n${key.line(text)}`;
  const event = leafHash(lineOf(100)).toString('hex');
  const verify = async (text: string, of = event) => {
    await writeFile(join(folder, 'proof'), text);
    const policy = ['--policy', join(folder, 'policy')];
    return run('verify', [join(folder, 'proof'), '--event', of, ...policy], NOW);
  };

  test('holds, and is the one that prove makes', async () => {
    expect(await verify(proof)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('number 100 of'),
    });
    const words = [event, '--url', server.url, '--policy', join(folder, 'policy')];
    expect(await run('prove', words, NOW)).toMatchObject({ status: 0, stdout: proof });
  });

  const hash = Buffer.alloc(32, 7).toString('base64');
  test.each<[lie: string, text: string, of?: string]>([
    ['of another event', proof, leafHash(lineOf(101)).toString('hex')],
    ['of another event of the log, by number', proof.replace('index 100', 'index 101')],
    ['of an event after the last', proof.replace('index 100', 'index 300')],
    ['of a negative number', proof.replace('index 100', 'index -100')],
    ['of a number with a zero before it', proof.replace('index 100', 'index 0100')],
    ['without its first hash', lines.toSpliced(2, 1).join('\n')],
    ['without its last hash', lines.toSpliced(lines.indexOf('') - 1, 1).join('\n')],
    ['with one hash more', lines.toSpliced(3, 0, hash).join('\n')],
    ['with another hash', lines.with(4, hash).join('\n')],
    ['with two hashes in the other order', lines.with(3, lines[4]!).with(4, lines[3]!).join('\n')],
    ['with a hash of 31 bytes', lines.with(4, Buffer.alloc(31).toString('base64')).join('\n')],
    ['of another version', proof.replace('@v1', '@v2')],
    ['with line ends of Windows', proof.replaceAll('\n', '\r\n')],
    ['that ends before its checkpoint', lines.slice(0, lines.indexOf('') + 1).join('\n')],
    ['that is empty', ''],
    ['in a smaller tree', proofOf(100, note.replace('\n300\n', '\n299\n'), 300)],
    [
      'in the log of another ledger',
      proofOf(100, cosigned(checkpoint(300, { ledger: OTHER_LEDGER }), WITNESSES), 300),
    ],
    [
      'in a log that has another name than its key',
      proofOf(
        100,
        cosigned(signedBy(LEDGER, textOf(checkpoint(300)).replace('ledger.', 'other.')), WITNESSES),
        300,
      ),
    ],
    ['in a checkpoint without signatures', proof.replace(/— ledger.*\n/, '')],
    ['in a checkpoint whose signature does not verify', proof.replace(/— ledger.*\n/, LEDGER.line('else\n'))],
    ['in a checkpoint with two signatures, one of which does not verify', proof + LEDGER.line('else\n')],
    ['in a checkpoint that too few witnesses cosigned', proof.replace(/— w102.*\n/, '')],
    [
      'in a checkpoint that one witness cosigned twice',
      proof.replace(/— w102.*\n/, /— w101.*\n/.exec(proof)![0]),
    ],
    [
      'in a checkpoint with a cosignature of another one',
      proof.replace(/— w102.*\n/, WITNESSES[1]!.line('else\n', 1)),
    ],
    [
      'in a checkpoint that an unknown witness cosigned',
      proof.replace(/— w102.*\n/, STRANGE_WITNESS.line(textOf(note), 1)),
    ],
  ])('%s does not hold', async (_, text, of) => {
    expect(text === proof && of === undefined).toBe(false);
    const { status, stdout, stderr } = await verify(text, of);
    expect([1, 2]).toContain(status);
    expect(stdout + stderr).toMatch(/: expected .+, found .+/s);
  });
});
