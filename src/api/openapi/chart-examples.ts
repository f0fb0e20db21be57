import type { ChartDocument } from '../../../pipeline/charts/files/chart-document.ts';

const BASE_URL = 'https://data.example.org';
const QUERY = 'series=burned&from=2026-01-01';
const link = (ending: string) => `${BASE_URL}/charts/supply${ending}?${QUERY}`;

/** Invented: which charts there are of a release is not known where the description is made. */
export const CHART_DOCUMENT: ChartDocument = {
  id: 'supply',
  area: 'economy',
  name: 'MIC supply',
  title: 'MIC supply over time: burned',
  unit: 'MIC, at the end of each day; the parts add up to the total supply',
  note: '',
  summary: ['On 2 January 2026, 1,250 MIC had been burned, of 98,000 MIC in all.'],
  as_of: '2026-01-02T05:58:12Z',
  source:
    'Source: Cathedral Data Service, economy/supply-by-day.csv and economy/supply. As of 2 January 2026, 05:58 UTC. CC BY 4.0.',
  sources: [
    {
      path: 'economy/supply-by-day.csv',
      url: `${BASE_URL}/economy/supply-by-day.csv`,
      sha256: '0123456789abcdef'.repeat(4),
    },
    { path: 'economy/supply', url: `${BASE_URL}/economy/supply`, sha256: 'fedcba9876543210'.repeat(4) },
  ],
  state: { series: ['burned'], from: '2026-01-01', to: null, scale: 'linear' },
  columns: [
    { name: 'date', title: 'Day', unit: '' },
    { name: 'burned', title: 'Burned', unit: 'MIC' },
    { name: 'total_supply', title: 'Total supply', unit: 'MIC' },
  ],
  rows: [
    ['2026-01-01', 1000, 97200],
    ['2026-01-02', 1250, 98000],
  ],
  licence: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  links: {
    page: link('/'),
    svg: link('.svg'),
    'dark.svg': link('-dark.svg'),
    png: link('.png'),
    'dark.png': link('-dark.png'),
    csv: link('.csv'),
    json: link('.json'),
  },
};

/** The same as CSV. */
export const CHART_CSV = 'date,burned,total_supply\n2026-01-01,1000,97200\n2026-01-02,1250,98000\n';
