/** The networks of public blockchain tests: one fork, or one giving way to another by number, time or total difficulty. */
import { type BlockRules, createL1Schedule, type EthFork, type L1ChainConfig, l1ConfigAtGenesis } from '@keelson/chainspec'
import type { Header } from '@keelson/primitives'
import { STATE_TEST_FORKS } from './state-test.ts'

export interface TestNetwork {
  /** `parentTotalDifficulty` decides where proof of stake begins. */
  rulesAt(block: Pick<Header, 'number' | 'timestampSec'>, parentTotalDifficulty: bigint): BlockRules
  readonly daoForkBlock: number | null
}

const CHAIN_ID = 1n
const FORK_TIME_SEC = 15_000
const FORK_BLOCK = 5
const TERMINAL_TOTAL_DIFFICULTY = 0xc0000n

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

const atBlock = (before: EthFork, after: EthFork) => change(before, after, { fromBlock: FORK_BLOCK, fromTimeSec: null })
const atTime = (before: EthFork, after: EthFork) => change(before, after, { fromBlock: null, fromTimeSec: FORK_TIME_SEC })

function atTotalDifficulty(before: EthFork, after: EthFork): TestNetwork {
  const [work, stake] = [oneFork(before), oneFork(after)]
  return {
    rulesAt: (block, total) => (total >= TERMINAL_TOTAL_DIFFICULTY ? stake : work).rulesAt(block, total),
    daoForkBlock: null,
  }
}

const CHANGING: Readonly<Record<string, () => TestNetwork>> = {
  FrontierToHomesteadAt5: () => atBlock('frontier', 'homestead'),
  HomesteadToDaoAt5: () => scheduled(l1ConfigAtGenesis(CHAIN_ID, 'homestead'), FORK_BLOCK),
  ByzantiumToConstantinopleFixAt5: () => atBlock('byzantium', 'petersburg'),
  BerlinToLondonAt5: () => atBlock('berlin', 'london'),
  ArrowGlacierToParisAtDiffC0000: () => atTotalDifficulty('london', 'paris'),
  ParisToShanghaiAtTime15k: () => atTime('paris', 'shanghai'),
  ShanghaiToCancunAtTime15k: () => atTime('shanghai', 'cancun'),
}

const opened = new Map<string, TestNetwork>()

/** Throws when no network has the name. */
export function getNetwork(name: string): TestNetwork {
  const known = opened.get(name)
  if (known !== undefined) return known
  const fork = STATE_TEST_FORKS[name]
  const network = fork === undefined ? CHANGING[name]?.() : oneFork(fork)
  if (network === undefined) throw new Error(`unknown network ${name}`)
  opened.set(name, network)
  return network
}
