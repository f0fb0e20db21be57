import type { Setting, ValueOf } from './setting.ts';
import { ATTESTATIONS } from './settings/attestations.ts';
import { KEY_HOLDERS } from './settings/key-holders.ts';
import { LEDGER } from './settings/ledger.ts';
import { LIVE } from './settings/live.ts';
import { MANY_MACHINES } from './settings/many-machines.ts';
import { MIRROR } from './settings/mirror.ts';
import { PUBLISHING } from './settings/publishing.ts';
import { SERVER } from './settings/server.ts';

/**
 * Every setting with an environment variable. Values that only one command takes are flags of that command, in
 * `src/commands`. The help, docs/cli.md and the tests are derived from this table.
 */
export const SETTINGS = {
  ...LEDGER,
  ...PUBLISHING,
  ...SERVER,
  ...LIVE,
  ...KEY_HOLDERS,
  ...MIRROR,
  ...MANY_MACHINES,
  ...ATTESTATIONS,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** The value of every setting; null where nothing was given and there is no default. */
export type Config = { [K in SettingName]: ValueOf<(typeof SETTINGS)[K]> };

/** The credentials of an object store. */
export const CREDENTIAL_SETTINGS = ['accessKeyId', 'secretAccessKey', 'sessionToken'] as const;

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
