import { formatTable } from '../table.ts'
import type { PipelineResult } from './pipeline-bench.ts'

type Rate = 'blocksPerSec' | 'megabytesPerSec' | 'transactionsPerSec'

interface Goal {
  readonly what: string
  readonly shapes: string
  readonly rate: Rate
  readonly floor: number | null
  readonly aim: number
}

const GOALS: readonly Goal[] = [
  { what: 'mostly-empty L2 blocks/s', shapes: 'mostly empty', rate: 'blocksPerSec', floor: 3_000, aim: 10_000 },
  { what: 'MB/s of batches before compression', shapes: 'large calldata', rate: 'megabytesPerSec', floor: null, aim: 20 },
  {
    what: 'transactions/s rebuilt from span batches',
    shapes: 'many transfers, span',
    rate: 'transactionsPerSec',
    floor: null,
    aim: 50_000,
  },
]

const whole = (value: number) => value.toFixed(0)
const rateText = (value: number) => value.toFixed(value < 1_000 ? 1 : 0)

export function pipelineReport(results: readonly PipelineResult[]): string {
  const shapes = results.map(({ shape, transactions, batchBytes }) => [
    shape.name,
    `${shape.form.compression} in ${shape.form.carrier}`,
    whole(shape.blocks),
    whole(shape.blocksPerChannel),
    whole(transactions),
    (batchBytes / 1e6).toFixed(2),
    transactions === 0 ? '-' : whole(shape.calldataBytes.reduce((sum, bytes) => sum + bytes, 0) / shape.calldataBytes.length),
  ])
  const rates = results.map((result) => [
    result.shape.name,
    whole(result.ms),
    whole(result.bestMs),
    whole(result.cpuMs),
    whole(result.blocksPerSec),
    result.megabytesPerSec.toFixed(1),
    whole(result.transactionsPerSec),
    result.timesDecompression.toFixed(1),
  ])
  const goals = GOALS.map(({ what, shapes: prefix, rate, floor, aim }) => {
    const named = results.filter(({ shape }) => shape.name.startsWith(prefix))
    const slowest = (scale: (result: PipelineResult) => number) =>
      rateText(Math.min(...named.map((result) => result[rate] * scale(result))))
    return [
      what,
      slowest(() => 1),
      slowest(({ ms, bestMs }) => ms / bestMs),
      slowest(({ ms, cpuMs }) => ms / cpuMs),
      floor === null ? '-' : whole(floor),
      whole(aim),
    ]
  })
  return [
    '\nThe derivation pipeline alone on one thread: in-memory L1, L2 headers hashed but not executed, blobs already verified',
    formatTable(['shape', 'carrier', 'L2 blocks', 'a channel', 'transactions', 'MB', 'calldata B'], shapes),
    '',
    formatTable(['shape, medians', 'ms', 'best ms', 'CPU ms', 'blocks/s', 'MB/s', 'tx/s', 'x decompression'], rates),
    '',
    formatTable(['figure, slowest shape', 'by the clock', 'best round', 'a CPU second', 'floor', 'aim'], goals),
  ].join('\n')
}
