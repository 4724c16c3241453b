import type { ConformanceGroup } from '../group.ts'
import { basicTests } from './basic-tests.ts'
import { blockchainStateTests, blockchainTests, legacyBlockchainTests } from './blockchain-tests.ts'
import { discv5Wire } from './discv5-wire.ts'
import { engineChain } from './engine-chain.ts'
import { evmOps } from './evm-ops.ts'
import { executionApis } from './execution-apis.ts'
import { genesisTests } from './genesis-tests.ts'
import { hiveChain } from './hive-chain.ts'
import { hiveGraphql } from './hive-graphql.ts'
import { keyStoreTests } from './key-store-tests.ts'
import { kzg } from './kzg.ts'
import { opDerivation } from './op-derivation.ts'
import { opExecBlocks } from './op-exec-blocks.ts'
import { opExecBrowser } from './op-exec-browser.ts'
import { opExecOpt8n } from './op-exec-opt8n.ts'
import { opFees } from './op-fees.ts'
import { opGossip } from './op-gossip.ts'
import { opL2Blocks } from './op-l2-blocks.ts'
import { opProofs } from './op-proofs.ts'
import { opRpcAnswers } from './op-rpc-answers.ts'
import { opUpgradeTxs } from './op-upgrade-txs.ts'
import { opWithdrawals } from './op-withdrawals.ts'
import { precompiles } from './precompiles.ts'
import { registryConfigs } from './registry-configs.ts'
import { registryGenesis } from './registry-genesis.ts'
import { registryLists } from './registry-lists.ts'
import { rlpTests } from './rlp-tests.ts'
import { secondOpinion } from './second-opinion.ts'
import { shippedNetworksGroup } from './shipped-networks.ts'
import { stateTests } from './state-tests.ts'
import { stateTestsEip2537 } from './state-tests-eip2537.ts'
import { tracers } from './tracers.ts'
import { transactionTests } from './transaction-tests.ts'
import { trieTests } from './trie-tests.ts'

export const GROUPS: readonly ConformanceGroup[] = [
  registryConfigs,
  registryGenesis,
  registryLists,
  shippedNetworksGroup,
  basicTests,
  rlpTests,
  trieTests,
  genesisTests,
  keyStoreTests,
  transactionTests,
  kzg,
  opDerivation,
  opUpgradeTxs,
  opRpcAnswers,
  opWithdrawals,
  opProofs,
  opL2Blocks,
  opGossip,
  discv5Wire,
  opExecBlocks,
  opExecBrowser,
  secondOpinion,
  opExecOpt8n,
  opFees,
  precompiles,
  evmOps,
  stateTests,
  stateTestsEip2537,
  blockchainTests,
  legacyBlockchainTests,
  blockchainStateTests,
  tracers,
  engineChain,
  hiveChain,
  hiveGraphql,
  executionApis,
]
