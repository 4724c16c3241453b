import { counted } from '@keelson/primitives'
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { fail, ok, type Result, skip, warn } from '../finding.ts'
import { type Answer, troubleOf } from '../probe.ts'
import { hostOf } from './l1.ts'

const LOOK_BACK_BLOCKS = 64
const GAS_PER_BLOB = 131_072
const OTHER_BEACON = 'give --l1.beacon of a node that keeps blobs'

export const beaconCheck: DoctorCheck = {
  name: 'beacon',
  settles: ({ isDevnet }) => isDevnet,
  async run(context) {
    const { l1Beacon } = context.settings
    if (l1Beacon.length === 0) return skip('beacon API', 'none is given (--l1.beacon)')
    const [l1] = context.l1
    const recent = l1 === undefined ? null : await recentBlobs(l1, context)
    return Promise.all(l1Beacon.map((url) => judgeBeacon(url, recent, context)))
  },
}

interface RecentBlobs {
  readonly block: number
  readonly timestampSec: number
  readonly blobs: number
}

async function recentBlobs(l1: string, { probe }: DoctorContext): Promise<RecentBlobs | null> {
  const head = await probe.call(l1, 'eth_blockNumber', [])
  if (head.kind !== 'result') return null
  // Starts below the head, which the beacon node may not have yet.
  const first = Number(head.value) - 1
  for (let number = first; number >= 0 && number > first - LOOK_BACK_BLOCKS; number--) {
    const answer = await probe.call(l1, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
    if (answer.kind !== 'result') return null
    const { blobGasUsed, timestamp } = (answer.value ?? {}) as { blobGasUsed?: string; timestamp?: string }
    const blobs = Number(blobGasUsed ?? 0) / GAS_PER_BLOB
    if (blobs > 0) return { block: number, timestampSec: Number(timestamp), blobs }
  }
  return null
}

const dataOf = (answer: Answer): Readonly<Record<string, unknown>> | null =>
  answer.kind === 'result'
    ? (((answer.value as { data?: Record<string, unknown> } | null)?.data ?? null) as Record<string, unknown> | null)
    : null

async function judgeBeacon(url: string, recent: RecentBlobs | null, { probe, rollup }: DoctorContext): Promise<Result> {
  const host = hostOf(url)
  const version = await probe.get(url, '/eth/v1/node/version')
  if (version.kind !== 'result') {
    const what = version.kind === 'unreachable' ? `the beacon API at ${host} does not answer` : `${host} is not a beacon API`
    return fail(what, troubleOf(version), 'start it, or give another --l1.beacon (the L1 RPC does not serve blobs)')
  }
  const name = String(dataOf(version)?.version ?? 'a beacon node')
  const [genesis, spec] = [dataOf(await probe.get(url, '/eth/v1/beacon/genesis')), dataOf(await probe.get(url, '/eth/v1/config/spec'))]
  if (genesis === null || spec === null) {
    return fail(
      `${name} at ${host} does not say when its chain began or how long a slot is`,
      'blobs are asked by slot',
      'give another --l1.beacon',
    )
  }
  const chain = spec.DEPOSIT_CHAIN_ID
  if (rollup !== null && chain !== undefined && String(chain) !== rollup.l1ChainId.toString()) {
    return fail(
      `the beacon node at ${host} is of another chain`,
      `it is of chain ${chain}, rollup.json expects ${rollup.l1ChainId}`,
      'give --l1.beacon of the right chain',
    )
  }
  const sync = dataOf(await probe.get(url, '/eth/v1/node/syncing'))
  if (sync?.is_syncing === true) {
    return fail(`${name} at ${host} is still syncing`, `it is ${sync.sync_distance} slots behind`, 'wait, or give another --l1.beacon')
  }
  if (recent === null) return ok(`${name} at ${host}; no recent L1 block with blobs to ask for`)
  const slotMs = spec.SLOT_DURATION_MS === undefined ? Number(spec.SECONDS_PER_SLOT) * 1000 : Number(spec.SLOT_DURATION_MS)
  const slot = Math.floor(((recent.timestampSec - Number(genesis.genesis_time)) * 1000) / slotMs)
  const found = await blobsIn(slot, url, probe)
  const place = `L1 block ${recent.block} (slot ${slot})`
  if (found === recent.blobs) return ok(`${name} at ${host} has all blobs of ${place}: ${found}`)
  const why = `L1 has ${recent.blobs}, it has ${found}; without them derivation stops`
  if (found === 0) return fail(`${name} at ${host} lacks the blobs of ${place}`, why, OTHER_BEACON)
  return warn(`${name} at ${host} has ${counted(found, 'blob')} of ${place}`, why, OTHER_BEACON)
}

/** From Gloas on, nodes may drop blob_sidecars (beacon-APIs pull request 577), but older nodes have only this route. */
async function blobsIn(slot: number, url: string, probe: DoctorContext['probe']): Promise<number> {
  for (const route of ['blobs', 'blob_sidecars']) {
    const answer = await probe.get(url, `/eth/v1/beacon/${route}/${slot}`)
    const data = answer.kind === 'result' ? (answer.value as { data?: unknown } | null)?.data : null
    if (Array.isArray(data) && data.length > 0) return data.length
  }
  return 0
}
