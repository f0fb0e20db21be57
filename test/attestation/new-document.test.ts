import { describe, expect, test } from 'vitest';
import { checkDraft } from '../../pipeline/attestation/check-draft.ts';
import { signWithDemoWallet } from '../../pipeline/attestation/demo-companions.ts';
import { formatDocument } from '../../pipeline/attestation/document.ts';
import { type JsonObject, MAX_BYTES } from '../../pipeline/attestation/limited-json.ts';
import { type NewDocument, newDocument } from '../../pipeline/attestation/new-document.ts';
import { signAttestation } from '../../pipeline/attestation/sign-attestation.ts';
import { verifyAttestation } from '../../pipeline/attestation/verify-attestation.ts';
import { LANTERN, NOW, signed, TRUST, UNSIGNED } from './signed-document.ts';

const NOTHING: NewDocument = {
  draft: {},
  companion: null,
  algorithm: null,
  ledgerId: null,
  scope: null,
  risk: null,
  riskReason: null,
  justification: null,
  hashOnly: false,
  walletSignature: null,
  days: null,
  expiresAt: null,
  ccr: null,
  threshold: null,
  interval: null,
  unwatched: false,
  context: null,
  previous: null,
  trail: null,
};
const from = (draft: JsonObject, more: Partial<NewDocument> = {}) =>
  checkDraft(newDocument({ ...NOTHING, draft, ...more }, NOW), NOW, { wallets: [] });

describe('a new document from one before', () => {
  test.each<[string, Partial<NewDocument>]>([
    ['ledger id', { ledgerId: '0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0c' }],
    ['justification', { justification: { reasoning: 'For another reason.' } }],
    ['scope', { scope: 'ledger.read.export' }],
    ['time', { days: 30 }],
  ])('with another %s asks for the wallet’s signature again', (_, changes) => {
    const { document, problems, walletText } = from(signed(), changes);
    expect(problems).toEqual([]);
    expect(document).not.toHaveProperty('wallet_signature');
    expect(walletText).toContain(
      `ledger_id: ${document.ledger_id}\nepicon_ej_hash: ${document.epicon_ej_hash}`,
    );
  });

  test('that the wallet would sign in the same words keeps its signature', () => {
    const { document, walletText } = from(signed(), { risk: 'high', context: 'another year' });
    expect(document.wallet_signature).toBe(UNSIGNED.wallet_signature);
    expect(walletText).toBeNull();
  });

  test.each<[string, Partial<NewDocument>]>([
    ['expired', { expiresAt: '2025-12-01T12:00:00Z' }],
    ['expires_before_attested', { expiresAt: '2025-12-01T11:00:00+00:00' }],
    ['validity_too_long', { expiresAt: '2026-03-01T12:00:01Z' }],
    ['wrong_pattern', { expiresAt: 'tomorrow' }],
  ])('is no document for a wallet to sign where it is refused for %s', (code, changes) => {
    const { problems, walletText } = from(signed(), changes);
    expect(problems).toContainEqual(expect.objectContaining({ code, pointer: '/expires_at' }));
    expect(walletText).toBeNull();
  });

  test('has the signature that is given, whatever has changed', () => {
    const walletSignature = signWithDemoWallet(UNSIGNED);
    const { document, walletText } = from(signed(), { days: 30, walletSignature });
    expect([document.wallet_signature, walletText]).toEqual([walletSignature, null]);
  });
});

describe('a document that is nearly too long', () => {
  const { wallet_signature: _, ...request } = UNSIGNED;
  const long = (document: JsonObject, bytes: number): JsonObject => {
    const room = bytes - JSON.stringify({ ...document, metadata: { request_context: '' } }).length;
    return { ...document, metadata: { request_context: 'x'.repeat(room) } };
  };
  /** As those who print and save it write it. */
  const saved = (document: JsonObject) => `${formatDocument(document)}\n`;
  const plain = { ...request, risk_justification: 'Reading alone.' };
  const WALLET = { wallet_signature: UNSIGNED.wallet_signature };
  const whole = { ...plain, ...WALLET, signature: signed().signature! };
  const unsignedBytes = (left: number) =>
    MAX_BYTES - left - (JSON.stringify(whole).length - JSON.stringify(plain).length);

  test('is printed indented where that fits, and else without spaces', () => {
    const few = long(plain, 1000);
    expect(formatDocument(few)).toBe(JSON.stringify(few, null, 2));
    const many = long(plain, MAX_BYTES - 100);
    expect(formatDocument(many)).toBe(JSON.stringify(many));
    for (let bytes = MAX_BYTES - 700; bytes < MAX_BYTES; bytes += 1)
      expect(Buffer.byteLength(saved(long(plain, bytes)))).toBeLessThanOrEqual(MAX_BYTES);
  });

  test('is drafted, signed and verified as long as there is room for both signatures', () => {
    const { document, problems } = from(long(plain, unsignedBytes(1)), { ledgerId: UNSIGNED.ledger_id });
    expect(problems).toEqual([]);
    const asked = JSON.stringify({ ...document, ...WALLET });
    const { document: done } = signAttestation(asked, LANTERN, NOW);
    expect(Buffer.byteLength(saved(done!))).toBe(MAX_BYTES);
    expect(verifyAttestation(saved(done!), TRUST)).toMatchObject({ valid: true });
  });

  test('is refused before anybody signs it where there is none', () => {
    const { document, problems } = from(long(plain, unsignedBytes(0)), { ledgerId: UNSIGNED.ledger_id });
    expect(problems).toMatchObject([{ code: 'too_large' }]);
    const asked = JSON.stringify({ ...document, ...WALLET });
    expect(signAttestation(asked, LANTERN, NOW).problems).toMatchObject([{ code: 'too_large' }]);
  });
});
