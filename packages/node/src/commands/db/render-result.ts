import type {
  DatabaseStats,
  DatabaseTask,
  ExportResult,
  ImportResult,
  PruneResult,
  RollbackResult,
  SupplyResult,
  VerifyResult,
} from '@keelson/execution'
import { counted } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import { renderSupply } from './render-supply.ts'

export function renderResult(task: DatabaseTask, result: unknown): string {
  switch (task) {
    case 'stats':
      return renderStats(result as DatabaseStats)
    case 'verify':
      return renderVerify(result as VerifyResult)
    case 'supply':
      return renderSupply(result as SupplyResult)
    case 'prune': {
      const { oldestState, historyBlocksRemoved, blocksRemoved } = result as PruneResult
      return `removed the history of ${counted(historyBlocksRemoved, 'block')} and ${counted(blocksRemoved, 'block')} beside the chain; state can be read from block ${oldestState} on`
    }
    case 'compact': {
      const { beforeBytes, afterBytes } = result as { beforeBytes: number; afterBytes: number }
      return `compacted: ${size(beforeBytes)} before, ${size(afterBytes)} now`
    }
    case 'export': {
      const { folder, blockNumber, blockHash, oldestBlock, chunks, bytes } = result as ExportResult
      return `${folder}: the state after block ${blockNumber} (${blockHash}) and the blocks from ${oldestBlock} on, ${counted(chunks, 'chunk')}, ${size(bytes)}`
    }
    case 'rollback': {
      const { from, to, hash, blocksRemoved } = result as RollbackResult
      return `the head is block ${to} (${hash}); it was block ${from}, and removed above it: ${counted(blocksRemoved, 'block')}\nthe consensus client leads the chain on from here, by gossip and from L1`
    }
  }
}

export function renderImport({ blockNumber, blockHash, accounts, blocks, provenBy }: ImportResult): string {
  const proof = provenBy === null ? 'trusted, not compared with L1' : `proven by the output root of block ${provenBy}`
  return `imported block ${blockNumber} (${blockHash}): ${counted(accounts, 'account')}, ${counted(blocks, 'block')}; ${proof}\nstart the node: its consensus client leads the chain on from here`
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  meta: 'state: bounds of disk and history',
  account: 'state: accounts',
  slot: 'state: storage slots',
  code: 'state: contract code',
  accountNode: 'state: account trie',
  storageNode: 'state: storage tries',
  preimage: 'state: addresses and slots by hash',
  layer: 'state: changes of recent blocks',
  historyValue: 'state history: values',
  historyIndex: 'state history: index',
  historyBlock: 'state history: changes by block',
  identity: 'chain: identity',
  header: 'blocks: headers',
  body: 'blocks: bodies',
  receipts: 'blocks: receipts',
  canonical: 'blocks: numbers to hashes',
  transaction: 'blocks: transactions to blocks',
  labels: 'chain: safe and finalized heads',
  blockAt: 'blocks: all known at a height',
  logAddress: 'log index: addresses',
  logTopic: 'log index: topics',
  logsIndexedFrom: 'log index: bounds',
  oldestBlock: 'blocks: oldest kept',
  importing: 'import: progress',
  pooled: 'pending transactions',
  filter: 'filters of clients',
}

export function renderStats({ chainId, genesisHash, heads, state, totalBytes, buckets }: DatabaseStats): string {
  const held = buckets.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes)
  const rows = held.map(({ name, bytes }) => ({ name: KIND_NAMES[name] ?? name, bytes }))
  const width = Math.max(...rows.map(({ name }) => name.length), 'all'.length)
  const head = (label: keyof DatabaseStats['heads']) => `${label.padEnd(9)}  ${heads[label].number}  ${heads[label].hash}`
  return [
    `chain ${chainId}, genesis ${genesisHash}`,
    head('unsafe'),
    head('safe'),
    head('finalized'),
    `state      on disk: block ${state.diskNumber}, ${state.layers} layers above (${size(state.layerBytes)}); readable from block ${state.oldest} on`,
    '',
    ...rows.map(({ name, bytes }) => `${name.padEnd(width)}  ${size(bytes).padStart(10)}`),
    `${'all'.padEnd(width)}  ${size(totalBytes).padStart(10)}`,
    '(tables on disk; the newest records are still in the log)',
  ].join('\n')
}

function renderVerify({ ok, blocks, accounts, problems, problemCount }: VerifyResult): string {
  const looked = `${counted(blocks, 'block')} and ${counted(accounts, 'account')} looked at`
  if (ok) return `OK: ${looked}`
  const more = problemCount > problems.length ? [`... and ${problemCount - problems.length} more`] : []
  return [
    `${counted(problemCount, 'problem')}, ${looked}:`,
    ...problems.map((problem) => `- ${problem}`),
    ...more,
    `${asCalled('db rollback')} to a block below the damage, or start with an empty data directory: the chain is derived again from L1`,
  ].join('\n')
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

function size(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}
