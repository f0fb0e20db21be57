import { CREDENTIAL_SETTINGS } from '../../pipeline/objects/object-address.ts';

// Apart from what these settings open: a command that only may need it loads it when it does.

/** For commands that read or write the bucket of releases. */
export const BUCKET_SETTINGS = ['releases', ...CREDENTIAL_SETTINGS] as const;

/** Where many machines share a ledger. */
export const SHARED_SETTINGS = ['store', ...BUCKET_SETTINGS] as const;

/** For commands that read a ledger, wherever it is. */
export const SOURCE_SETTINGS = [
  'ledgerKey',
  'importFolder',
  'importKey',
  'mapping',
  'wait',
  ...SHARED_SETTINGS,
] as const;
