import assert from 'node:assert/strict'
import { createKzg, type KzgThread } from './kzg.ts'
import { type KzgRequest, POINT_VALID } from './kzg-protocol.ts'
import { loadKzg } from './kzg-verifier.ts'

describe('KZG in its worker', () => {
  it('is not left behind at a stop during its load: it is let go without waiting for it', async () => {
    let asked = false
    const loading = {
      on: () => loading,
      postMessage: () => undefined,
      ref: () => undefined,
      unref: () => undefined,
      terminate: () => {
        asked = true
        return new Promise<number>(() => undefined)
      },
    } as unknown as KzgThread
    const kzg = createKzg(() => loading)
    void kzg.blobToCommitment(new Uint8Array(131_072))
    await kzg.close()
    assert.ok(asked)
  })

  it('proves blobs whole and by their cells, as the library verifies them', async () => {
    const kzg = createKzg()
    const blob = new Uint8Array(131_072)
    for (let at = 1; at < blob.length; at += 32) blob[at] = at % 251
    const commitment = await kzg.blobToCommitment(blob)
    assert.equal(await kzg.verifyBlobProof(blob, commitment, await kzg.blobProof(blob, commitment)), true)
    const proofs = await kzg.cellProofs(blob)
    assert.equal(proofs.length, 128)
    assert.ok(proofs.every((proof) => proof.length === 48))
    const library = loadKzg()
    const cells = library.computeCells(blob)
    const some = [0, 63, 64, 127]
    const of = <T>(list: readonly T[]) => some.map((index) => list[index] as T)
    const repeated = some.map(() => commitment)
    assert.equal(library.verifyCellKzgProofBatch(repeated, some, of(cells), of(proofs)), true)
    assert.equal(library.verifyCellKzgProofBatch(repeated, some, of(cells), of([...proofs].reverse())), false)
    await kzg.close()
  })

  it('is sent the bytes of an input, and not the memory of the EVM that holds them', async () => {
    const memory = new Uint8Array(1_048_576)
    const posted: KzgRequest[] = []
    const thread = {
      on: () => thread,
      postMessage(request: KzgRequest) {
        posted.push(request)
        if (request.op !== 'verify-point') return
        Atomics.store(new Int32Array(request.answer), 0, POINT_VALID)
      },
      ref: () => undefined,
      unref: () => undefined,
      terminate: async () => 0,
    } as unknown as KzgThread
    const kzg = createKzg(() => thread)
    const point = (at: number, bytes: number) => memory.subarray(at, at + bytes)
    assert.equal(kzg.verifyProof(point(96, 48), point(32, 32), point(64, 32), point(144, 48)), true)
    const blob = point(500, 131_072)
    void kzg.blobToCommitment(blob)
    void kzg.blobProof(blob, point(96, 48))
    void kzg.verifyBlobProof(blob, point(96, 48), point(144, 48))
    void kzg.cellProofs(blob)
    const views = posted.flatMap((request) => Object.values(request)).filter((value) => value instanceof Uint8Array)
    assert.deepEqual(
      views.map(({ buffer }) => buffer.byteLength),
      [48, 32, 32, 48, 131_072, 131_072, 48, 131_072, 48, 48, 131_072],
    )
    await kzg.close()
  })
})
