import { findNextFork, printSchedule, type RollupConfig, utcText } from '@keelson/chainspec'
import { type PublicNetwork, readPublicNetwork, readRollupConfig } from '@keelson/devnet/network-files'
import { l2Time } from '@keelson/primitives'

const L1_NAMES: ReadonlyMap<bigint, string> = new Map([
  [1n, 'mainnet'],
  [11_155_111n, 'sepolia'],
  [560_048n, 'hoodi'],
])

export type NetworkRow = readonly [string, string, string, string, string, string]

export const NETWORK_COLUMNS: NetworkRow = ['NAME', 'CHAIN ID', 'L1', 'FORK', 'NEXT FORK', 'STATE']

export function networkRow(name: string, folder: string, nowSec: number): NetworkRow {
  const rollup = readRollupConfig(folder)
  const network = readPublicNetwork(folder)
  return [
    name,
    String(rollup.l2ChainId),
    l1Name(rollup),
    rollup.forks.forkAt(l2Time(Math.max(nowSec, rollup.genesis.l2TimestampSec))),
    nextFork(rollup, nowSec),
    network?.state === 'snapshot' ? 'snapshot of another node' : 'genesis',
  ]
}

/** An unimplemented fork is the next one even after its time, because the node stops there. */
function nextFork({ forks, firstUnsupportedFork: unsupported }: RollupConfig, nowSec: number): string {
  const next = findNextFork(forks, nowSec)
  if (next !== null && (unsupported === null || next.timeSec < unsupported.timeSec)) return `${next.fork} ${day(next.timeSec)}`
  return unsupported === null ? '-' : `${unsupported.name} ${day(unsupported.timeSec)}, not implemented`
}

export function describeNetwork(folder: string, nowSec: number): readonly string[] {
  const rollup = readRollupConfig(folder, { allowSameChainId: true })
  const network = readPublicNetwork(folder)
  const { genesis } = rollup
  return [
    ...(network === null ? [] : [`${network.name}`]),
    ...table([
      ['chain id', String(rollup.l2ChainId)],
      ['L1', `${l1Name(rollup)}, chain ${rollup.l1ChainId}`],
      ['block time', `${rollup.blockTimeSec} s`],
      ['first block', `${genesis.l2.number}, ${genesis.l2.hash}, ${day(genesis.l2TimestampSec)}`],
      ['read L1 from', `block ${genesis.l1.number}`],
      ['state', stateText(network, rollup)],
      ['portal', rollup.depositContract],
      ['system config', rollup.systemConfigContract],
      ['batch inbox', rollup.batchInbox],
      ...(network === null ? [] : publicFacts(network)),
    ]),
    '',
    ...printSchedule(rollup, nowSec).split('\n'),
  ]
}

function publicFacts(network: PublicNetwork): (readonly [string, string])[] {
  const { source } = network
  return [
    ['sequencer', network.sequencerRpc ?? 'none is published'],
    ['public RPC', network.publicRpc ?? 'none is published'],
    ['explorer', network.explorer ?? 'none is published'],
    ['block signer', `${network.unsafeBlockSigner ?? 'not published'}; the SystemConfig on L1 decides`],
    ['bootnodes', String(network.bootnodes.length)],
    ['superchain', `${network.superchain}, ${network.governedByOptimism ? 'governed' : 'not governed'} by Optimism`],
    ['source', `${source.repository} ${source.chain} at ${source.commit}${source.also === undefined ? '' : `, and ${source.also}`}`],
  ]
}

function stateText(network: PublicNetwork | null, { genesis }: RollupConfig): string {
  if (network?.state !== 'snapshot') return 'from genesis.json'
  return (
    `before block ${genesis.l2.number} an older chain made it: import the snapshot of another Keelson node (keelson db import); ` +
    'none is published, and those of op-geth and op-reth have other formats'
  )
}

function l1Name({ l1ChainId }: RollupConfig): string {
  return L1_NAMES.get(l1ChainId) ?? String(l1ChainId)
}

function day(timeSec: number): string {
  return utcText(timeSec).replace(/ [0-9:]+ UTC$/, '')
}

export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  )
}
