import { CREDENTIALS, hasObjectStore, RadosGateway } from '../engines/object-store.ts';
import { engine } from './engine.ts';

export interface SharedObjects {
  /** Whether Ceph is not installed: `describe.skipIf(objects.isMissing)`. */
  isMissing: boolean;
  /** With which all buckets are opened. */
  credentials: typeof CREDENTIALS;
  /** The address of a new, empty bucket: `s3+http://127.0.0.1:17480/test-…`. */
  newBucket: () => Promise<string>;
  /** The store, which is to go on for the other files of the run. */
  gateway: () => Promise<RadosGateway>;
}

/**
 * The one real object store of a run, started by whichever test needs it first (ten seconds). Called once by a file, outside its
 * tests: `const objects = useObjects();`. A file that kills its gateway starts one with `RadosGateway.start()`.
 */
export function useObjects(): SharedObjects {
  let found: Promise<RadosGateway> | null = null;
  const find = async () => {
    const { folder, endpoint } = await engine<{ folder: string; endpoint: string }>('objects');
    return RadosGateway.at(folder, endpoint);
  };
  const gateway = () => {
    found ??= find();
    return found;
  };
  return {
    isMissing: !hasObjectStore,
    credentials: CREDENTIALS,
    newBucket: async () => (await gateway()).bucket(),
    gateway,
  };
}
