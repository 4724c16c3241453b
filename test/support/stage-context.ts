import { type ForkTimes, forksAtGenesis, type InclusionRules, loadRollupConfig, type RollupConfig } from '@keelson/chainspec'
import type { DropReason, StageName } from '@keelson/derivation'
import { inclusionTime, type L1BlockRef, toHash, ZERO_HASH } from '@keelson/primitives'
import type { StageContext } from '../../packages/derivation/src/pipeline/stage-context.ts'

export interface TestContext extends StageContext {
  origin: L1BlockRef
  rules: InclusionRules
  readonly reasons: DropReason[]
  readonly stages: StageName[]
}

export function l1Block(number: number, branch = 0): L1BlockRef {
  const hash = (n: number) => toHash(`0x${(branch + 1).toString(16).padStart(2, '0')}${n.toString(16).padStart(62, '0')}`)
  return { number, hash: hash(number), parentHash: number === 0 ? ZERO_HASH : hash(number - 1), timestampSec: 10000 + 12 * number }
}

/** L2 blocks every 2 s and L1 blocks every 12 s from time 10000, a sequencing window of 10 blocks. */
export function testConfig(forks: ForkTimes = forksAtGenesis('jovian')): RollupConfig {
  return loadRollupConfig({
    genesis: {
      l1: { hash: l1Block(0).hash, number: 0 },
      l2: { hash: `0x${'e0'.repeat(32)}`, number: 0 },
      l2_time: 10000,
      system_config: { batcherAddr: `0x${'ba'.repeat(20)}`, overhead: ZERO_HASH, scalar: ZERO_HASH, gasLimit: 30_000_000 },
    },
    block_time: 2,
    max_sequencer_drift: 600,
    seq_window_size: 10,
    channel_timeout: 300,
    l1_chain_id: 900,
    l2_chain_id: 901,
    ...Object.fromEntries(Object.entries(forks).map(([fork, time]) => [`${fork}_time`, time])),
    batch_inbox_address: `0x${'1b'.repeat(20)}`,
    deposit_contract_address: `0x${'de'.repeat(20)}`,
    l1_system_config_address: `0x${'5c'.repeat(20)}`,
  })
}

export function createTestContext(rules: Partial<InclusionRules> = {}, config: RollupConfig = testConfig()): TestContext {
  const origin = l1Block(100)
  const reasons: DropReason[] = []
  const stages: StageName[] = []
  return {
    config,
    origin,
    rules: { ...config.forks.inclusionRules(inclusionTime(origin)), ...rules },
    reasons,
    stages,
    drop(stage, reason) {
      stages.push(stage)
      reasons.push(reason)
    },
  }
}
