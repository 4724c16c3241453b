import type { FaultKind } from './fault-kind.ts'
import { appKill, appKillAtWrite, appPower } from './kinds/app-faults.ts'
import { junkFlood, lyingPeer } from './kinds/attacks.ts'
import { clockDrift, clockJump } from './kinds/clock-faults.ts'
import { bitFlip, oldCopy } from './kinds/copy-faults.ts'
import { prune, snapshotRestore } from './kinds/database-faults.ts'
import { fullDisk, slowDisk } from './kinds/disk-faults.ts'
import { l1Reorg, l1Stall } from './kinds/l1-faults.ts'
import { l1Lag, l1Lies, l1RateLimit } from './kinds/l1-provider-faults.ts'
import { leaderCut, leaderFreeze, leaderPower, leaderTransfer, storeKill } from './kinds/leader-faults.ts'
import { badLinks, partition } from './kinds/link-faults.ts'
import { doubleVote, oldProtection, twoMachines } from './kinds/offence-faults.ts'
import { restart, sequencerStop, validatorRestart } from './kinds/operator-faults.ts'
import { freeze, kill, power, submitterKill } from './kinds/process-faults.ts'
import { validatorFreeze, validatorKill } from './kinds/validator-faults.ts'

export const FAULT_KINDS: readonly FaultKind[] = [
  kill,
  power,
  submitterKill,
  freeze,
  partition,
  badLinks,
  l1Reorg,
  l1Stall,
  slowDisk,
  fullDisk,
  clockJump,
  clockDrift,
  appKill,
  appKillAtWrite,
  appPower,
  l1RateLimit,
  l1Lag,
  l1Lies,
  oldCopy,
  bitFlip,
  lyingPeer,
  junkFlood,
  leaderPower,
  leaderFreeze,
  leaderCut,
  leaderTransfer,
  storeKill,
  validatorKill,
  validatorFreeze,
  restart,
  validatorRestart,
  sequencerStop,
  prune,
  snapshotRestore,
  oldProtection,
  twoMachines,
  doubleVote,
]

export function faultKind(name: string): FaultKind | null {
  return FAULT_KINDS.find((kind) => kind.name === name) ?? null
}
