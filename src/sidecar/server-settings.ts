import { BUCKET_SETTINGS } from '../../pipeline/config/settings.ts';

/** Where what is published comes from. */
export const PUBLISHED_SETTINGS = ['out', 'baseUrl', ...BUCKET_SETTINGS] as const;

export const SERVICE_SETTINGS = [
  ...PUBLISHED_SETTINGS,
  'store',
  'maxActive',
  'documents',
  'companions',
  'trustedProxies',
  'simulationOrigins',
  'simulationStartsPerClient',
] as const;

/** The settings of a server. */
export const LISTEN_SETTINGS = [
  ...SERVICE_SETTINGS,
  'logLevel',
  'host',
  'port',
  'requestTimeout',
  'keepAlive',
  'maxConnections',
  'cacheTagHeader',
  'drain',
  'grace',
] as const;
