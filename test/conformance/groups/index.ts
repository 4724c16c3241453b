import type { ConformanceGroup } from '../group.ts'
import { opDerivation } from './op-derivation.ts'
import { opExecBlocks } from './op-exec-blocks.ts'
import { opFees } from './op-fees.ts'
import { opGossip } from './op-gossip.ts'
import { opRpcAnswers } from './op-rpc-answers.ts'
import { opUpgradeTxs } from './op-upgrade-txs.ts'
import { registryConfigs } from './registry-configs.ts'

/** In the order of the table the runner prints. */
export const GROUPS: readonly ConformanceGroup[] = [
  registryConfigs,
  opDerivation,
  opUpgradeTxs,
  opRpcAnswers,
  opGossip,
  opExecBlocks,
  opFees,
]
