/** A sequencer over the JSON-RPC methods that op-conductor calls, so that op-node can be a candidate. */
import {
  CodecError,
  envelopeToJson,
  formatQuantity,
  type Hash,
  type L2BlockRef,
  type PayloadEnvelope,
  parseHash,
  parseJsonObject,
  parseQuantityNumber,
  parseSyncStatusJson,
} from '@keelson/primitives'
import { RPC_ERROR_NUMBERS } from '@keelson/runtime'
import type { Candidate, TimedBlock } from './ports.ts'

export type CandidateCall = (method: string, params: readonly unknown[]) => Promise<unknown>

export function createCandidateClient(id: string, address: string, call: CandidateCall): Candidate {
  return {
    id,
    address,
    async status() {
      const [status, activity, peers] = await Promise.all([
        call('optimism_syncStatus', []),
        readActivity(call),
        call('opp2p_peerStats', []),
      ])
      const { unsafeL2, safeL2 } = parseSyncStatusJson(status)
      return {
        unsafe: timed(unsafeL2),
        unsafeOrigin: unsafeL2.l1Origin,
        safe: timed(safeL2),
        ...activity,
        peers: connected(peers),
      }
    },
    async hashAt(number) {
      const { blockRef } = parseJsonObject(await call('optimism_outputAtBlock', [formatQuantity(number)]), 'output')
      return parseHash(parseJsonObject(blockRef, 'output.blockRef').hash, 'output.blockRef.hash')
    },
    async start(unsafeHead: Hash) {
      await call('admin_startSequencer', [unsafeHead])
    },
    async stop() {
      await call('admin_stopSequencer', [])
    },
    async postUnsafePayload(envelope: PayloadEnvelope) {
      await call('admin_postUnsafePayload', [envelopeToJson(envelope)])
    },
  }
}

/** Asks for the override last: a sequencer that it started is never seen active without it. op-node has no such method. */
async function readActivity(call: CandidateCall): Promise<{ readonly active: boolean; readonly overridden: boolean }> {
  const active = await call('admin_sequencerActive', [])
  const overridden = await call('admin_leaderOverridden', []).catch((error: unknown) => {
    if (error instanceof Error && 'number' in error && error.number === RPC_ERROR_NUMBERS.methodNotFound) return false
    throw error
  })
  return { active: active === true, overridden: overridden === true }
}

function timed({ number, hash, timestampSec }: L2BlockRef): TimedBlock {
  return { number, hash, timestampSec }
}

function connected(stats: unknown): number {
  const { connected: count } = parseJsonObject(stats, 'peer stats')
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count
  if (typeof count === 'string') return parseQuantityNumber(count, 'peer stats.connected')
  throw new CodecError('codec/number', 'peer stats.connected: expected a number')
}
