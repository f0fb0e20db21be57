import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Everything below a folder as sorted paths relative to it, with `/`. `others` are links, sockets and the like.
 */
export interface Tree {
  files: string[];
  folders: string[];
  others: string[];
}

/** Unlike the recursive `readdir`, does not follow links. */
export async function listTree(dir: string): Promise<Tree> {
  const tree: Tree = { files: [], folders: [], others: [] };
  await collect(dir, '', tree);
  for (const paths of Object.values(tree)) paths.sort();
  return tree;
}

async function collect(dir: string, below: string, tree: Tree): Promise<void> {
  for (const entry of await readdir(join(dir, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile()) tree.files.push(path);
    else if (entry.isDirectory()) {
      tree.folders.push(path);
      await collect(dir, path, tree);
    } else tree.others.push(path);
  }
}
