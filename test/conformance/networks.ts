import {
  type BlobParameters,
  type BlockRules,
  createL1Schedule,
  type EthFork,
  type L1ChainConfig,
  l1ConfigAtGenesis,
} from '@keelson/chainspec'
import type { Header } from '@keelson/primitives'
import { BPO_ENTRIES } from './l1-genesis.ts'
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

/** Newer fixtures state the blob parameters of their forks, as numbers or in hex. */
export type StatedBlobs = Readonly<Record<string, Readonly<Record<'target' | 'max' | 'baseFeeUpdateFraction', string | number>>>>

/** Parameters that a fork of this name brings beyond those of its rules. */
function blobsOf(name: string, fromTimeSec: number, stated: StatedBlobs): readonly BlobParameters[] {
  const entry = stated[name] ?? BPO_ENTRIES[name.toLowerCase()]
  if (entry === undefined) return []
  const { target, max, baseFeeUpdateFraction } = entry
  return [
    {
      name: name.toLowerCase(),
      fromTimeSec,
      target: Number(target),
      max: Number(max),
      baseFeeUpdateFraction: BigInt(baseFeeUpdateFraction),
    },
  ]
}

function oneFork(name: string, fork: EthFork, stated: StatedBlobs): TestNetwork {
  const config = l1ConfigAtGenesis(CHAIN_ID, fork)
  return scheduled({ ...config, blobSchedule: [...config.blobSchedule, ...blobsOf(name, 0, stated)] })
}

interface Change {
  readonly before: readonly [name: string, fork: EthFork]
  readonly after: readonly [name: string, fork: EthFork]
  readonly fromBlock: number | null
  readonly fromTimeSec: number | null
}

function change({ before, after, fromBlock, fromTimeSec }: Change, stated: StatedBlobs): TestNetwork {
  const [start, end] = [l1ConfigAtGenesis(CHAIN_ID, before[1]), l1ConfigAtGenesis(CHAIN_ID, after[1])]
  const known = new Set(start.blobSchedule.map(({ name }) => name))
  const time = fromTimeSec ?? 0
  return scheduled({
    ...start,
    forks: [...start.forks, { fork: after[1], fromBlock, fromTimeSec }],
    blobSchedule: [
      ...start.blobSchedule,
      ...blobsOf(before[0], 0, stated),
      ...end.blobSchedule.filter(({ name }) => !known.has(name)).map((entry) => ({ ...entry, fromTimeSec: time })),
      ...blobsOf(after[0], time, stated),
    ],
  })
}

function atTotalDifficulty(before: EthFork, after: EthFork, terminal: bigint): TestNetwork {
  const [work, stake] = [oneFork(before, before, {}), oneFork(after, after, {})]
  return {
    rulesAt: (block, total) => (total >= terminal ? stake : work).rulesAt(block, total),
    daoForkBlock: null,
  }
}

const SAME_RULES: Readonly<Record<string, EthFork>> = { ArrowGlacier: 'london', GrayGlacier: 'london' }
/** Examples: "HomesteadToDaoAt5", "ShanghaiToCancunAtTime15k", "OsakaToBPO1AtTime15k", "ArrowGlacierToParisAtDiffC0000". */
const CHANGE = /^(\w+?)To(\w+?)At(?:(\d+)|Time(\d+)k|Diff([0-9A-F]+))$/

function forkOf(name: string): EthFork | undefined {
  return SAME_RULES[name] ?? STATE_TEST_FORKS[name]
}

function changing(name: string, stated: StatedBlobs): TestNetwork | null {
  const [, from = '', to = '', block, kiloseconds, difficulty] = CHANGE.exec(name) ?? []
  const before = forkOf(from)
  if (before === undefined) return null
  if (to === 'Dao' && block !== undefined) return scheduled(l1ConfigAtGenesis(CHAIN_ID, before), Number(block))
  const after = forkOf(to)
  if (after === undefined) return null
  if (difficulty !== undefined) return atTotalDifficulty(before, after, BigInt(`0x${difficulty}`))
  const at =
    block === undefined ? { fromBlock: null, fromTimeSec: Number(kiloseconds) * 1000 } : { fromBlock: Number(block), fromTimeSec: null }
  return change({ before: [from, before], after: [to, after], ...at }, stated)
}

const opened = new Map<string, TestNetwork>()

export function getNetwork(name: string, stated: StatedBlobs = {}): TestNetwork {
  const key = `${name} ${JSON.stringify(stated)}`
  const known = opened.get(key)
  if (known !== undefined) return known
  const fork = forkOf(name)
  const network = fork === undefined ? changing(name, stated) : oneFork(name, fork, stated)
  if (network === null) throw new Error(`unknown network ${name}: no rules here are of that name`)
  opened.set(key, network)
  return network
}
