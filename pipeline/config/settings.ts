import type { z } from 'zod';
import { ATTESTATION_SETTINGS } from './attestation-settings.ts';
import { KEY_SETTINGS } from './key-settings.ts';
import { LOG_SETTINGS } from './log-settings.ts';
import { MIRROR_SETTINGS } from './mirror-settings.ts';
import { PUBLISHING_SETTINGS } from './publishing-settings.ts';
import { RECORD_SETTINGS } from './record-settings.ts';
import { SAMPLE_SETTINGS } from './sample-settings.ts';
import { SERVING_SETTINGS } from './serving-settings.ts';
import type { Setting } from './setting.ts';

/** Every setting of every command. The help, the operations guide and the tests are read off this table. */
export const SETTINGS = {
  ...PUBLISHING_SETTINGS,
  ...SERVING_SETTINGS,
  ...KEY_SETTINGS,
  ...RECORD_SETTINGS,
  ...ATTESTATION_SETTINGS,
  ...MIRROR_SETTINGS,
  ...SAMPLE_SETTINGS,
  ...LOG_SETTINGS,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** The values of all settings; one without a default may be null. */
export type Config = {
  [K in SettingName]:
    | z.output<(typeof SETTINGS)[K]['schema']>
    | ((typeof SETTINGS)[K]['default'] extends null ? null : never);
};
