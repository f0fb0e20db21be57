import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { micHistory } from '../../pipeline/artifacts/economy/mic-history.ts';
import { formatCosignerKey, parseLogKey } from '../../pipeline/ledger/cosignature.ts';
import { type CosigningKey, cosign, cosigningKeyOf } from '../../pipeline/ledger/cosigning-key.ts';
import { LEDGER_START } from '../../pipeline/ledger/leaf.ts';
import { formatAddCheckpoint } from '../../pipeline/ledger/log/add-checkpoint.ts';
import { formatVerifierKey, noteText } from '../../pipeline/ledger/note.ts';
import { parseWitnessPolicy } from '../../pipeline/ledger/witness-policy.ts';
import type { Trust } from '../../pipeline/verify/checks.ts';
import { type Verification, verify } from '../../pipeline/verify/verify.ts';
import { Witness } from '../../pipeline/witness/witness.ts';
import { runHere } from '../contract/commands/seam.ts';
import { LyingServer } from '../contract/lies/host.ts';
import { FIRST_SLOT, signer, writeSnapshot } from '../ledger/test-ledger.ts';
import { BEGIN, LEDGER, logOf, PUBLISHER, type Site, STRANGER, smallSite } from '../mirror/small-service.ts';
import { contents, httpOrigin, servedBy, updateMirror } from '../mirror/update-mirror.ts';
import { publishLog } from '../release/log/publish-log.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';
import { events, fileOf, hashOf, publishSmallLog, rowsOf } from './audit/small-log.ts';

const NOW = BEGIN + 13 * 3_600_000;
const MINUTE = 60;
const [W1, W2, W3] = ['one', 'two', 'three'].map((name, at) =>
  cosigningKeyOf(`${name}.witness.example`, Buffer.alloc(32, 100 + at)),
) as [CosigningKey, CosigningKey, CosigningKey];

const policyOf = (log: string) => `log ${log}
${[W1, W2, W3].map(({ cosigner }, at) => `witness W${at + 1} ${formatCosignerKey(cosigner)}\n`).join('')}
group two-of-three 2 W1 W2 W3
quorum two-of-three
`;
const POLICY = policyOf(formatVerifierKey(LEDGER.verifier));
const policy = parseWitnessPolicy(Buffer.from(POLICY), 'policy');

const CHECKPOINT = 'log/checkpoint';
const eventOf = (index: number) => `event ${index}`;
/** The log of the first release, of 100 events, and so on. */
const noteOf = (size: number, event = eventOf) => logOf(size, event).checkpoint;

/** Cosignatures of a checkpoint, of this age in seconds. */
function cosignatures(note: string, keys: readonly CosigningKey[], age = 5 * MINUTE): string {
  const text = noteText(note, 'note');
  return keys.map((key) => cosign(key, text, NOW / 1000 - age)).join('');
}

const cosigned = (note: string, keys: readonly CosigningKey[], age?: number) =>
  note + cosignatures(note, keys, age);

/** A host of the n-th release with this checkpoint. */
function siteOf(release: number, note: string, more: Record<string, string> = {}): Site {
  const site = smallSite({ release });
  for (const [path, text] of Object.entries({ [CHECKPOINT]: note, ...more }))
    site.set(path, Buffer.from(text));
  return site;
}

let server: LyingServer;
beforeEach(async () => {
  server = await LyingServer.start(siteOf(3, cosigned(noteOf(300), [W1, W3])));
});
afterEach(() => server.close());

async function look(trust: Partial<Trust> = {}): Promise<Verification> {
  const whom = { keys: [PUBLISHER.verifier], ledgerKeys: [LEDGER.verifier], policy, ...trust };
  const means = { parallel: 4, now: () => NOW, wait: async () => {}, log: () => {} };
  return verify(httpOrigin(server.url), whom, means);
}
const verdictOf = ({ verdicts }: Verification, name = 'witnesses') =>
  verdicts.find(({ check }) => check === name)!;

