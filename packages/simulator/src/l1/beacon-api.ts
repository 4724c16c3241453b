/** The routes of a beacon node that rollup nodes use, with one slot for each time at which L1 may have a block. */
import { type Hash, TX_BLOB, toHash } from '@keelson/primitives'
import type { SimulatedL1 } from './simulated-l1.ts'

export interface BeaconAnswer {
  readonly status: number
  readonly body: unknown
}

const BLOBS = /^\/eth\/v1\/beacon\/blobs\/(\d+)$/

export function answerBeacon(l1: SimulatedL1, { pathname, searchParams }: URL): BeaconAnswer {
  const { blockTimeSec } = l1.options
  if (pathname === '/eth/v1/config/spec') return found({ SECONDS_PER_SLOT: String(blockTimeSec) })
  if (pathname === '/eth/v1/beacon/genesis') return found({ genesis_time: String(l1.genesis.timestampSec) })
  const slot = BLOBS.exec(pathname)?.[1]
  if (slot === undefined) return { status: 404, body: { code: 404, message: `no route ${pathname}` } }
  const hashes = blobsOfSlot(l1, Number(slot))
  if (hashes === null) return { status: 404, body: { code: 404, message: `no block in slot ${slot}` } }
  const wanted = searchParams.getAll('versioned_hashes')
  const blobs = hashes.filter((hash) => wanted.length === 0 || wanted.includes(hash)).map((hash) => l1.blobs.find(hash))
  return found(blobs.filter((blob) => blob !== null))
}

function found(data: unknown): BeaconAnswer {
  return { status: 200, body: { data } }
}

function blobsOfSlot(l1: SimulatedL1, slot: number): readonly Hash[] | null {
  const timestampSec = l1.genesis.timestampSec + slot * l1.options.blockTimeSec
  const block = l1.blockAtTime(timestampSec)
  if (block === null) return null
  return block.transactions.flatMap((tx) => (tx.type === TX_BLOB ? tx.blobVersionedHashes.map((hash) => toHash(hash)) : []))
}
