import { z } from 'zod';
import { compareVersions as compare } from '../../pipeline/verify/versions/compare-versions.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { FilePath, knownFile } from './find-files.ts';
import { slotOf } from './held-release.ts';
import { MOST_ANSWER } from './read-rows.ts';
import { defineTool } from './tool.ts';
import { ToolError } from './tool-error.ts';

const Moment = z.string().max(40);
const Version = z.strictObject({ snapshot: z.string(), as_of: z.string(), sha256: z.string() });
const Changed = z.strictObject({
  member: z.string(),
  before: z.unknown().optional(),
  now: z.unknown().optional(),
});

export const compareVersions = defineTool({
  name: 'compare_versions',
  title: 'Compare two versions of a file',
  description:
    'Says what changed in a file between two times: the rows that were added or removed, or the members of a JSON document that changed, with both values. Both versions are verified against the publisher’s signed list of snapshots.',
  input: z.strictObject({
    path: FilePath,
    since: Moment.meta({ description: 'The earlier time, as in as_of of read_rows' }),
    until: Moment.optional().meta({ description: 'The later time. Default: the newest snapshot' }),
  }),
  output: z.strictObject({
    path: z.string(),
    kind: z.enum(['same', 'rows', 'members', 'bytes']).meta({
      description: 'bytes: the file is neither text nor JSON, and differs',
    }),
    before: Version,
    now: Version,
    added: z.array(z.string()).meta({ description: 'Rows as they stand in the file, newest first' }),
    removed: z.array(z.string()),
    changed: z.array(Changed),
    left_out: z.int().meta({ description: 'Changes beyond what an answer holds' }),
  }),
  run: async ({ path, since, until }, { held, count, signal }) =>
    held.read(async (release) => {
      const { artifact, file } = knownFile(release, path);
      const slots = [since, until ?? release.signed.manifest.snapshot].map(slotOf) as [string, string];
      if (slots[0] > slots[1]) throw new ToolError(`since: ${since} is after until, ${until ?? slots[1]}.`);
      await count(artifact.area);
      const older = await release.versionAt(file.path, slots[0]);
      const newer = await release.versionAt(file.path, slots[1]);
      const stop = () => signal.throwIfAborted();
      const found = await compare(release.origin, newer, older, stop);
      const { added, removed } = found.kind === 'rows' ? found : { added: [], removed: [] };
      const members = found.kind === 'members' ? found.changed : found.kind === 'rows' ? found.header : [];
      const changed = members.map(({ path: member, before, now }) => ({ member, before, now }));
      const all = [added, removed, changed] as const;
      const shown = thatFit(all);
      const total = added.length + removed.length + changed.length;
      const words = [
        added.length > 0 && `${formatCount(added.length, 'row')} added`,
        removed.length > 0 && `${formatCount(removed.length, 'row')} removed`,
        changed.length > 0 && `${formatCount(changed.length, 'member')} changed`,
      ].filter((one) => one !== false);
      const between = `between ${older.entry.id} and ${newer.entry.id}`;
      const [newRows, oldRows, newMembers] = shown;
      return {
        text: `${file.path}: ${words.length > 0 ? words.join(', ') : found.kind === 'bytes' ? 'other bytes' : 'nothing changed'} ${between}.`,
        value: {
          path: file.path,
          kind: found.kind,
          before: { snapshot: older.entry.id, as_of: older.entry.as_of, sha256: older.file.sha256 },
          now: { snapshot: newer.entry.id, as_of: newer.entry.as_of, sha256: newer.file.sha256 },
          added: newRows,
          removed: oldRows,
          changed: newMembers,
          left_out: total - newRows.length - oldRows.length - newMembers.length,
        },
      };
    }),
});

/** The first ones of each list, as many as an answer holds. */
function thatFit<Lists extends readonly (readonly unknown[])[]>(
  lists: Lists,
): { [K in keyof Lists]: Lists[K][number][] } {
  let characters = 0;
  const fit = (one: unknown) => {
    characters += JSON.stringify(one).length;
    return characters <= MOST_ANSWER;
  };
  return lists.map((list) => list.filter(fit)) as { [K in keyof Lists]: Lists[K][number][] };
}
