import { publishedPages } from './http/published.ts';
import { testTables } from './http/run-tables.ts';

testTables(['pages.txt'], publishedPages);
