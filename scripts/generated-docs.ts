// npm run dictionary: writes the parts of the documents that follow from the code: docs/data-dictionary.md and the table of files in
// README.md from the artifacts, docs/mapping.schema.json, docs/events.md from the schemas of events, docs/cli.md from the commands,
// docs/metrics.md from the metrics, docs/problems.md from the problems, docs/simulation-reference.md from the scenarios,
// and the tables of codes in other documents (doc-tables.ts).
import { readFileSync, writeFileSync } from 'node:fs';
import { dataDictionary, withPublishedFiles } from '../pipeline/artifacts/data-dictionary.ts';
import { formatEventReference } from '../pipeline/artifacts/event-reference.ts';
import { formatMappingSchema } from '../pipeline/sources/rows/mapping-file.ts';
import { formatProblemReference } from '../src/api/problem-reference.ts';
import { formatReference } from '../src/commands/reference.ts';
import { loadCommands } from '../src/commands/table.ts';
import { formatMetricsReference } from '../src/sidecar/health/metrics-reference.ts';
import { formatSimulationReference } from '../src/simulation/reference.ts';
import { DOCS_WITH_TABLES, withTables } from './doc-tables.ts';

const README = new URL('../README.md', import.meta.url);

rewrite('data-dictionary.md', dataDictionary);
rewrite('events.md', formatEventReference);
writeFileSync(new URL('../docs/mapping.schema.json', import.meta.url), formatMappingSchema());
writeFileSync(new URL('../docs/cli.md', import.meta.url), formatReference(await loadCommands()));
writeFileSync(new URL('../docs/metrics.md', import.meta.url), formatMetricsReference());
writeFileSync(new URL('../docs/problems.md', import.meta.url), formatProblemReference());
writeFileSync(new URL('../docs/simulation-reference.md', import.meta.url), formatSimulationReference());
writeFileSync(README, withPublishedFiles(readFileSync(README, 'utf8')));
for (const doc of DOCS_WITH_TABLES) rewrite(doc, (text) => withTables(doc, text));

function rewrite(doc: string, change: (text: string) => string): void {
  const file = new URL(`../docs/${doc}`, import.meta.url);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
