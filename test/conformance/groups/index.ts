import type { ConformanceGroup } from '../group.ts'

/** In the order of the table the runner prints. */
export const GROUPS: readonly ConformanceGroup[] = []
