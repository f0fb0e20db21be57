import {
  INDEX,
  SNAPSHOTS,
  type SnapshotEntry,
  type SnapshotIndex,
} from '../../release/format/snapshot-index.ts';
import { formatMoment, formatMonth } from '../../words/moment.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { type Look, pageFrame } from './page-frame.ts';
import { monthOf } from './retained.ts';

/** `/snapshots/`: every snapshot that is kept, by month, newest first. */
export function indexPage(index: SnapshotIndex, days: number, look: Look): string {
  const months = [...Map.groupBy(index, ({ id }) => monthOf(id))];
  const groups = months.map(([month, entries], at) => monthTable(month, entries, at === 0));
  return pageFrame(
    {
      title: 'Snapshots',
      description: 'The published data as they were at earlier times, at addresses that never change.',
      main: `<div class="page-head">
<p class="label accented">Data</p>
<h1>Snapshots</h1>
<p class="lead">The data files as they were, at addresses that never change: for citations, and to see what was known when.</p>
</div>
<p>Each snapshot is the ledger’s of that hour, and has the first release that was made of it. Of the last ${days} days all are kept, of the months before that the last one each; any other can be made again from the ledger. <a href="/${SNAPSHOTS}/${INDEX}">index.json</a> lists them for programs.</p>
${groups.join('\n')}`,
    },
    look,
  );
}

function monthTable(month: string, entries: readonly SnapshotEntry[], open: boolean): string {
  const name = formatMonth(month);
  const rows = entries.map(
    ({ id, as_of, log_size }) =>
      `<tr><th scope="row" class="tight"><a href="/${SNAPSHOTS}/${id}/">${id}</a></th><td class="tight">${formatMoment(as_of)}</td><td class="number">${formatNumber(log_size)}</td></tr>`,
  );
  return `<details${open ? ' open' : ''}>
<summary>${name}: ${formatCount(entries.length, 'snapshot')}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Snapshots of ${name}"><table>
<caption class="visually-hidden">Snapshots of ${name}</caption>
<thead><tr><th scope="col">Snapshot</th><th scope="col">As of</th><th scope="col" class="number">Events</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>
</details>`;
}
