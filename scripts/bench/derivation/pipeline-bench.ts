/** One thread with verified blobs; headers are hashed instead of executing blocks. */
import { createAttributesBuilder, createDerivationPipeline, l2BlockRefOf } from '@keelson/derivation'
import type { Crypto } from '@keelson/primitives'
import { decompress } from '../../../packages/node/src/crypto/compression.ts'
import { createPayloadLedger } from '../../../test/support/payload-ledger.ts'
import type { Profiler } from '../cpu-profile.ts'
import { median } from '../measure.ts'
import { makePipelineInputs, type PipelineInputs, type PipelineShape } from './pipeline-inputs.ts'

export interface PipelineBenchOptions {
  readonly crypto: Crypto
  readonly profiler: Profiler
  readonly progress: (line: string) => void
}

export interface PipelineResult {
  readonly shape: PipelineShape
  readonly blocksPerSec: number
  readonly megabytesPerSec: number
  readonly transactionsPerSec: number
  readonly transactions: number
  readonly batchBytes: number
  readonly ms: number
  readonly bestMs: number
  readonly cpuMs: number
  readonly timesDecompression: number
}

const SPAN = { batches: 'span', compression: 'brotli', carrier: 'blobs' } as const
const SINGULAR = { batches: 'singular', compression: 'zlib', carrier: 'calldata' } as const
const QUIET = { blocks: 6_000, everyBlocks: 10, transactions: 1, calldataBytes: [0, 68], blocksPerChannel: 600 } as const
const BUSY = { blocks: 150, everyBlocks: 1, transactions: 150, calldataBytes: [0, 68, 0, 68, 260], blocksPerChannel: 50 } as const
const LARGE = { blocks: 150, everyBlocks: 1, transactions: 25, calldataBytes: [2_500, 800, 516], blocksPerChannel: 50 } as const

export const PIPELINE_SHAPES: readonly PipelineShape[] = [
  { name: 'mostly empty, span', ...QUIET, form: SPAN },
  { name: 'mostly empty, singular', ...QUIET, form: SINGULAR },
  { name: 'many transfers, span', ...BUSY, form: SPAN },
  { name: 'many transfers, singular', ...BUSY, form: SINGULAR },
  { name: 'large calldata, span', ...LARGE, form: SPAN },
  { name: 'large calldata, singular', ...LARGE, form: SINGULAR },
]

const WARM_UPS = 2
const ROUNDS = 7

export async function runPipelineBench(options: PipelineBenchOptions): Promise<readonly PipelineResult[]> {
  const results: PipelineResult[] = []
  for (const shape of PIPELINE_SHAPES) {
    options.progress(`pipeline: ${shape.name}`)
    const inputs = await makePipelineInputs(shape, options.crypto)
    results.push(await measurePipeline(shape, inputs, options))
  }
  return results
}

export async function measurePipeline(
  shape: PipelineShape,
  inputs: PipelineInputs,
  { crypto, profiler }: PipelineBenchOptions,
): Promise<PipelineResult> {
  for (let i = 0; i < WARM_UPS; i++) await derive(inputs, crypto)
  const rounds: Round[] = []
  await profiler.during(`pipeline, ${shape.name}`, async () => {
    for (let i = 0; i < ROUNDS; i++) rounds.push(await derive(inputs, crypto))
  })
  const ms = median(rounds.map((round) => round.ms))
  const { transactions, batchBytes } = inputs
  return {
    shape,
    blocksPerSec: (shape.blocks / ms) * 1_000,
    megabytesPerSec: batchBytes / 1_000 / ms,
    transactionsPerSec: (transactions / ms) * 1_000,
    transactions,
    batchBytes,
    ms,
    bestMs: Math.min(...rounds.map((round) => round.ms)),
    cpuMs: median(rounds.map((round) => round.cpuMs)),
    timesDecompression: median(rounds.map((round) => round.ms / round.decompressionMs)),
  }
}

interface Round {
  readonly ms: number
  readonly cpuMs: number
  readonly decompressionMs: number
}

async function derive({ config, l1, genesis, head }: PipelineInputs, crypto: Crypto): Promise<Round> {
  let decompressionMs = 0
  const derived = createPayloadLedger(config, genesis)
  const pipeline = createDerivationPipeline(config, {
    l1: l1.reader,
    blobs: l1.blobReader,
    l2: derived,
    decompressor: {
      *decompress(algorithm, data, maxBytes) {
        for (const scan = decompress(algorithm, data, maxBytes); ; ) {
          const began = performance.now()
          const { done, value } = scan.next()
          decompressionMs += performance.now() - began
          if (done === true) return value
          yield
        }
      },
    },
    crypto,
    attributes: createAttributesBuilder(config, l1.chain, { l1: l1.reader, l2: derived }),
  })
  pipeline.reset({ l1Origin: l1.genesis, systemConfig: config.genesis.systemConfig })
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  let safe = l2BlockRefOf(derived.head, config.genesis)
  for (;;) {
    const step = await pipeline.step(safe)
    if (step.kind === 'awaiting-l1') break
    if (step.kind !== 'attributes') continue
    safe = l2BlockRefOf(derived.append(safe.hash, step.derived.attributes), config.genesis)
  }
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(cpuBefore)
  if (safe.hash !== head) throw new Error(`derived up to block ${safe.number} ${safe.hash}, expected ${head}`)
  return { ms, cpuMs: (user + system) / 1_000, decompressionMs }
}
