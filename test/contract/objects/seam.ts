import { type ObjectStore, openObjectStore } from '../../../pipeline/objects/object-store.ts';
import { InProcessStore } from '../../engines/in-process-store.ts';
import { CREDENTIALS } from '../../engines/object-store.ts';
import { useObjects } from '../../setups/use-objects.ts';

export type { ObjectStore };

/** Opens a bucket or a folder in one, as the service does. */
export function open(
  address: string,
  access: 'read' | 'write' = 'write',
  attempts?: number,
): Promise<ObjectStore> {
  const options = { access, software: 'test/1', ...(attempts === undefined ? {} : { attempts }) };
  return openObjectStore(address, CREDENTIALS, options);
}

export interface Engine {
  name: string;
  isMissing: boolean;
  /** How it takes conditions. */
  conditions: string;
  /** How many keys it lists at once. */
  page: number;
  /** The address of a new bucket. */
  newBucket: () => Promise<string>;
  stop: () => void;
}

/** Every store that the contract is run over. */
export function engines(): Engine[] {
  const ceph = useObjects();
  let inProcess: InProcessStore | null = null;
  return [
    { name: 'Ceph', conditions: 'unquoted', page: 1000, stop: () => {}, ...ceph },
    {
      name: 'a server in this process',
      isMissing: false,
      conditions: 'quoted',
      page: 12,
      async newBucket() {
        inProcess = await InProcessStore.start({ pageSize: 12 });
        return inProcess.bucket('contract');
      },
      stop: () => inProcess?.stop(),
    },
  ];
}
