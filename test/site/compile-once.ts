import { join } from 'node:path';
import { type Compile, compileSite } from '../../pipeline/build/site/compile-site.ts';
import { madeOnce } from './made-once.ts';

/** The site of the service's own documents, which all test files of a run share: compiling it again takes as long as all of its pages. */
export const compileOnce: Compile = (cache, documents) => {
  if (documents !== 'data/documents') return compileSite(cache, documents);
  return madeOnce('compiled', (folder) => compileSite(join(folder, 'cache'), documents));
};
