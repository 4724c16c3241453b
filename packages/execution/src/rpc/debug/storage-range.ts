import { type Block, type Bytes20, type Bytes32, bytesToHex, hexToBytes, parseAddress, parseData } from '@keelson/primitives'
import { invalidParams } from '@keelson/runtime'
import type { DumpedSlot } from '@keelson/state'
import { rpcError } from '../errors.ts'
import type { ReadMethods } from '../limits/read-lanes.ts'
import { createTraceBudget } from '../limits/trace-budget.ts'
import { argument, findBlock, parseBlockSelector } from '../params.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { stateUnavailable } from '../state-view.ts'
import { replayBefore } from './block-replay.ts'
import { mergeSlots, slotChangesOf } from './merge-slots.ts'
import { parentOf } from './parent-of.ts'

const MAX_SLOTS = 1_024
const ANSWER_BYTES_PER_SLOT = 240

interface StorageRange {
  /** Slots by their hashes; `key` is null if the node does not know which slot has the hash. */
  readonly storage: Readonly<Record<string, { readonly key: string | null; readonly value: string }>>
  /** Null at the end of the storage. */
  readonly nextKey: string | null
}

/** Lists the storage that a contract has before a transaction, in the order of the slots' hashes. geth: eth/api_debug.go */
export function storageRangeMethod(deps: ReadDependencies): Pick<ReadMethods, 'debug_storageRangeAt'> {
  const { chain, options } = deps
  return {
    async debug_storageRangeAt(params, context): Promise<StorageRange> {
      const selector = argument(params, 0, parseBlockSelector)
      const txIndex = argument(params, 1, (value) => parseCount(value, 'transaction index', Number.MAX_SAFE_INTEGER))
      const address = hexToBytes(argument(params, 2, parseAddress))
      const start = argument(params, 3, parseStart)
      const maxResult = argument(params, 4, (value) => parseCount(value, 'number of slots', MAX_SLOTS))
      const found = findBlock(chain, selector)
      const block = found === null ? null : chain.block(found.hash)
      if (block === null) throw rpcError('blockNotFound')
      const bounds = { timeoutMs: options.maxTraceTimeoutMs, maxBytes: options.maxTraceBytes, signal: context.signal }
      const budget = createTraceBudget(deps.clock, bounds)
      const { diff } = await replayBefore(deps, block, txIndex, () => budget.breathe())
      const slots = mergeSlots(storageOfParent(deps, block, address, start), slotChangesOf(diff, address), start)
      const storage: Record<string, { readonly key: string | null; readonly value: string }> = {}
      let count = 0
      for (const { slotHash, slot, value } of slots) {
        if (count++ === maxResult) return { storage, nextKey: bytesToHex(slotHash) }
        budget.spend(ANSWER_BYTES_PER_SLOT)
        storage[bytesToHex(slotHash)] = { key: slot === null ? null : bytesToHex(slot), value: bytesToHex(value) }
        await budget.breathe()
      }
      return { storage, nextKey: null }
    },
  }
}

function storageOfParent(deps: ReadDependencies, { header }: Block, address: Bytes20, start: Bytes32): Iterable<DumpedSlot> {
  const { chain, state } = deps
  const parent = parentOf(deps, header.parentHash)
  const older = () => (chain.isCanonical(parent) ? state.listStorageAtNumber(parent.header.number, address, start) : null)
  const slots = state.listStorage(parent.hash, address, start) ?? older()
  if (slots === null) throw stateUnavailable(state, parent)
  return slots
}

/** A shorter key is a prefix of hashes. */
function parseStart(value: unknown): Bytes32 {
  const bytes = parseData(value, 'start key')
  if (bytes.length > 32) throw invalidParams(`the start key is a hash of at most 32 bytes, got ${bytes.length}`)
  const start = new Uint8Array(32)
  start.set(bytes)
  return start
}

function parseCount(value: unknown, what: string, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max) {
    throw invalidParams(`expected a ${what} from 0 to ${max}, got ${JSON.stringify(value)}`)
  }
  return value
}
