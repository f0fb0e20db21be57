import { type Check, failed, notChecked, passed } from '../check.ts';
import { walletOf } from '../companions.ts';
import { problem } from '../problem.ts';
import { walletFault } from '../wallet-signature.ts';

export const checkWallet: Check = ({ attestation, companions }) => {
  const address = walletOf(companions, attestation.ledger_id);
  if (address === null) return notChecked('The wallet of this ledger id is not known here.');
  const fault = walletFault(attestation.wallet_signature, attestation, address);
  return fault === null
    ? passed(`The wallet ${address} has signed the request.`)
    : failed(problem(fault, ['wallet_signature']));
};
