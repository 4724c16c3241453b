import { join } from 'node:path'
import { durationText, findNextFork, printSchedule, type RollupConfig, utcText } from '@keelson/chainspec'
import { type LeftRegistry, type PublicNetwork, readPublicNetwork, readRollupConfig } from '@keelson/devnet/network-files'
import { l2Time } from '@keelson/primitives'
import { describeForkTimes } from '../fork-times/describe-fork-times.ts'
import { FORK_TIMES_FILE, type NewerForkTimes } from '../fork-times/fork-times-file.ts'
import { readRollup } from '../fork-times/read-rollup.ts'

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
  if (unsupported === null) return '-'
  const lack = unsupported.unconfirmedBundle === undefined ? 'not implemented' : 'not confirmed'
  return `${unsupported.name} ${day(unsupported.timeSec)}, ${lack}`
}

/** The schedule is the one with the newer fork times of `dataDirs`, which are listed too. Throws NodeError. */
export function describeNetwork(folder: string, nowSec: number, dataDirs: readonly string[] = []): readonly string[] {
  const read = (dataDir: string | null) => readRollup({ network: folder, allowSameChainId: true, dataDir }, nowSec)
  const updated = dataDirs.map((dataDir) => ({ dataDir, ...read(dataDir) })).filter(({ newer }) => newer !== null)
  const rollup = updated[0]?.config ?? read(null).config
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
    ...laterForks(network, nowSec),
    ...updated.flatMap(({ dataDir, newer }) => [
      '',
      `newer fork times in ${join(dataDir, FORK_TIMES_FILE)}, used by a role with that data folder:`,
      ...describeForkTimes(newer as NewerForkTimes),
    ]),
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
    ...(network.leftRegistry === null ? [] : [['registry', leftRegistryText(network.leftRegistry)] as [string, string]]),
    ['source', `${source.repository} ${source.chain} at ${source.commit}${source.also === undefined ? '' : `, and ${source.also}`}`],
  ]
}

function leftRegistryText({ noticedOn, source, laterForks: forks }: LeftRegistry): string {
  const known = forks.length === 0 ? 'are not known here' : 'are known here only as far as they are named below'
  return `no longer lists this chain (noticed on ${noticedOn}, ${source}), so its later forks ${known}: ask its operators`
}

/** What the operators of a chain announced after it left the registry. */
function laterForks(network: PublicNetwork | null, nowSec: number): readonly string[] {
  const forks = network?.leftRegistry?.laterForks ?? []
  if (forks.length === 0) return []
  const rows = forks.map(({ name, at, source }) => {
    const timeSec = Date.parse(at) / 1000
    const distance = timeSec > nowSec ? `in ${durationText(timeSec - nowSec)}` : `${durationText(nowSec - timeSec)} ago`
    return [name, utcText(timeSec), distance, source] as const
  })
  return ['', 'forks of its operators that this release does not implement:', ...table(rows)]
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
