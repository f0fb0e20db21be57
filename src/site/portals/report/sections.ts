import type { TransparencyReport } from '../../../../pipeline/artifacts/government/transparency.ts';
import {
  complianceStatus,
  executiveSummary,
  financialTransparency,
  futureOutlook,
  governanceStructure,
  operationsOverview,
} from './sentences.ts';

export interface ReportSection {
  id: string;
  title: string;
  paragraphs: (report: TransparencyReport) => string[];
}

/** The sections of the transparency report, named and ordered as the specification has them. */
export const SECTIONS: readonly ReportSection[] = [
  { id: 'executive-summary', title: 'Executive summary', paragraphs: executiveSummary },
  { id: 'system-operations', title: 'System operations overview', paragraphs: operationsOverview },
  { id: 'governance', title: 'Governance structure', paragraphs: governanceStructure },
  { id: 'finance', title: 'Financial transparency', paragraphs: financialTransparency },
  { id: 'compliance', title: 'Compliance status', paragraphs: complianceStatus },
  { id: 'outlook', title: 'Future outlook', paragraphs: futureOutlook },
];
