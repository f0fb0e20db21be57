import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Companions } from '../../pipeline/attestation/companions.ts';
import {
  DEMO_LEDGER_IDS,
  demoCompanionKeys,
  walletSecret,
} from '../../pipeline/attestation/demo-companions.ts';
import { publicKeyHex } from '../../pipeline/attestation/sign-attestation.ts';
import { addressOf } from '../../pipeline/attestation/wallet-signature.ts';
import { FIRST_CYCLE } from '../../pipeline/ledger/events/slot.ts';

/** The companions that the sample trusts, and the wallets of its entities, made from the secret halves of their keys. */
export const DEMO_COMPANIONS: Companions = {
  companions: demoCompanionKeys().map(({ companion, algorithm, secretKey }) => ({
    companion,
    keys: [{ algorithm, public_key: publicKeyHex(algorithm, secretKey), valid_from: FIRST_CYCLE }],
  })),
  wallets: DEMO_LEDGER_IDS.map((ledger_id) => ({
    ledger_id,
    address: addressOf(secp256k1.getPublicKey(walletSecret(ledger_id), false)),
  })),
};
