interface Room {
  /** Folders and files of the product. */
  product: readonly string[];
  /** The contract, and the unit tests that take no time: patterns of files. */
  tests: readonly string[];
}

/** Where seeded faults are planted, and which tests have to find them. */
export const ROOMS: Readonly<Record<string, Room>> = {
  stores: {
    product: [
      'pipeline/disk',
      'pipeline/postgres',
      'pipeline/release/signing',
      'src/sidecar/access-log',
      'src/sidecar/keys',
      'src/sidecar/limits',
      'src/sidecar/storage',
    ],
    tests: [
      'test/disk/*.test.ts',
      'test/sidecar/{access-log,keys,limits,storage}/*.test.ts',
      'test/release/sign*.test.ts',
    ],
  },
};
