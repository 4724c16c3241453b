import { parentPort } from 'node:worker_threads'
import type { CampaignEngine } from './campaign.ts'
import { openRunner } from './engines/index.ts'
import { type BatchResult, findDifferences } from './find-differences.ts'
import type { EvmFuzzOptions } from './options.ts'

export interface Batch {
  readonly options: EvmFuzzOptions
  readonly seeds: readonly number[]
}

export type WorkerReport =
  | { readonly kind: 'set'; readonly seed: number }
  | { readonly kind: 'batch'; readonly result: BatchResult }
  | { readonly kind: 'failure'; readonly message: string }
  | { readonly kind: 'closed' }

const TRACE_EVERY = 20

const port = parentPort
if (port === null) throw new Error('the fuzz worker cannot run by itself; use npm run fuzz -- evm')
const report = (message: WorkerReport) => port.postMessage(message)
let engines: readonly CampaignEngine[] | null = null

async function run({ options, seeds }: Batch): Promise<void> {
  engines ??= options.engines.map(({ name, share }) => ({ runner: openRunner(name), share }))
  const { chains, variants } = options
  const campaign = { engines, chains, variants, traceEvery: TRACE_EVERY }
  const result = await findDifferences(campaign, seeds, (seed) => report({ kind: 'set', seed }))
  report({ kind: 'batch', result })
}

port.on('message', (message: Batch | 'close') => {
  if (message === 'close') {
    Promise.all((engines ?? []).map(({ runner }) => runner.close?.())).finally(() => report({ kind: 'closed' }))
    return
  }
  run(message).catch((error: unknown) => {
    report({ kind: 'failure', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  })
})
