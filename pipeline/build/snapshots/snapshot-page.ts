import { escapeText } from '../../charts/drawing/element.ts';
import { SNAPSHOTS, type Snapshot, type SnapshotFile } from '../../release/format/snapshot-index.ts';
import { formatMoment } from '../../words/moment.ts';
import { formatNumber } from '../../words/number.ts';
import { type Look, pageFrame } from './page-frame.ts';

export type { Look };

const COLUMNS = ['File', 'Bytes', 'SHA-256'];

/** The page of one snapshot: what it holds and as of when. It never changes, so it does not know whether it is the newest. */
export function snapshotPage(snapshot: Snapshot, look: Look): string {
  const { id, as_of } = snapshot;
  const moment = formatMoment(as_of);
  return pageFrame(
    {
      title: `Snapshot ${id}`,
      description: `The published data as they were on ${moment}, with the hash of each file.`,
      notice: `<strong>These are not the current data.</strong> They are as of ${moment}, and stay so; what is published now is under <a href="/files/">Files</a>.`,
      main: `<div class="page-head">
<p class="label accented">Snapshot</p>
<h1>${escapeText(id)}</h1>
<p class="lead">The data files as they were when the ledger had ${formatNumber(snapshot.log.size)} events. Nothing at these addresses changes, so they can be cited.</p>
<p class="as-of">As of ${moment}</p>
</div>
${facts(snapshot)}
${storedTable(snapshot)}
${historyTable(snapshot, look)}
${proof(snapshot, look)}`,
    },
    look,
  );
}

function facts({ release, software, as_of, log }: Snapshot): string {
  const rows: [string, string][] = [
    ['Last event', as_of],
    ['Ledger', log.origin],
    ['Events', formatNumber(log.size)],
    ['Root hash', log.root_hash],
    ['Release', release],
    ['Software', software],
  ];
  const list = rows.map(([name, value]) => `<dt>${name}</dt><dd>${escapeText(value)}</dd>`).join('\n');
  return `<dl class="facts">\n${list}\n</dl>`;
}

function storedTable({ files }: Snapshot): string {
  const stored = files.filter((file) => 'url' in file);
  const isSchema = ({ path }: SnapshotFile) => path.startsWith('schemas/');
  const rows = (some: typeof stored) =>
    some.map(
      (file) =>
        `<tr><th scope="row"><a href="/${file.url}">${file.path}</a></th>${size(file)}${digest(file)}</tr>`,
    );
  const own = table('Files as they were', COLUMNS, rows(stored.filter((file) => !isSchema(file))));
  const schemas = table('Schemas as they were', COLUMNS, rows(stored.filter(isSchema)));
  const folded = `<details>\n<summary>Their schemas</summary>\n${schemas}\n</details>`;
  return section('files', 'Files', `${own}\n${folded}`);
}

function historyTable({ id, files }: Snapshot, { baseUrl }: Look): string {
  const ended = files.filter((file) => 'range' in file);
  if (ended.length === 0) return '';
  const rows = ended.map((file) => `<tr><th scope="row">${file.path}</th>${size(file)}${digest(file)}</tr>`);
  const name = ended[0]!.path;
  const index = `${baseUrl}/${SNAPSHOTS}/${id}/index.json`;
  const text = `<p>Histories only grow at their front, so they are not kept again: what one was is its beginning of then and the end of what it is now. <a href="/${SNAPSHOTS}/${id}/index.json">index.json</a> has the beginning (<code>head</code>) and how many bytes of the end belong to it (<code>range.last</code>). Where a later version of the service has written a history anew, <a href="/${SNAPSHOTS}/index.json">the index of all snapshots</a> names the file that the end is of.</p>`;
  const example = `<p>For example:</p>
<pre><code>curl -s ${index} &gt; index.json
jq '.files[] | select(.path == "${name}")' index.json &gt; file.json
{ jq -j .head file.json; curl -s -r -$(jq .range.last file.json) ${baseUrl}/${name}; } | sha256sum</code></pre>`;
  return section(
    'histories',
    'Histories',
    `${text}\n${table('Histories as they were', COLUMNS, rows)}\n${example}`,
  );
}

function proof({ id, files }: Snapshot, { baseUrl }: Look): string {
  const signed = files.some(({ path }) => path === 'manifest.json');
  const text = signed
    ? `<p><a href="/${SNAPSHOTS}/${id}/manifest.json">manifest.json</a> is the manifest of that release and <a href="/${SNAPSHOTS}/${id}/manifest.json.sig">manifest.json.sig</a> the publisher’s signature over it: each hash above stands in it. What else is in it, pages and other forms of tables, is not kept.</p>`
    : '';
  return section(
    'proof',
    'How to check it',
    `${text}<p>Whoever has the ledger can make these files again from its events, and compare:</p>
<pre><code>cathedral as-of --snapshot ${id} --ledger LEDGER --ledger-key KEYS --base-url ${escapeText(baseUrl)}</code></pre>`,
  );
}

function section(id: string, title: string, text: string): string {
  return `<section aria-labelledby="${id}">\n<h2 id="${id}">${title}</h2>\n${text}\n</section>`;
}

function table(caption: string, columns: readonly string[], rows: readonly string[]): string {
  const heads = columns.map(
    (name) => `<th scope="col"${name === 'Bytes' ? ' class="number"' : ''}>${name}</th>`,
  );
  return `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`;
}

function size({ bytes }: SnapshotFile): string {
  return `<td class="number">${formatNumber(bytes)}</td>`;
}

function digest({ sha256 }: SnapshotFile): string {
  return `<td><code>${sha256}</code></td>`;
}
