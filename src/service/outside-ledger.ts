import { ledgerFolder } from '../../pipeline/config/ledger-address.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { assertOutside } from '../../pipeline/ledger/writing/ledger-keys.ts';

/**
 * In the ledger's own folder, OUT/snapshots would be those of the ledger, restricted events included, and a copy of the ledger would have the
 * publisher's secret. Throws config_invalid.
 */
export function assertPublishesOutside(
  config: Pick<Config, 'ledger' | 'importFolder' | 'out' | 'publisherKey'>,
): void {
  const ledger = ledgerFolder(config.ledger, config);
  assertOutside(ledger, config.out, { setting: '--out', what: 'a folder' });
  assertOutside(ledger, config.publisherKey, { setting: '--publisher-key', what: 'a file' });
}
