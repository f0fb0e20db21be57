import { BUCKET_SETTINGS, SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';

/** What publishers share. */
export const TURN_SETTINGS = ['store', ...BUCKET_SETTINGS, 'switchDelay'] as const;

/** The settings of a run, which a service passes on to the runs that it starts. */
export const RUN_SETTINGS = [
  'ledger',
  ...SOURCE_SETTINGS,
  'ledgerSigningKey',
  'out',
  'documents',
  'allowPlaceholders',
  'companions',
  'baseUrl',
  'sourceCode',
  'withoutSite',
  'withoutPdf',
  'chromium',
  'publisherKey',
  'snapshotDays',
  'witnesses',
  'purgeUrl',
  'purgeHeader',
  'purgeBody',
  ...TURN_SETTINGS,
] as const;
