import { type BlockRules, createL1Schedule, type EthFork, type L1ChainConfig, l1ConfigAtGenesis } from '@keelson/chainspec'
import type { Header } from '@keelson/primitives'
import { STATE_TEST_FORKS } from './state-test.ts'

export interface TestNetwork {
  rulesAt(block: Pick<Header, 'number' | 'timestampSec'>, parentTotalDifficulty: bigint): BlockRules
  readonly daoForkBlock: number | null
}

const CHAIN_ID = 1n
function scheduled(config: L1ChainConfig, daoForkBlock: number | null = null): TestNetwork {
  const schedule = createL1Schedule(config)
  return { rulesAt: ({ number, timestampSec }) => schedule.blockRules(number, timestampSec), daoForkBlock }
}

function oneFork(fork: EthFork): TestNetwork {
  return scheduled(l1ConfigAtGenesis(CHAIN_ID, fork))
}

function change(before: EthFork, after: EthFork, from: { fromBlock: number | null; fromTimeSec: number | null }): TestNetwork {
  const start = l1ConfigAtGenesis(CHAIN_ID, before)
  const { blobSchedule } = l1ConfigAtGenesis(CHAIN_ID, after)
  return scheduled({ ...start, forks: [...start.forks, { fork: after, ...from }], blobSchedule })
}

function atTotalDifficulty(before: EthFork, after: EthFork, terminal: bigint): TestNetwork {
  const [work, stake] = [oneFork(before), oneFork(after)]
  return {
    rulesAt: (block, total) => (total >= terminal ? stake : work).rulesAt(block, total),
    daoForkBlock: null,
  }
}

const SAME_RULES: Readonly<Record<string, EthFork>> = { ArrowGlacier: 'london', GrayGlacier: 'london' }
/** Examples: "HomesteadToDaoAt5", "ShanghaiToCancunAtTime15k", "ArrowGlacierToParisAtDiffC0000". */
const CHANGE = /^(\w+?)To(\w+?)At(?:(\d+)|Time(\d+)k|Diff([0-9A-F]+))$/

function changing(name: string): TestNetwork | null {
  const [, from = '', to = '', block, kiloseconds, difficulty] = CHANGE.exec(name) ?? []
  const before = SAME_RULES[from] ?? STATE_TEST_FORKS[from]
  if (before === undefined) return null
  if (to === 'Dao' && block !== undefined) return scheduled(l1ConfigAtGenesis(CHAIN_ID, before), Number(block))
  const after = SAME_RULES[to] ?? STATE_TEST_FORKS[to]
  if (after === undefined) return null
  if (difficulty !== undefined) return atTotalDifficulty(before, after, BigInt(`0x${difficulty}`))
  if (block !== undefined) return change(before, after, { fromBlock: Number(block), fromTimeSec: null })
  return change(before, after, { fromBlock: null, fromTimeSec: Number(kiloseconds) * 1000 })
}

const opened = new Map<string, TestNetwork>()

export function getNetwork(name: string): TestNetwork {
  const known = opened.get(name)
  if (known !== undefined) return known
  const fork = STATE_TEST_FORKS[name]
  const network = fork === undefined ? changing(name) : oneFork(fork)
  if (network === null) throw new Error(`unknown network ${name}`)
  opened.set(name, network)
  return network
}
