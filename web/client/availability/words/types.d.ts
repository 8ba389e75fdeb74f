// The texts of <pickerd-availability>: every language has these.

import type { Words } from "../../words/types";

type Named = (name: string) => string;
type Counted = (count: number) => string;

export type MarkWords = {
  grades: { yes: string; maybe: string; no: string };
  /** The name of the group of buttons that choose a grade. */
  grade: string;
  /** What to do; `dates`: of whole days. */
  guide: { mouse: string; touch: string; mouseDates: string; touchDates: string };
  grid: string; zone: string;
  best: string; nothingBest: string;
  /** To members who may not see the results, or not who has marked what. */
  hidden: string; namesHidden: string;
  /** How many have answered. */
  answered: Counted; nobody: string;
  can: string; perhaps: string; cannot: string; unmarked: string; unmarkedAsYes: string;
  of: (count: number, all: number) => string;
  counts: (yes: number, maybe: number, no: number) => string;
  /** "You: yes" */
  mine: Named;
  confirmWindow: Named;
  past: string; again: string;
  closes: Named; closed: string;
  /** What was painted, for screen readers. */
  painted: (grade: string, count: number) => string; erased: Counted;
  /** The best window is another one now. */
  nowBest: (text: string, counts: string) => string;
  refusals: { [code: string]: string };
};

export type AvailabilityWords = Words & { marks: MarkWords };
