import type { HotFunction } from './cpu-profile.ts'
import type { DerivationResult } from './derivation/derivation-bench.ts'
import type { ExecutionResult } from './execution/execution-bench.ts'
import { formatTable } from './table.ts'

const ms = (value: number | null) => (value === null ? '-' : value.toFixed(value < 10 ? 1 : 0))

export function executionReport(
  results: readonly ExecutionResult[],
  { accounts, rounds, compared }: { readonly accounts: number; readonly rounds: number; readonly compared: number },
): string {
  const head = [
    'engine',
    'decode',
    'senders',
    'execution',
    'root',
    'commit',
    'total ms',
    'p99',
    'CPU',
    'tx/s',
    'Mgas/s',
    'x Keelson',
    'flatten',
  ]
  const workloads = [...new Set(results.map(({ workload }) => workload))]
  const tables = workloads.map((workload) => {
    const rows = results
      .filter((result) => result.workload === workload)
      .map(({ engine, times, p99Ms, cpuMs, flattenMs, transactionsPerSec, megagasPerSec, timesKeelson }) => [
        engine,
        ms(times.decodeMs),
        ms(times.sendersMs),
        ms(times.executionMs),
        ms(times.rootMs),
        ms(times.commitMs),
        ms(times.totalMs),
        ms(p99Ms),
        ms(cpuMs),
        transactionsPerSec.toFixed(0),
        megagasPerSec.toFixed(1),
        timesKeelson.toFixed(2),
        ms(flattenMs),
      ])
    return `\n${workload}, milliseconds\n${formatTable(head, rows)}`
  })
  return [
    `\nBlock execution over ${accounts} accounts on LevelDB, medians of ${rounds} rounds; ${compared} rounds of the same L1 blocks where it is compared`,
    ...tables,
    '\nCPU: processor time of all threads. execution: transactions, receipts, header checks. commit: written before the block counts. flatten: in the background,',
    'not in the total. Without caches, @ethereumjs/vm updates the trie during execution, so its execution time includes the root.',
  ].join('\n')
}

/** Targets for nearly empty blocks. */
const FOLLOWER_FLOOR = 100
const FOLLOWER_AIM = 500

export function derivationReport(results: readonly DerivationResult[]): string {
  const [first] = results
  const rows = results.map(({ transport, seconds, blocksPerSec, cpuSeconds }) => [
    transport,
    seconds.toFixed(1),
    blocksPerSec.toFixed(0),
    cpuSeconds.toFixed(1),
  ])
  return [
    `\nDeriving ${first?.blocks} L2 blocks (${first?.userTransactions} user transactions in total) from ${first?.l1Blocks} in-memory L1 blocks`,
    formatTable(['engine API by', 'seconds', 'blocks/s', 'CPU seconds'], rows),
    `floor ${FOLLOWER_FLOOR} blocks/s, aim ${FOLLOWER_AIM}; CPU seconds are those of the process that derives`,
  ].join('\n')
}

export function profileReport(workload: string, hottest: readonly HotFunction[]): string {
  const rows = hottest.map(({ where, selfMs, share }) => [where, selfMs.toFixed(0), `${(share * 100).toFixed(1)} %`])
  return `\nself time: ${workload}\n${formatTable(['function', 'ms', 'share'], rows)}`
}
