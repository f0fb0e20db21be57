import source from '../../../docs/dependencies.md?raw';

/** `| licence | packages | which |`, as scripts/licences.ts finds them. */
const ROW = /^\| ([^|`]+) \| (\d+) \| ([^|]+) \|$/gm;

/** The licences of the packages that the software consists of besides its own, the most frequent first. */
export const LICENCES: readonly { licence: string; packages: string }[] = [...source.matchAll(ROW)].map(
  ([, licence = '', , packages = '']) => ({ licence, packages }),
);
