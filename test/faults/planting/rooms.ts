interface Room {
  /** Folders and files of the product. */
  product: readonly string[];
  /** The contract, and the unit tests that take no time: patterns of files. */
  tests: readonly string[];
}

/** Where seeded faults are planted, and which tests have to find them. */
export const ROOMS: Readonly<Record<string, Room>> = {
  ledger: {
    product: ['pipeline/ledger', 'pipeline/model'],
    tests: ['test/contract/{import,release}.test.ts', 'test/{ledger,model}/**/*.test.ts'],
  },
  release: {
    product: ['pipeline/artifacts', 'pipeline/build', 'pipeline/release/format', 'pipeline/release/staging'],
    tests: ['test/contract/release.test.ts', 'test/{artifacts,build,release}/*.test.ts'],
  },
  simulation: {
    product: ['src/simulation'],
    tests: ['test/contract/simulation*.test.ts', 'test/simulation/**/*.test.ts'],
  },
  stores: {
    product: [
      ...'pipeline/disk pipeline/postgres pipeline/release/signing pipeline/sql'.split(' '),
      ...'src/sidecar/access-log src/sidecar/keys src/sidecar/limits src/sidecar/storage'.split(' '),
    ],
    tests: [
      'test/contract/stores/*.test.ts',
      'test/{disk,postgres}/*.test.ts',
      'test/release/sign*.test.ts',
      'test/sidecar/{access-log,keys,limits,storage}/*.test.ts',
    ],
  },
  verify: {
    product: ['pipeline/verify', 'pipeline/mirror', 'pipeline/attestation', 'pipeline/witness'],
    tests: [
      'test/contract/{lies,attestation,published}.test.ts',
      'test/{verify,mirror,attestation,witness}/**/*.test.ts',
    ],
  },
  http: {
    product: 'src/api src/sidecar/files src/sidecar/request src/sidecar/export src/sidecar/live'.split(' '),
    tests: [
      'test/contract/http*.test.ts',
      'test/api/**/*.test.ts',
      'test/sidecar/{files,export,live}/*.test.ts',
      'test/sidecar/*.test.ts',
    ],
  },
};
