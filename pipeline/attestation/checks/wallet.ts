import { type Case, failed, notChecked, type Outcome, passed } from '../check.ts';
import { walletOf } from '../companions.ts';
import { problem } from '../problem.ts';
import { recoverWallet } from '../wallet-signature.ts';

type Asked = Pick<Case, 'attestation' | 'companions'>;

export function checkWallet({ attestation, companions }: Asked): Outcome {
  const known = walletOf(companions, attestation.ledger_id);
  if (known === null) return notChecked('The wallet of this ledger id is unknown.');
  const { address, fault } = recoverWallet(attestation.wallet_signature, attestation);
  if (fault !== null) return failed(problem(fault, ['wallet_signature']));
  if (address === known.toLowerCase()) return passed(`The wallet ${known} has signed the request.`);
  const detail = `The wallet of the ledger id is ${known}; the signature is by ${address}, or over a different request.`;
  return failed(problem('wallet_signature_invalid', ['wallet_signature'], detail));
}

/** For a companion about to sign: even if no wallet is known, the signature must be one that some wallet can have made. */
export function checkAnyWallet(given: Asked): Outcome {
  const { attestation, companions } = given;
  if (walletOf(companions, attestation.ledger_id) !== null) return checkWallet(given);
  const { address, fault } = recoverWallet(attestation.wallet_signature, attestation);
  if (address !== null) return passed(`The wallet signature over this request is by ${address}.`);
  const detail =
    fault === 'wallet_signature_invalid' ? 'No wallet can have made the wallet signature.' : undefined;
  return failed(problem(fault, ['wallet_signature'], detail));
}
