/** Serves the beacon API routes (ethereum/beacon-APIs) that a rollup node uses; fields that it does not check are zero. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bytesToHex, type Hash, type Kzg, messageOf, toHash } from '@keelson/primitives'
import type { RenderFault } from '@keelson/runtime'
import { SECONDS_PER_SLOT } from './slot-clock.ts'

export interface BlobsOfSlot {
  readonly blobs: readonly { readonly index: number; readonly versionedHash: Hash; readonly blob: Uint8Array }[]
}

export interface BeaconBackend {
  readonly version: string
  readonly chainId: bigint
  readonly genesisTimeSec: number
  /** Only sidecars have proofs; the nodes here read `blobs`. */
  readonly kzg: Pick<Kzg, 'blobToCommitment' | 'blobProof'>
  /** Throws if a blob is missing. */
  blobsOf(slot: number | 'head'): Promise<BlobsOfSlot | null>
}

const ZERO_ROOT = bytesToHex(new Uint8Array(32))
const ZERO_SIGNATURE = bytesToHex(new Uint8Array(96))
const INCLUSION_PROOF_DEPTH = 17

export const BEACON_METHODS = 'GET, HEAD, OPTIONS'

export const renderBeaconFault: RenderFault = ({ status, message }) => ({
  type: 'application/json',
  body: JSON.stringify({ code: status, message }),
})

interface Answer {
  readonly status: number
  readonly body: unknown
}

const notFound = (message: string): Answer => ({ status: 404, body: { code: 404, message } })
const badRequest = (message: string): Answer => ({ status: 400, body: { code: 400, message } })

async function sidecar(slot: string, { index, blob }: BlobsOfSlot['blobs'][number], kzg: BeaconBackend['kzg']) {
  const commitment = await kzg.blobToCommitment(blob)
  return {
    index: String(index),
    blob: bytesToHex(blob),
    kzg_commitment: bytesToHex(commitment),
    kzg_proof: bytesToHex(await kzg.blobProof(blob, commitment)),
    signed_block_header: {
      message: { slot, proposer_index: '0', parent_root: ZERO_ROOT, state_root: ZERO_ROOT, body_root: ZERO_ROOT },
      signature: ZERO_SIGNATURE,
    },
    kzg_commitment_inclusion_proof: new Array(INCLUSION_PROOF_DEPTH).fill(ZERO_ROOT),
  }
}

function listParameter(url: URL, name: string): string[] {
  return url.searchParams.getAll(name).flatMap((value) => value.split(',').filter((part) => part !== ''))
}

async function answer(url: URL, backend: BeaconBackend): Promise<Answer> {
  switch (url.pathname) {
    case '/eth/v1/node/version':
      return { status: 200, body: { data: { version: backend.version } } }
    case '/eth/v1/config/spec':
      return {
        status: 200,
        body: {
          data: {
            SECONDS_PER_SLOT: String(SECONDS_PER_SLOT),
            DEPOSIT_CHAIN_ID: String(backend.chainId),
            DEPOSIT_NETWORK_ID: String(backend.chainId),
          },
        },
      }
    case '/eth/v1/beacon/genesis':
      return {
        status: 200,
        body: {
          data: { genesis_time: String(backend.genesisTimeSec), genesis_validators_root: ZERO_ROOT, genesis_fork_version: '0x00000000' },
        },
      }
    default: {
      const match = /^\/eth\/v1\/beacon\/(blob_sidecars|blobs)\/([^/]+)$/.exec(url.pathname)
      if (match === null) return notFound(`no route ${url.pathname}`)
      return blobAnswer(match[1] as string, match[2] as string, url, backend)
    }
  }
}

async function blobAnswer(route: string, blockId: string, url: URL, backend: BeaconBackend): Promise<Answer> {
  if (blockId !== 'head' && !/^\d{1,15}$/.test(blockId))
    return badRequest(`block id must be a slot number or head, got ${blockId.slice(0, 80)}`)
  const found = await backend.blobsOf(blockId === 'head' ? 'head' : Number(blockId))
  if (found === null) return notFound(`no block in slot ${blockId}`)
  if (route === 'blob_sidecars') {
    const indices = new Set(listParameter(url, 'indices'))
    const wanted = found.blobs.filter(({ index }) => indices.size === 0 || indices.has(String(index)))
    return { status: 200, body: { data: await Promise.all(wanted.map((entry) => sidecar(blockId, entry, backend.kzg))) } }
  }
  const hashes = new Set(listParameter(url, 'versioned_hashes').map((hash) => toHash(hash)))
  const wanted = found.blobs.filter(({ versionedHash }) => hashes.size === 0 || hashes.has(versionedHash))
  return {
    status: 200,
    body: { execution_optimistic: false, finalized: false, data: wanted.map(({ blob }) => bytesToHex(blob)) },
  }
}

export function createBeaconListener(backend: BeaconBackend): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const send = ({ status, body }: Answer) => {
      const bytes = Buffer.from(JSON.stringify(body))
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
    }
    if (request.method === 'OPTIONS') return void response.writeHead(204, { allow: BEACON_METHODS }).end()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', BEACON_METHODS)
      return send({ status: 405, body: { code: 405, message: `${request.method} is not served here; use ${BEACON_METHODS}` } })
    }
    answer(new URL(request.url ?? '/', 'http://localhost'), backend).then(send, (error: unknown) =>
      send({ status: 500, body: { code: 500, message: messageOf(error) } }),
    )
  }
}
