/**
 * Skips known blocks and moves the head forward regularly, so that an interrupted import keeps its blocks. The head never moves
 * back.
 */
import {
  CodecError,
  decodeHeader,
  type Hash,
  keccak256Hash,
  type RlpInput,
  rlpDecode,
  rlpEncode,
  rlpList,
  ZERO_HASH,
} from '@keelson/primitives'
import type { SealedHeader } from '../chain/chain-reader.ts'
import type { ExecutionNode } from '../execution-node.ts'

export interface ImportedSoFar {
  readonly imported: number
  readonly skipped: number
  readonly gasUsed: bigint
  readonly last: { readonly number: number; readonly hash: Hash } | null
}

export type ImportStop =
  | { readonly kind: 'end' }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'invalid'; readonly number: number; readonly hash: Hash; readonly reason: string }
  | { readonly kind: 'unknown-parent'; readonly number: number; readonly hash: Hash; readonly parentHash: Hash }
  | { readonly kind: 'unsupported-fork'; readonly number: number; readonly hash: Hash; readonly reason: string }
  | { readonly kind: 'damaged'; readonly reason: string }

export interface ImportOutcome extends ImportedSoFar {
  readonly stop: ImportStop
}

export interface ImportChainOptions {
  readonly signal: AbortSignal
  readonly onBlock?: (progress: ImportedSoFar) => void
}

const BLOCKS_PER_HEAD = 128

export async function importChain(
  node: ExecutionNode,
  blocks: AsyncIterable<Uint8Array>,
  { signal, onBlock }: ImportChainOptions,
): Promise<ImportOutcome> {
  let progress: ImportedSoFar = { imported: 0, skipped: 0, gasUsed: 0n, last: null }
  let sinceHead = 0

  async function setHead(): Promise<void> {
    const { last } = progress
    sinceHead = 0
    if (last === null || last.number <= node.chain.label('unsafe').header.number) return
    await node.engine.forkchoiceUpdated({ head: last.hash, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
    await node.settled()
  }

  async function take(raw: Uint8Array): Promise<ImportStop | null> {
    const { hash, header } = sealedHeaderOf(raw)
    const last = { number: header.number, hash }
    if (node.chain.header(hash) !== null) {
      progress = { ...progress, skipped: progress.skipped + 1, last }
      return null
    }
    const verdict = await node.importExported(raw)
    switch (verdict.kind) {
      case 'invalid':
      case 'unsupported-fork':
        return { kind: verdict.kind, ...last, reason: verdict.reason }
      case 'unknown-parent':
        return { kind: 'unknown-parent', ...last, parentHash: header.parentHash }
      case 'valid':
        progress = { ...progress, imported: progress.imported + 1, gasUsed: progress.gasUsed + header.gasUsed, last }
        if (++sinceHead >= BLOCKS_PER_HEAD) await setHead()
        return null
    }
  }

  async function run(): Promise<ImportStop> {
    for await (const raw of blocks) {
      if (signal.aborted) return { kind: 'interrupted' }
      const stop = await take(raw)
      if (stop !== null) return stop
      onBlock?.(progress)
    }
    return { kind: 'end' }
  }

  let stop: ImportStop
  try {
    stop = await run()
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    stop = { kind: 'damaged', reason: error.message }
  }
  await setHead()
  return { ...progress, stop }
}

function sealedHeaderOf(raw: Uint8Array): SealedHeader {
  const header = rlpEncode(rlpList(rlpList(rlpDecode(raw), 'block')[0], 'block header') as RlpInput)
  return { hash: keccak256Hash(header), header: decodeHeader(header) }
}
