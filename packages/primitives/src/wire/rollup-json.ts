/**
 * The rollup_* (optimism_*) methods in op-node's format: plain numbers, snake case in the sync status. specs:
 * protocol/rollup-node.md#structures
 */
import { ZERO_HASH } from '../block/header.ts'
import { CodecError } from '../errors.ts'
import type { BlockId, L1BlockRef, L2BlockRef, OutputAtBlock, SyncStatus } from '../op/rollup-types.ts'
import { l2Time } from '../op/rollup-types.ts'
import { parseHash, parseJsonInteger, parseJsonObject } from '../quantity.ts'

export const ZERO_L1_REF: L1BlockRef = { hash: ZERO_HASH, number: 0, parentHash: ZERO_HASH, timestampSec: 0 }
export const ZERO_L2_REF: L2BlockRef = {
  ...ZERO_L1_REF,
  timestampSec: l2Time(0),
  l1Origin: { hash: ZERO_HASH, number: 0 },
  sequenceNumber: 0,
}

export function blockIdToJson(id: BlockId): Record<string, unknown> {
  return { hash: id.hash, number: id.number }
}

export function parseBlockIdJson(value: unknown, what = 'block id'): BlockId {
  const o = parseJsonObject(value, what)
  return { hash: parseHash(o.hash, `${what}.hash`), number: parseJsonInteger(o.number, `${what}.number`) }
}

export function l1BlockRefToJson(ref: L1BlockRef): Record<string, unknown> {
  return { hash: ref.hash, number: ref.number, parentHash: ref.parentHash, timestamp: ref.timestampSec }
}

export function parseL1BlockRefJson(value: unknown, what = 'L1 block'): L1BlockRef {
  const o = parseJsonObject(value, what)
  return {
    ...parseBlockIdJson(o, what),
    parentHash: parseHash(o.parentHash, `${what}.parentHash`),
    timestampSec: parseJsonInteger(o.timestamp, `${what}.timestamp`),
  }
}

export function l2BlockRefToJson(ref: L2BlockRef): Record<string, unknown> {
  return { ...l1BlockRefToJson(ref), l1origin: blockIdToJson(ref.l1Origin), sequenceNumber: ref.sequenceNumber }
}

export function parseL2BlockRefJson(value: unknown, what = 'L2 block'): L2BlockRef {
  const o = parseJsonObject(value, what)
  const { timestampSec, ...ref } = parseL1BlockRefJson(o, what)
  return {
    ...ref,
    timestampSec: l2Time(timestampSec),
    l1Origin: parseBlockIdJson(o.l1origin, `${what}.l1origin`),
    sequenceNumber: parseJsonInteger(o.sequenceNumber, `${what}.sequenceNumber`),
  }
}

/**
 * Labels that differ only on interop chains repeat the other labels; a missing queued block is written as zeros, as in op-node up
 * to version 1.7.
 */
export function syncStatusToJson(status: SyncStatus): Record<string, unknown> {
  return {
    current_l1: l1BlockRefToJson(status.currentL1),
    current_l1_finalized: l1BlockRefToJson(status.finalizedL1),
    head_l1: l1BlockRefToJson(status.headL1),
    safe_l1: l1BlockRefToJson(status.safeL1),
    finalized_l1: l1BlockRefToJson(status.finalizedL1),
    unsafe_l2: l2BlockRefToJson(status.unsafeL2),
    safe_l2: l2BlockRefToJson(status.safeL2),
    finalized_l2: l2BlockRefToJson(status.finalizedL2),
    pending_safe_l2: l2BlockRefToJson(status.pendingSafeL2),
    cross_unsafe_l2: l2BlockRefToJson(status.unsafeL2),
    local_safe_l2: l2BlockRefToJson(status.safeL2),
    queued_unsafe_l2: l2BlockRefToJson(status.queuedUnsafeL2 ?? ZERO_L2_REF),
  }
}

export function parseSyncStatusJson(value: unknown): SyncStatus {
  const o = parseJsonObject(value, 'sync status')
  const queued = o.queued_unsafe_l2 === undefined ? null : parseL2BlockRefJson(o.queued_unsafe_l2, 'queued_unsafe_l2')
  return {
    currentL1: parseL1BlockRefJson(o.current_l1, 'current_l1'),
    headL1: parseL1BlockRefJson(o.head_l1, 'head_l1'),
    safeL1: parseL1BlockRefJson(o.safe_l1, 'safe_l1'),
    finalizedL1: parseL1BlockRefJson(o.finalized_l1, 'finalized_l1'),
    unsafeL2: parseL2BlockRefJson(o.unsafe_l2, 'unsafe_l2'),
    safeL2: parseL2BlockRefJson(o.safe_l2, 'safe_l2'),
    finalizedL2: parseL2BlockRefJson(o.finalized_l2, 'finalized_l2'),
    pendingSafeL2: parseL2BlockRefJson(o.pending_safe_l2 ?? o.safe_l2, 'pending_safe_l2'),
    queuedUnsafeL2: queued === null || queued.hash === ZERO_HASH ? null : queued,
  }
}

export function outputAtBlockToJson(output: OutputAtBlock): Record<string, unknown> {
  return {
    version: ZERO_HASH,
    outputRoot: output.outputRoot,
    blockRef: l2BlockRefToJson(output.block),
    withdrawalStorageRoot: output.withdrawalStorageRoot,
    stateRoot: output.stateRoot,
    syncStatus: syncStatusToJson(output.syncStatus),
  }
}

/** Throws CodecError `codec/json` for an output version other than 0. */
export function parseOutputAtBlockJson(value: unknown): OutputAtBlock {
  const o = parseJsonObject(value, 'output')
  if (parseHash(o.version, 'version') !== ZERO_HASH) throw new CodecError('codec/json', `output version ${String(o.version)} is not known`)
  return {
    outputRoot: parseHash(o.outputRoot, 'outputRoot'),
    stateRoot: parseHash(o.stateRoot, 'stateRoot'),
    withdrawalStorageRoot: parseHash(o.withdrawalStorageRoot, 'withdrawalStorageRoot'),
    block: parseL2BlockRefJson(o.blockRef, 'blockRef'),
    syncStatus: parseSyncStatusJson(o.syncStatus),
  }
}
