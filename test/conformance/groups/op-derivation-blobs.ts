/** Rollup data in blobs, and real beacon answers through our beacon client, from the files instead of a network. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DasContextJs } from '@crate-crypto/node-eth-kzg'
import { createBeaconClient, versionedHash } from '@keelson/client'
import { decodeBlob, encodeBlob } from '@keelson/derivation/codec'
import { bytesToHex, createPureCrypto, hexToBytes, type Kzg, type L1BlockRef, ZERO_HASH } from '@keelson/primitives'
import { createSeededRandom, createSilentLogger, createSystemClock } from '@keelson/runtime'
import type { ConformanceCase } from '../group.ts'

export interface BlobCodecVector {
  readonly blob: string
  readonly decoded: string
}

export interface Sidecar {
  readonly index: string
  readonly blob: string
  readonly kzg_commitment: string
  readonly kzg_proof: string
}

export function blobCodecCase(file: string, vector: BlobCodecVector): ConformanceCase {
  return {
    id: `blobs/${file}`,
    run() {
      assert.equal(bytesToHex(decodeBlob(hexToBytes(vector.blob))), vector.decoded)
      assert.equal(bytesToHex(encodeBlob(hexToBytes(vector.decoded))), vector.blob)
    },
  }
}

/** Slot the sidecars are of. */
const SLOT = 7_422_094

export interface BeaconVectors {
  readonly genesis: { readonly data: { readonly genesis_time: string } }
  readonly spec: { readonly data: { readonly SECONDS_PER_SLOT: string } }
  readonly sidecars: readonly Sidecar[]
}

/** One case per sidecar: found by its versioned hash in the answer of its slot, and verified with its real proof. */
export function beaconCases(vectors: BeaconVectors): ConformanceCase[] {
  return vectors.sidecars.map((sidecar) => ({
    id: `blobs/sidecar-${sidecar.index}`,
    run: () =>
      withBeaconNode(vectors, async (url) => {
        const crypto = createPureCrypto()
        const client = createBeaconClient(
          { urls: [url] },
          { kzg: loadKzg(), crypto, clock: createSystemClock(), random: createSeededRandom(1), log: createSilentLogger() },
        )
        try {
          const hash = versionedHash(hexToBytes(sidecar.kzg_commitment), crypto)
          const [blob] = await client.blobs(blockOfSlot(vectors), [hash])
          assert.ok(blob)
          assert.equal(bytesToHex(blob), sidecar.blob)
        } finally {
          client.close()
        }
      }),
  }))
}

function blockOfSlot({ genesis, spec }: BeaconVectors): L1BlockRef {
  const timestampSec = Number(genesis.data.genesis_time) + SLOT * Number(spec.data.SECONDS_PER_SLOT)
  return { hash: ZERO_HASH, number: 1, parentHash: ZERO_HASH, timestampSec }
}

async function withBeaconNode(vectors: BeaconVectors, use: (url: string) => Promise<void>): Promise<void> {
  const answers: Readonly<Record<string, unknown>> = {
    '/eth/v1/beacon/genesis': vectors.genesis,
    '/eth/v1/config/spec': vectors.spec,
    [`/eth/v1/beacon/blob_sidecars/${SLOT}`]: { data: vectors.sidecars },
  }
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    response.statusCode = answer === undefined ? 404 : 200
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer ?? { code: 404 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

let context: DasContextJs | undefined

function loadKzg(): Kzg {
  context ??= DasContextJs.create({ usePrecomp: false })
  const kzg = context
  return {
    blobToCommitment: async (blob) => kzg.blobToKzgCommitment(blob),
    blobProof: async (blob, commitment) => kzg.computeBlobKzgProof(blob, commitment),
    verifyBlobProof: async (blob, commitment, proof) => kzg.verifyBlobKzgProof(blob, commitment, proof),
  }
}
