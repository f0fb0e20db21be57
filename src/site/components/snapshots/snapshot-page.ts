import '../attestations/without-eval.ts';
import '../files/file-script.ts';
import { SNAPSHOTS, type SnapshotEntry } from '../../../../pipeline/release/format/snapshot-index.ts';
import { PageOrigin } from '../../../../pipeline/verify/page-origin.ts';
import { ListedSnapshots } from '../../../../pipeline/verify/versions/listed-snapshots.ts';
import { makeElement } from '../make-element.ts';

/** The page never changes, and which snapshots are kept beside it does. So its neighbours are looked up. */
async function showNeighbours(place: HTMLElement): Promise<void> {
  const listed = new ListedSnapshots(new PageOrigin());
  const [before, after] = await listed.neighbours(place.dataset.id!);
  for (const [words, entry] of [
    ['Earlier', before],
    ['Later', after],
  ] as const)
    if (entry) place.append(item(words, entry));
}

function item(words: string, { id }: SnapshotEntry): HTMLElement {
  const link = makeElement('a', '', `${words}: ${id}`);
  link.href = `/${SNAPSHOTS}/${id}/`;
  link.rel = words === 'Earlier' ? 'prev' : 'next';
  return makeElement('li', '', link);
}

const place = document.querySelector<HTMLElement>('#neighbours');
// A host that does not answer has no neighbours to show; the link to the list stays.
if (place) showNeighbours(place).catch(() => {});
