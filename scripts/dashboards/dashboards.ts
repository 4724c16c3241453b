import { CONSENSUS } from './consensus.ts'
import type { DashboardSpec } from './dashboard.ts'
import { EXECUTION } from './execution.ts'
import { NETWORK } from './network.ts'

export const DASHBOARDS: readonly DashboardSpec[] = [EXECUTION, CONSENSUS, NETWORK]
