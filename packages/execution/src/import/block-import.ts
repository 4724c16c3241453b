/**
 * A block is valid only after block, receipts and state layer are written together (batch A). specs:
 * protocol/exec-engine.md#engine_newpayloadv4
 */
import type { Block, Hash } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { LRUCache } from 'lru-cache'
import type { ChainStore } from '../chain/chain-store.ts'
import { createMemoryCache } from '../chain/memory-cache.ts'
import { executedMemoryBytes } from '../chain/memory-sizes.ts'
import { ExecutionError } from '../errors.ts'
import type { MemoryUse } from '../memory-use.ts'
import type { CoveredBlock } from './covered-block.ts'
import { executeChecked } from './execute-checked.ts'
import type { ExecutedBlock } from './executed-block.ts'
import type { ExecutionContext } from './execution-context.ts'
import { createInvalidBlocks } from './invalid-blocks.ts'

export type ImportVerdict =
  | { readonly kind: 'valid' /** False when the block was already stored. */; readonly imported: boolean }
  | { readonly kind: 'invalid'; readonly reason: string; readonly latestValidHash: Hash | null }
  | { readonly kind: 'unknown-parent' }

export interface BlockImporter {
  /** Calls must not overlap. A parent without state counts as unknown. */
  importBlock(block: CoveredBlock): Promise<ImportVerdict>
  /** Executes a stored block again. Throws ExecutionError `execution/missing-state`. */
  restoreLayer(block: Block): Promise<void>
  /** Takes a sealed block with its execution result, so that importing it does not execute it again. */
  offer(executed: ExecutedBlock): void
  /** True for a block sealed by this process, perhaps its only source. */
  isOwn(hash: Hash): boolean
  /** Always null for a block sealed by this process. */
  knownInvalid(hash: Hash): { readonly reason: string; readonly latestValidHash: Hash | null } | null
  /** Remembers a verdict of which the caller knows that the hash covers it. */
  condemn(hash: Hash, reason: string, latestValidHash: Hash | null): void
  /** Remembers that `hash` descends from the invalid block `ancestor`. */
  condemnDescendant(hash: Hash, ancestor: Hash): void
  elapsedMs(hash: Hash): number | null
  readonly memory: readonly MemoryUse[]
}

export interface BlockImportOptions {
  readonly maxInvalidBlocks: number
  readonly maxExecutedBlocks: number
  readonly syncWrites: boolean
}

const REMEMBERED_TIMES = 256
const REMEMBERED_OWN = 64
const MAX_EXECUTED_BYTES = 64 * 2 ** 20

export function createBlockImporter(
  options: BlockImportOptions,
  context: ExecutionContext & { readonly chain: ChainStore },
  store: KeyValueStore,
): BlockImporter {
  const { chain, state } = context
  const invalid = createInvalidBlocks(options.maxInvalidBlocks)
  const offered = createMemoryCache<ExecutedBlock>({
    maxEntries: options.maxExecutedBlocks,
    maxBytes: MAX_EXECUTED_BYTES,
    bytesOf: executedMemoryBytes,
  })
  const elapsed = new LRUCache<Hash, number>({ max: REMEMBERED_TIMES })
  const own = new LRUCache<Hash, true>({ max: REMEMBERED_OWN })

  const isOwn = (hash: Hash) => own.get(hash) === true

  const write = async (executed: ExecutedBlock): Promise<void> => {
    const { block, receipts, diff, computed } = executed
    const { hash, header } = block
    const layer = state.stageLayer({ hash, parentHash: header.parentHash, number: header.number, diff, computed })
    const staged = chain.stageBlock(block, receipts)
    await store.batch([...layer.ops, ...staged.ops], { sync: options.syncWrites })
    layer.publish()
    staged.publish()
    offered.delete(hash)
    invalid.forget(hash)
    elapsed.set(hash, executed.elapsedMs)
  }

  return {
    async importBlock(covered) {
      const { block, ommers } = covered
      const { hash } = block
      if (chain.header(hash) !== null) return { kind: 'valid', imported: false }
      const known = isOwn(hash) ? null : invalid.find(covered)
      if (known !== null) return { kind: 'invalid', reason: known.reason, latestValidHash: known.latestValidHash }
      const { parentHash } = block.header
      const parentHeader = chain.header(parentHash)
      if (parentHeader === null) return { kind: 'unknown-parent' }
      const parent = { hash: parentHash, header: parentHeader }
      const view = state.viewAt(parentHash)
      if (view === null) return { kind: 'unknown-parent' }
      const ready = offered.get(hash)
      const checked =
        ready === undefined ? await executeChecked(context, block, parent, view, ommers) : { kind: 'executed' as const, executed: ready }
      if (checked.kind === 'invalid') {
        invalid.remember(covered, { reason: checked.reason, latestValidHash: parentHash })
        return { kind: 'invalid', reason: checked.reason, latestValidHash: parentHash }
      }
      await write(checked.executed)
      return { kind: 'valid', imported: true }
    },
    async restoreLayer(block) {
      const { parentHash, number } = block.header
      const header = chain.header(parentHash)
      const view = state.viewAt(parentHash)
      const checked = header === null || view === null ? null : await executeChecked(context, block, { hash: parentHash, header }, view)
      if (checked?.kind !== 'executed') {
        throw new ExecutionError(
          'execution/missing-state',
          `block ${number} (${block.hash}) was stored as valid but cannot be executed again: ${checked?.reason ?? 'no parent state'}; start with an empty data directory`,
          { number, hash: block.hash },
        )
      }
      await write(checked.executed)
    },
    offer(executed) {
      offered.set(executed.block.hash, executed)
      own.set(executed.block.hash, true)
    },
    isOwn,
    knownInvalid: (hash) => (isOwn(hash) ? null : invalid.findHash(hash)),
    condemn: (hash, reason, latestValidHash) => invalid.condemn(hash, { reason, latestValidHash }),
    condemnDescendant: invalid.condemnDescendant,
    elapsedMs: (hash) => elapsed.get(hash) ?? null,
    memory: [{ name: 'executed', maxBytes: MAX_EXECUTED_BYTES, bytes: () => offered.calculatedSize }, invalid.memory],
  }
}
