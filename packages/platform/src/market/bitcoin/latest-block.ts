import { z } from 'zod'
import type { BitcoinBlock } from '../../schemas/bitcoin.ts'
import type { JsonSource } from '../http/json-source.ts'
import { SourceError } from '../source-error.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'

export type ReadBitcoinBlock = (signal?: AbortSignal) => Promise<BitcoinBlock>

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const Time = z
  .int()
  .min(0)
  .max(253_402_300_799)
  .transform((sec) => new Date(sec * 1000).toISOString())
const EsploraBlock = z.object({
  id: Hash,
  height: z.int().min(0),
  version: z.int(),
  timestamp: Time,
  tx_count: z.int().min(1),
  size: z.int().min(81),
  weight: z.int().min(1),
  merkle_root: Hash,
  previousblockhash: Hash.nullish(),
  mediantime: Time.nullish(),
  nonce: z.int().min(0),
  bits: z.int().min(0),
  difficulty: z.number().positive(),
})

export async function latestBlock(read: ReadBitcoinBlock | null, signal?: AbortSignal): Promise<ToolOutcome<BitcoinBlock>> {
  if (read !== null) return succeeded(await read(signal))
  return problem(
    'not-configured',
    'no source of bitcoin blocks is configured: the operator names an Esplora-compatible API by --esplora.url',
  )
}

/** Throws SourceError, also when the two answers describe different blocks. */
export async function latestBitcoinBlock(esplora: JsonSource, signal?: AbortSignal): Promise<BitcoinBlock> {
  const refuse = (why: string) => new SourceError(esplora.label, 'bad-answer', why)
  const hash = await esplora.text(['blocks', 'tip', 'hash'], { signal })
  if (hash === null || !Hash.safeParse(hash).success) throw refuse('expected the hash of its newest block')
  const found = await esplora.get(['block', hash], EsploraBlock, { signal })
  if (found === null) throw refuse(`it does not know its own newest block ${hash}`)
  const { id, previousblockhash, mediantime, ...block } = found
  if (id !== hash) throw refuse(`expected block ${hash}, got ${id}`)
  return { ...block, hash, previous_hash: previousblockhash ?? null, median_time: mediantime ?? null, source: esplora.label }
}
