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

interface Sidecar {
  readonly index: string
  readonly blob: string
  readonly kzg_commitment: string
  readonly kzg_proof: string
  readonly signed_block_header: { readonly message: { readonly slot: string } }
}

export interface SidecarVector {
  readonly sidecar: Sidecar
}

export function blobCodecCase(id: string, vector: BlobCodecVector): ConformanceCase {
  return {
    id,
    run() {
      assert.equal(bytesToHex(decodeBlob(hexToBytes(vector.blob))), vector.decoded)
      assert.equal(bytesToHex(encodeBlob(hexToBytes(vector.decoded))), vector.blob)
    },
  }
}

type Answer = { readonly data: Readonly<Record<string, string>> }

export class BeaconAnswers {
  #genesis: Answer = { data: { genesis_time: '1606824023' } }
  #spec: Answer = { data: { SECONDS_PER_SLOT: '12' } }
  readonly #sidecars = new Map<string, Sidecar[]>()

  take(vector: Readonly<Record<string, unknown>>): boolean {
    const answer = vector.response as Answer | undefined
    if (answer?.data?.genesis_time !== undefined) this.#genesis = answer
    else if (answer?.data?.SECONDS_PER_SLOT !== undefined) this.#spec = answer
    else return false
    return true
  }

  sidecarCase(id: string, { sidecar }: SidecarVector): ConformanceCase {
    const { slot } = sidecar.signed_block_header.message
    this.#sidecars.set(slot, [...(this.#sidecars.get(slot) ?? []), sidecar])
    return { id, run: () => this.#serve(slot, (url) => checkSidecar(url, sidecar, this.#blockOf(slot))) }
  }

  #blockOf(slot: string): L1BlockRef {
    const timestampSec = Number(this.#genesis.data.genesis_time) + Number(slot) * Number(this.#spec.data.SECONDS_PER_SLOT)
    return { hash: ZERO_HASH, number: 1, parentHash: ZERO_HASH, timestampSec }
  }

  async #serve(slot: string, use: (url: string) => Promise<void>): Promise<void> {
    const answers: Readonly<Record<string, unknown>> = {
      '/eth/v1/beacon/genesis': this.#genesis,
      '/eth/v1/config/spec': this.#spec,
      [`/eth/v1/beacon/blob_sidecars/${slot}`]: { data: this.#sidecars.get(slot) },
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
}

async function checkSidecar(url: string, sidecar: Sidecar, block: L1BlockRef): Promise<void> {
  const crypto = createPureCrypto()
  const client = createBeaconClient(
    { urls: [url] },
    { kzg: loadKzg(), crypto, clock: createSystemClock(), random: createSeededRandom(1), log: createSilentLogger() },
  )
  try {
    const [blob] = await client.blobs(block, [versionedHash(hexToBytes(sidecar.kzg_commitment), crypto)])
    assert.ok(blob)
    assert.equal(bytesToHex(blob), sidecar.blob)
  } finally {
    client.close()
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
