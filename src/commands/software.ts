import { createRequire } from 'node:module';

const { name, version } = createRequire(import.meta.url)('../../package.json') as {
  name: string;
  version: string;
};

export const VERSION = version;
/** `cathedral-data-service 0.1.0` */
export const SOFTWARE = `${name} ${version}`;
