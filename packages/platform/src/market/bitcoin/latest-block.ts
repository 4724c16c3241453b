/** The newest bitcoin block of an Esplora-compatible API. */
import { z } from 'zod'
import type { BitcoinBlock } from '../../schemas/bitcoin.ts'
import type { JsonSource } from '../http/json-source.ts'
import { SourceError } from '../source-error.ts'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const TimeSec = z.int().min(0).max(253_402_300_799)
const EsploraBlock = z.object({
  id: Hash,
  height: z.int().min(0),
  version: z.int(),
  timestamp: TimeSec,
  tx_count: z.int().min(1),
  size: z.int().min(81),
  weight: z.int().min(1),
  merkle_root: Hash,
  previousblockhash: Hash.nullish(),
  mediantime: TimeSec.nullish(),
  nonce: z.int().min(0),
  bits: z.int().min(0),
  difficulty: z.number().positive(),
})

/** Throws SourceError, also when its two answers describe different blocks. */
export async function latestBitcoinBlock(esplora: JsonSource, signal?: AbortSignal): Promise<BitcoinBlock> {
  const options = signal === undefined ? {} : { signal }
  const hash = await esplora.text(['blocks', 'tip', 'hash'], options)
  if (hash === null || !Hash.safeParse(hash).success)
    throw new SourceError(esplora.label, 'bad-answer', 'expected the hash of its newest block')
  const block = await esplora.get(['block', hash], EsploraBlock, options)
  if (block === null) throw new SourceError(esplora.label, 'bad-answer', `it does not know its own newest block ${hash}`)
  if (block.id !== hash) throw new SourceError(esplora.label, 'bad-answer', `expected block ${hash}, got ${block.id}`)
  return {
    height: block.height,
    hash,
    previous_hash: block.previousblockhash ?? null,
    merkle_root: block.merkle_root,
    version: block.version,
    timestamp: iso(block.timestamp),
    median_time: block.mediantime === undefined || block.mediantime === null ? null : iso(block.mediantime),
    nonce: block.nonce,
    bits: block.bits,
    difficulty: block.difficulty,
    tx_count: block.tx_count,
    size: block.size,
    weight: block.weight,
    source: esplora.label,
  }
}

function iso(sec: number): string {
  return new Date(sec * 1000).toISOString()
}
