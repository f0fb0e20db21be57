import { PROBLEMS, type ProblemCode, problemPage } from '../../../api/problem.ts';

export interface ListedProblem {
  code: ProblemCode;
  status: number;
  title: string;
  page: string;
}

/** Every problem by status, those of one status in the order of the table. */
export function problemList(): ListedProblem[] {
  const codes = Object.keys(PROBLEMS) as ProblemCode[];
  return codes
    .map((code) => ({
      code,
      status: PROBLEMS[code].status,
      title: PROBLEMS[code].title,
      page: problemPage(code),
    }))
    .sort((a, b) => a.status - b.status);
}
