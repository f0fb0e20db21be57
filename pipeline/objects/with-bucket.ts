import type { BUCKET_SETTINGS, Config } from '../config/settings.ts';
import { software } from '../config/software.ts';
import { credentialsFrom } from './object-address.ts';
import { type ObjectStore, openObjectStore } from './object-store.ts';

/** Runs `work` with the bucket of releases, or with null if none is configured. Throws config_invalid and store_failed. */
export async function withBucket<T>(
  config: Pick<Config, (typeof BUCKET_SETTINGS)[number]>,
  { access, log }: { access: 'read' | 'write'; log: (line: string) => void },
  work: (bucket: ObjectStore | null) => Promise<T>,
): Promise<T> {
  const { releases } = config;
  if (releases === null) return work(null);
  const bucket = await openObjectStore(releases, credentialsFrom(config), {
    software: software(),
    access,
    log,
  });
  try {
    return await work(bucket);
  } finally {
    bucket.close();
  }
}
