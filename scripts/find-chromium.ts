// Prints the path of the Chromium that a build would use. Exits with 1 if there is none, and with 2 if a setting is wrong.

import { findChromium } from '../pipeline/build/pdf/chromium.ts';
import { programPath, readConfig } from '../pipeline/config/config.ts';
import { CathedralError } from '../pipeline/errors.ts';

try {
  const { chromium } = readConfig(['chromium'], []);
  console.log(findChromium({ configured: chromium, path: programPath() }));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof CathedralError ? error.exit : 1;
}
