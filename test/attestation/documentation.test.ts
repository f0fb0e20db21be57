import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attestationUuid } from '../../pipeline/attestation/canonical-bytes.ts';
import { Companions } from '../../pipeline/attestation/companions.ts';
import { registryOf } from '../../pipeline/attestation/registry.ts';
import { verifyAttestation } from '../../pipeline/attestation/verify-attestation.ts';
import { walletText } from '../../pipeline/attestation/wallet-signature.ts';
import { formatEventLine, parseEventLine } from '../../pipeline/ledger/events/event-line.ts';
import { cycleOf } from '../../pipeline/ledger/events/slot.ts';
import {
  applyCompanionEvent,
  type CompanionState,
  isCompanionEvent,
} from '../../pipeline/model/companions.ts';
import { useFolder } from '../setups/use-folder.ts';
import { DEMO_COMPANIONS } from './demo-companions.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(PROJECT, 'docs/attestations.md'), 'utf8');
const blocks = (text: string, language: string) =>
  [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter((match) => match[1] === language)
    .map((match) => match[2]!);
const [, afterHeading = ''] = page.split('### Worked example\n');
const example = afterHeading.split(/^## /m)[0]!;
const has = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const FOLDER = useFolder();

function run(script: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', script], { cwd: FOLDER, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

const companions = Companions.parse(JSON.parse(blocks(page, 'json')[0]!));
const trust = { now: Date.parse('2025-12-01T06:00:00Z'), companions, registry: null };
const readHere = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

describe.skipIf(!has('openssl', 'version'))('the worked example', () => {
  const [files, bytes, openssl, node, _python, ec] = blocks(example, 'sh');
  const [message, justification, printed] = blocks(example, 'text');
  const signature = printed!.split('\n')[2]!;

  test('gives the bytes shown', () => {
    run(files!);
    run(bytes!);
    expect(`${readHere('message')}\n`).toBe(message);
    expect(`${readHere('justification')}\n`).toBe(`${justification!.split('\n')[0]}\n`);
  });

  test('gives the output shown with openssl', () => {
    expect(run(openssl!)).toBe(printed);
    const [hash, id] = printed!.split('\n');
    expect(justification).toContain(`sha256:${hash}`);
    expect(example).toContain(`The UUID is \`${attestationUuid(id!)}\``);
  });

  test('signs with Node, and verifies here, including its wallet', () => {
    expect(run(node!)).toBe(`${signature}\n`);
    const verdict = verifyAttestation(readHere('signed.json'), trust);
    expect(verdict).toMatchObject({ valid: true, id: printed!.split('\n')[1] });
    expect(verdict.checks.filter(({ result }) => result !== 'passed').map(({ name }) => name)).toEqual([
      'registration',
    ]);
  });

  test('signs with secp256k1, and verifies here', () => {
    const public_key = run(ec!).trim();
    const [, json = ''] = readHere('ec-message').split('\n');
    const document = { ...JSON.parse(json), signature: readHere('ec-signature') };
    const key = { algorithm: 'ecdsa-secp256k1' as const, public_key, valid_from: '2025-07-03T00:00:00Z' };
    const given = { companions: [{ companion: 'EXAMPLE', keys: [key] }], wallets: [] };
    expect(verifyAttestation(JSON.stringify(document), { ...trust, companions: given })).toMatchObject({
      valid: true,
    });
  });

  test('shows the text that its wallet signed', () => {
    const document = JSON.parse(readHere('signed.json'));
    expect(blocks(page, 'text').at(-1)).toBe(`${walletText(document)}\n`);
  });
});

describe.skipIf(!has('openssl', 'version'))('the events on that page', () => {
  const lines = blocks(page, 'ndjson')[0]!.trimEnd().split('\n');
  const events = lines.map((line, index) => parseEventLine(Buffer.from(line), () => `line ${index + 1}`));
  test('are spelt as the ledger’s writer has to, and register, check and revoke the document of the example', () => {
    expect(events.map(formatEventLine)).toEqual(lines);
    for (const { timestamp, cycle } of events) expect(cycle).toBe(cycleOf(timestamp));
    const state: CompanionState = { companions: {}, unattested: {}, remembered: {} };
    const statuses = events.filter(isCompanionEvent).map((event) => {
      expect(applyCompanionEvent(state, event)).toEqual([]);
      const known = { companions, registry: registryOf(state.companions), now: Date.parse(event.timestamp) };
      const { status, checks } = verifyAttestation(readHere('signed.json'), known);
      return [status, checks.find(({ name }) => name === 'registration')!.result];
    });
    expect(statuses).toEqual([
      ['active', 'passed'],
      ['active', 'passed'],
      ['revoked', 'passed'],
    ]);
  });
});

test('data/keys/companions.json has the keys of the sample’s companions', () => {
  const text = readFileSync(join(PROJECT, 'data/keys/companions.json'), 'utf8');
  expect(text).toBe(`${JSON.stringify(DEMO_COMPANIONS, null, 2)}\n`);
  expect(Companions.parse(JSON.parse(text)).companions).toHaveLength(3);
});
