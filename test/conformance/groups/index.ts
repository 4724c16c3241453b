import type { ConformanceGroup } from '../group.ts'
import { opGossip } from './op-gossip.ts'

/** In the order of the table the runner prints. */
export const GROUPS: readonly ConformanceGroup[] = [opGossip]
