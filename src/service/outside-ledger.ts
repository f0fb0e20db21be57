import { ledgerFolder } from '../../pipeline/config/ledger-address.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { assertOutside } from '../../pipeline/ledger/writing/ledger-keys.ts';

/** Of a ledger in OUT, web servers would show the snapshots, restricted events included. Throws config_invalid. */
export function assertPublishesOutside(
  config: Pick<Config, 'ledger' | 'importFolder' | 'out' | 'publisherKey'>,
): void {
  const ledger = ledgerFolder(config.ledger, config);
  assertOutside(ledger, config.out, { setting: '--out', what: 'a folder' });
  assertOutside(ledger, config.publisherKey, { setting: '--publisher-key', what: 'a file' });
}
