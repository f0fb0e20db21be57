import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cosign } from '../../pipeline/ledger/notes/cosignature.ts';
import {
  COSIGNATURE,
  type Cosigner,
  formatVerifierKey,
  noteText,
  type Signer,
} from '../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../pipeline/ledger/notes/signer-from-seed.ts';
import { parseWitnessPolicy } from '../../pipeline/ledger/notes/witness-policy.ts';
import type { Trust } from '../../pipeline/verify/checks.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { type Verification, verify } from '../../pipeline/verify/verify.ts';
import { runHere } from '../contract/commands/seam.ts';
import { LyingServer } from '../contract/lies/host.ts';
import { BEGIN, LEDGER, logOf, PUBLISHER, type Site, STRANGER, smallSite } from '../mirror/small-service.ts';
import { contents, httpOrigin, servedBy, updateMirror } from '../mirror/update-mirror.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';

const NOW = BEGIN + 13 * 3_600_000;
const MINUTE = 60;
const [W1, W2, W3] = ['one', 'two', 'three'].map((name, at) =>
  signerFromSeed(`${name}.witness.example`, Buffer.alloc(32, 100 + at), COSIGNATURE),
) as [Signer<Cosigner>, Signer<Cosigner>, Signer<Cosigner>];

const policyOf = (log: string) => `log ${log}
${[W1, W2, W3].map(({ verifier }, at) => `witness W${at + 1} ${formatVerifierKey(verifier)}\n`).join('')}
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
function cosignatures(note: string, keys: readonly Signer<Cosigner>[], age = 5 * MINUTE): string {
  const text = noteText(note, 'note');
  return keys.map((key) => cosign(key, text, NOW / 1000 - age)).join('');
}

const cosigned = (note: string, keys: readonly Signer<Cosigner>[], age?: number) =>
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
    const kept: Site = new Map([['log/cosigned/200', Buffer.from(cosigned(noteOf(200), [W1, W2]))]]);
    expect(contents(await servedBy(folder))).toEqual(contents(new Map([...server.site, ...kept])));
  });

  test('keeps the checkpoint of a former release as its origin does, if witnesses cosigned it', async () => {
    offer(siteOf(2, noteOf(200)));
    await update({ policy: null });
    offer(siteOf(3, cosigned(noteOf(300), [W1, W2])));
    await update();
    offer(siteOf(4, cosigned(noteOf(400), [W1, W2, W3])));
    await update();
    const served = await servedBy(folder);
    expect(served.has('log/cosigned/200')).toBe(false);
    expect(String(served.get('log/cosigned/300'))).toBe(cosigned(noteOf(300), [W1, W2]));
    const trust = { keys: [PUBLISHER.verifier], ledgerKeys: null };
    const means = { parallel: 4, now: () => NOW, wait: async () => {}, log: () => {} };
    expect((await verify(await FolderOrigin.at(folder), trust, means)).findings).toEqual([]);
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