describe('the verification of a service with a policy', () => {
  test('says how many witnesses signed its checkpoint, and when', async () => {
    server.site.set(CHECKPOINT, Buffer.from(cosigned(cosigned(noteOf(300), [W1]), [W3], 2 * MINUTE)));
    const verification = await look();
    expect(verification.findings).toEqual([]);
    expect(verdictOf(verification)).toMatchObject({
      state: 'verified',
      detail: '2 of 3 witnesses of the policy signed this checkpoint, the oldest 5 minutes ago',
    });
  });

  test('ignores witnesses without one', async () => {
    const { findings, verdicts } = await look({ policy: null });
    expect(findings).toEqual([]);
    expect(verdicts.find(({ check }) => check === 'witnesses')).toMatchObject({
      state: 'not checked',
      detail: 'no policy was given',
    });
  });

  test.each<[string, () => Site, string, string]>([
    [
      'a checkpoint of the release that too few cosigned, kept by the publisher after a newer one that nobody did',
      () =>
        new Map([
          ...siteOf(4, noteOf(400)),
          ...siteOf(3, noteOf(400), { 'log/cosigned/300': cosigned(noteOf(300), [W3]) }),
        ]),
      'witness_quorum',
      '0: none by',
    ],
  ])('finds %s, and nothing else', async (_, site, code, found) => {
    server.site = site();
    const verification = await look({ checkpoint: { note: noteOf(200), place: 'kept' } });
    expect(verification.findings).toMatchObject([{ code, found: expect.stringContaining(found) }]);
    expect([verdictOf(verification).state, verdictOf(verification, 'log').state]).toEqual([
      'failed',
      'verified',
    ]);
  });

  test('takes the checkpoint of the release itself if a newer one is not cosigned yet, or cannot be', async () => {
    const own = { 'log/cosigned/300': cosigned(noteOf(300), [W1, W2]) };
    for (const site of [
      new Map([...siteOf(4, noteOf(400)), ...siteOf(3, noteOf(400), own)]),
      siteOf(3, noteOf(200), own),
    ]) {
      server.site = site;
      const verification = await look();
      expect([verification.findings, verdictOf(verification).detail]).toEqual([
        [],
        '2 of 3 witnesses of the policy signed this checkpoint, the oldest 5 minutes ago',
      ]);
      expect(verification.witnessing!.checkpoint.size).toBe(300);
    }
    server.site.set('log/cosigned/300', Buffer.from(cosigned(noteOf(200), [W1, W2])));
    expect((await look()).findings).toMatchObject([
      { code: 'mirror_mismatch', place: `${server.url}/log/cosigned/300` },
    ]);
  });

  test('takes a newer checkpoint that extends the release', async () => {
    server.site = new Map([...smallSite({ release: 4 }), ...siteOf(3, cosigned(noteOf(400), [W1, W2]))]);
    const { findings, witnessing } = await look();
    expect([findings, witnessing!.checkpoint.size]).toEqual([[], 400]);
  });
});

