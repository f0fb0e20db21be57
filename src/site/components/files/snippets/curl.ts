import { lines, type Snippet } from './snippet.ts';
import type { Source } from './source.ts';

/** Saves the file; a public one again only where it has changed. */
export function curl({ url, fileName, restricted }: Source): Snippet {
  const target = `--output ${fileName} '${url}'`;
  if (restricted) {
    return {
      tool: 'curl',
      note: 'The key is read from the variable API_KEY, so that it is in no command.',
      code: `curl --fail --header "Authorization: Bearer $API_KEY" \\\n  ${target}`,
    };
  }
  const etag = `${fileName}.etag`;
  return {
    tool: 'curl',
    note: 'Run again, it downloads the file only if it has changed.',
    code: lines(`curl --fail --etag-save ${etag} --etag-compare ${etag} \\`, `  ${target}`),
  };
}
