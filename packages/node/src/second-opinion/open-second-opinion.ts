import { join } from 'node:path'
import type { ExecutionNode, ReadRunner } from '@keelson/execution'
import { encodeBlock, type Hash, type Logger, toHash } from '@keelson/primitives'
import { type Metrics, type OptionValues, option, optionParsers as parse, RawJson } from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'
import { writeOpinionReport } from './opinion-reports.ts'
import { createOpinionThread, type OpinionRequest, type OpinionThread, type OpinionWorkerData } from './opinion-thread.ts'
import { SecondOpinionWatch } from './second-opinion-watch.ts'

export const secondOpinionOptions = {
  secondOpinion: option({
    key: 'secondOpinion',
    parse: parse.integer(0),
    default: 0,
    description:
      'Have every Nth imported block executed again by other libraries (@ethereumjs/vm) in a worker thread, one at a time; blocks that ' +
      'come while it is busy are skipped. A difference stops the node and leaves a report in the data folder. 0: none.',
  }),
} as const

export interface OpenSecondOpinion {
  readonly watch: SecondOpinionWatch
  readonly thread: OpinionThread
}

export interface SecondOpinionParts {
  readonly worker: OpinionWorkerData
  /** Null without `--rpc.threads`. */
  readonly reads: ReadRunner | null
  readonly node: Pick<ExecutionNode, 'chain' | 'onBlock'>
  readonly dataDir: string
  readonly log: Logger
  readonly metrics: Metrics
}

const WITNESS_LIMIT_MS = 60_000

/** Throws AssemblyError `node/usage` without RPC worker threads, which record the witness. */
export function openSecondOpinion(
  { secondOpinion: every }: OptionValues<typeof secondOpinionOptions>,
  { worker, reads, node, dataDir, log, metrics }: SecondOpinionParts,
): OpenSecondOpinion | null {
  if (every === 0) return null
  if (reads === null) throw new AssemblyError('node/usage', '--second-opinion needs worker threads for RPC; leave out --rpc.threads 0')
  const thread = createOpinionThread(worker)
  const watch = new SecondOpinionWatch(every, {
    evidence: (hash) => readEvidence(reads, node, hash),
    judge: thread.judge,
    write: (report) => writeOpinionReport(join(dataDir, 'second-opinion'), report),
    log,
    metrics,
  })
  node.onBlock(({ number, hash }) => watch.look(number, toHash(hash)))
  return { watch, thread }
}

async function readEvidence(reads: ReadRunner, { chain }: SecondOpinionParts['node'], hash: Hash): Promise<OpinionRequest | null> {
  const block = chain.block(hash)
  if (block === null) return null
  const signal = AbortSignal.timeout(WITNESS_LIMIT_MS)
  const witness = await reads.run('debug_executionWitness', [hash], { limitMs: WITNESS_LIMIT_MS, signal, client: null })
  return { block: encodeBlock(block), witness: witness instanceof RawJson ? witness.text : JSON.stringify(witness) }
}