describe('cathedral verify --policy', () => {
  let folder: string;
  let file: string;
  const key = formatVerifierKey(PUBLISHER.verifier);
  const run = (...args: string[]) =>
    runHere('verify', [server.url, '--verifier-key', key, ...args], { now: () => NOW });

  beforeEach(async () => {
    folder = await temporaryFolder();
    file = join(folder, 'policy');
    await writeFile(file, POLICY);
  });

  test('prints the witnesses as a line of their own', async () => {
    const { status, stdout } = await run('--policy', file);
    expect([status, stdout.match(/^witnesses.*$/m)?.[0]]).toEqual([
      0,
      'witnesses   verified     2 of 3 witnesses of the policy signed this checkpoint, the oldest 5 minutes ago',
    ]);
    expect(stdout).toContain('signed by the ledger');
    const parsed = JSON.parse((await run('--policy', file, '--json')).stdout);
    expect(parsed.witnesses).toMatchObject({
      quorum: true,
      size: 300,
      witnesses: [
        { name: 'W1', state: 'signed', signed_at: '2025-12-01T12:55:00Z' },
        { name: 'W2', state: 'not signed', signed_at: null },
        { name: 'W3', state: 'signed' },
      ],
    });
  });

  test('takes the keys of the ledger from the policy, or those that were given and are in it', async () => {
    const stranger = join(folder, 'stranger');
    const [own, other] = [LEDGER, STRANGER].map(({ verifier }) => formatVerifierKey(verifier));
    await writeFile(file, policyOf(other!));
    const { status, stdout } = await run('--policy', file);
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/log .*failed.*\n(?:.*\n)*.*\(mirror_untrusted\)/),
    ]);
    await writeFile(stranger, `${other}\n`);
    await writeFile(file, POLICY);
    const refused = await run('--policy', file, '--ledger-key', stranger);
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--ledger-key: expected one of the logs of the policy'),
    ]);
    await writeFile(stranger, `${other}\n${own}\n`);
    expect((await run('--policy', file, '--ledger-key', stranger)).status).toBe(0);
  });

  test.each([
    ['none', null, '--policy: expected a readable file'],
    [
      'an unknown keyword',
      'logs x\n',
      'policy:1: expected log, witness, group, quorum or a comment, found "logs"',
    ],
    [
      'a cycle',
      'group A any B\ngroup B any A\nquorum A\n',
      'policy:1: expected a witness or group that is defined above, found "B", which is defined below, on line 2, and contains "A": a cycle',
    ],
  ])('is wrong use with %s', async (_, text, message) => {
    if (text === null) await rm(file);
    else await writeFile(file, text);
    const { status, stderr } = await run('--policy', file);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('a mirror', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  const update = (more: object = {}) => updateMirror(server.url, folder, { now: () => NOW, policy, ...more });
  const offer = (site: Site) => {
    server.site = site;
  };
  const held = () => readFile(join(folder, CHECKPOINT), 'utf8');

  test('takes the cosignatures with the release, with a policy and without', async () => {
    const { witnessing } = await update();
    expect(witnessing!.isQuorum).toBe(true);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
    folder = await temporaryFolder();
    expect((await update({ policy: null })).witnessing).toBe(null);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('with a policy keeps the former release until witnesses have cosigned the new one', async () => {
    offer(siteOf(2, cosigned(noteOf(200), [W1, W2])));
    await update();
    const before = contents(await servedBy(folder));
    for (const keys of [[], [W1]]) {
      offer(siteOf(3, cosigned(noteOf(300), keys)));
      expect(await failureOf(update)).toMatchObject({
        code: 'witness_quorum',
        expected: expect.stringContaining('until then the mirror keeps version 2, release-2'),
      });
      expect(contents(await servedBy(folder))).toEqual(before);
    }
    offer(siteOf(3, cosigned(noteOf(300), [W1, W3])));
    expect(await update()).toMatchObject({ outcome: 'mirrored', manifest: { version: 3 } });
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('with a policy takes cosignatures that the publisher keeps, but not those of a newer checkpoint', async () => {
    const newer = { [CHECKPOINT]: cosigned(noteOf(400), [W1, W2, W3]) };
    const site = new Map([...smallSite({ release: 4 }), ...siteOf(3, '', newer)]);
    offer(site);
    expect(await failureOf(update)).toMatchObject({ code: 'witness_quorum' });
    site.set('log/cosigned/300', Buffer.from(cosigned(noteOf(300), [W2, W3])));
    await update();
    expect(await held()).toBe(cosigned(noteOf(300), [W2, W3]));
    site.set('log/cosigned/300', Buffer.from(cosigned(noteOf(300), [W1])));
    await update();
    expect(await held()).toBe(cosigned(noteOf(300), [W2, W3, W1]));
  });

  test('adds later cosignatures to an unchanged release, and drops none', async () => {
    offer(siteOf(3, noteOf(300)));
    await update({ policy: null });
    expect(await failureOf(update)).toMatchObject({ code: 'witness_quorum' });
    for (const [keys, all] of [
      [[W1], [W1]],
      [[W2], [W1, W2]],
      [[], [W1, W2]],
      [
        [W2, W1],
        [W1, W2],
      ],
    ]) {
      offer(siteOf(3, cosigned(noteOf(300), keys!)));
      const { outcome } = await update(all!.length < 2 ? { policy: null } : {});
      expect([outcome, new Set((await held()).split('\n'))]).toEqual([
        'unchanged',
        new Set(cosigned(noteOf(300), all!).split('\n')),
      ]);
    }
  });

  test('refuses a checkpoint that contradicts its own, though the release is unchanged', async () => {
    await update();
    const before = contents(await servedBy(folder));
    const other = (index: number) => (index < 150 ? `event ${index}` : `other ${index}`);
    const log = logOf(400, other).files;
    for (const size of [200, 300, 400]) {
      const note = Buffer.from(cosigned(noteOf(size, other), [W1, W2, W3]));
      offer(new Map([...siteOf(3, ''), ...log, [CHECKPOINT, note]]));
      expect(await failureOf(update), `${size}`).toMatchObject({ code: 'mirror_forked' });
    }
    offer(siteOf(3, cosigned(noteOf(300).replace(LEDGER.verifier.name, 'another.example.org'), [])));
    expect(await failureOf(() => update({ ledgerKeys: [LEDGER.verifier] }))).toMatchObject({
      code: 'mirror_untrusted',
    });
    expect(contents(await servedBy(folder))).toEqual(before);
    offer(siteOf(3, noteOf(200)));
    expect((await update()).outcome).toBe('unchanged');
    expect(contents(await servedBy(folder))).toEqual(before);
  });

  test('keeps no forged cosignature by a witness of its policy, even one that came without it', async () => {
    const forged = cosigned(noteOf(300), [W1, W2]) + cosignatures(noteOf(200), [W3]);
    offer(siteOf(3, forged));
    expect(await failureOf(update)).toMatchObject({ code: 'witness_signature' });
    await update({ policy: null });
    expect(await held()).toBe(forged);
    expect(await failureOf(update)).toMatchObject({ code: 'witness_signature' });
    offer(siteOf(3, cosigned(noteOf(300), [W1])));
    expect((await update()).outcome).toBe('unchanged');
    expect(await held()).toBe(cosigned(noteOf(300), [W1, W2]));
  });
});

/**
 * A publisher signs two logs with one key and shows each reader one of them. Both readers have the same policy; the witnesses are honest
 * and cosign what they see first.
 */
describe('a publisher that shows two logs', () => {
  const mintsOf = (all: typeof events) => [
    micHistory.head(),
    ...all.toReversed().flatMap((event) => micHistory.rows({ event, hash: '' })),
  ];

  async function withStandardInput<T>(text: string, work: () => Promise<T>): Promise<T> {
    const real = Object.getOwnPropertyDescriptor(process, 'stdin')!;
    Object.defineProperty(process, 'stdin', { ...real, get: () => Readable.from([Buffer.from(text)]) });
    try {
      return await work();
    } finally {
      Object.defineProperty(process, 'stdin', real);
    }
  }

  let folder: string;
  let file: string;
  let witnesses: Witness[];
  const [shown, hidden] = [
    eventOf,
    (index: number) => (index === 250 ? 'event, but different' : eventOf(index)),
  ];

  /** Asks each witness; those that refuse leave no line. */
  async function ask(note: string): Promise<string> {
    const answers = await Promise.all(
      witnesses.map((witness) => witness.addCheckpoint(formatAddCheckpoint({ old: 0, proof: [], note }))),
    );
    return note + answers.flatMap(({ status, body }) => (status === 200 ? body : [])).join('');
  }

  async function begin(log: string, origin: string): Promise<void> {
    folder = await temporaryFolder();
    file = join(folder, 'policy');
    await writeFile(file, policyOf(log));
    const logs = [{ origin, keys: [parseLogKey(log)] }];
    witnesses = await Promise.all(
      [W1, W2, W3].map((key, at) =>
        Witness.open({
          folder: join(folder, `w${at}`),
          keys: [key],
          logs,
          now: () => NOW - 60_000,
          log: () => {},
        }),
      ),
    );
  }

  describe('to those who copy it', () => {
    const SPLIT: Record<string, (honest: string) => Promise<string>> = {
      'asks the witnesses for both': async () => ask(noteOf(300, hidden)),
      'copies the cosignatures of the other': async (honest) => {
        return noteOf(300, hidden) + honest.slice(noteOf(300, shown).length);
      },
      'has one witness that lies': async () => cosigned(noteOf(300, hidden), [W3]),
    };
    const CODES = ['witness_quorum', 'witness_signature', 'witness_quorum'];

    test.each(Object.entries(SPLIT).map(([how, split], at) => [how, split, CODES[at]!] as const))(
      'is found by every reader if it %s',
      async (_, split, code) => {
        await begin(formatVerifierKey(LEDGER.verifier), LEDGER.verifier.name);
        const honest = await ask(noteOf(300, shown));
        const secret = await split(honest);
        const sites = [smallSite({ release: 3 }), smallSite({ release: 3, event: hidden })];
        const outcomes: Record<string, unknown[]> = { verify: [], folder: [], mirror: [] };
        for (const [at, note] of [honest, secret].entries()) {
          server.site = sites[at]!.set(CHECKPOINT, Buffer.from(note));
          const place = join(folder, `mirror-${at}`);
          const flags = ['--verifier-key', formatVerifierKey(PUBLISHER.verifier), '--policy', file];
          const run = async (name: string, ...args: string[]) => {
            const { status, stdout, stderr } = await runHere(name, [...args, ...flags], { now: () => NOW });
            return [status, (stdout + stderr).match(/\((\w+)\)/)?.[1]];
          };
          outcomes.verify!.push(await run('verify', server.url));
          outcomes.mirror!.push(await run('mirror', server.url, place));
          // Without a policy, this one takes whatever it is shown.
          await updateMirror(server.url, `${place}-blind`, { now: () => NOW });
          outcomes.folder!.push(await run('verify', `${place}-blind`));
        }
        const each = [
          [0, undefined],
          [1, code],
        ];
        expect(outcomes).toEqual({ verify: each, folder: each, mirror: each });
      },
    );
  });

  describe('to those who prove and audit', () => {
    let base: string;
    const [one, two] = [events, events.with(400, { ...events[400]!, agent: 'Someone else' })];

    beforeAll(async () => {
      base = await mkdtemp(join(tmpdir(), 'cathedral-split-'));
      await publishSmallLog(join(base, 'ledger-0'), join(base, 'out-0'));
      const ledger = join(base, 'ledger-1');
      await publishLog(
        join(base, 'out-1'),
        ledger,
        await writeSnapshot(ledger, FIRST_SLOT, LEDGER_START, two),
      );
    });
    afterAll(() => rm(base, { recursive: true, force: true }));

    test('is found by proofs and exports', async () => {
      const key = formatVerifierKey(signer.verifier);
      await begin(key, signer.verifier.name);
      const keys = join(folder, 'ledger.vkey');
      await writeFile(keys, `${key}\n`);
      const outcomes: unknown[] = [];
      for (const [at, all] of [one, two].entries()) {
        const out = join(base, `out-${at}`);
        const place = join(out, CHECKPOINT);
        await writeFile(place, await ask(await readFile(place, 'utf8')));
        const run = async (name: string, ...args: string[]) => {
          const result = await runHere(name, [...args, '--policy', file], { now: () => NOW });
          const [, code] = /\((\w+)\)/.exec(result.stdout + result.stderr) ?? [];
          return { ...result, outcome: [name, result.status, code] };
        };
        const hash = hashOf(all[400]!);
        const table = join(folder, `${at}.csv`);
        await writeFile(table, fileOf('csv', rowsOf('csv', all)));
        const proved = await run('prove', hash, '--out', out);
        const plain = await runHere('prove', [hash, '--out', out, '--ledger-key', keys]);
        const proof = join(folder, `${at}.tlog-proof`);
        await writeFile(proof, plain.stdout);
        const verified = await run('verify-proof', proof, '--event', hash);
        const audited = await run('verify-export', table, '--out', out);
        const [history, rows] = [join(folder, `mints-${at}.csv`), mintsOf(all)];
        await writeFile(history, rows.join(''));
        const compared = await run('prove-row', history, '--out', out);
        const row = rows[1]!.trim();
        const traced = await run('prove-row', row, '--out', out);
        const piped = await withStandardInput(row, () => run('prove-row', '-', '--out', out));
        expect(piped).toEqual(traced);
        outcomes.push([proved, verified, audited, compared, traced].map(({ outcome }) => outcome));
        const isHonest = at === 0;
        // The proof is one of the log, whoever witnessed that.
        expect(verified.stdout).toContain(`event 0x${hash} is number 400`);
        expect(verified.stdout.includes('3 of 3 witnesses of the policy signed this checkpoint')).toBe(
          isHonest,
        );
        expect(audited.stdout.includes('3 of 3 witnesses of the policy signed')).toBe(isHonest);
        expect(audited.stdout).toContain('The export is complete');
        expect(plain.stdout.match(/^— /gm)).toHaveLength(isHonest ? 4 : 1);
        const json = JSON.parse((await run('verify-proof', proof, '--event', hash, '--json')).stdout);
        expect([json.valid, json.witnesses.quorum]).toEqual([isHonest, isHonest]);
        for (const { stdout } of [compared, traced]) {
          expect(stdout).toMatch(/^The (file|row) is proved/m);
          expect(stdout.includes('3 of 3 witnesses of the policy signed')).toBe(isHonest);
          expect(stdout.includes('But that may not be the log that others see')).toBe(!isHonest);
        }
        for (const given of [history, row]) {
          const printed = await run('prove-row', given, '--out', out, '--json');
          expect([printed.status, JSON.parse(printed.stdout)]).toMatchObject([
            isHonest ? 0 : 1,
            { verdict: 'proved', witnesses: { quorum: isHonest } },
          ]);
        }
        const forOthers = await run('prove-row', row, '--print-proof', '--out', out);
        expect(forOthers.outcome).toEqual([
          'prove-row',
          ...(isHonest ? [0, undefined] : [1, 'witness_quorum']),
        ]);
        expect(forOthers.stdout === '').toBe(!isHonest);
      }
      const names = ['prove', 'verify-proof', 'verify-export', 'prove-row', 'prove-row'];
      expect(outcomes).toEqual([
        names.map((name) => [name, 0, undefined]),
        names.map((name) => [name, 1, 'witness_quorum']),
      ]);
    });
  });
});
