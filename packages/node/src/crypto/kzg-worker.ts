import { parentPort } from 'node:worker_threads'
import { concatBytes } from '@keelson/primitives'
import { type KzgRequest, type KzgResponse, POINT_FAILED, POINT_INVALID, POINT_VALID } from './kzg-protocol.ts'
import { loadKzg } from './kzg-verifier.ts'

const kzg = loadKzg()

function answer(request: Exclude<KzgRequest, { op: 'verify-point' }>): KzgResponse {
  const { id } = request
  try {
    switch (request.op) {
      case 'commit':
        return { id, result: kzg.blobToKzgCommitment(request.blob) }
      case 'prove':
        return { id, result: kzg.computeBlobKzgProof(request.blob, request.commitment) }
      case 'prove-cells':
        return { id, result: concatBytes(...kzg.computeCellsAndKzgProofs(request.blob).proofs) }
      case 'verify-blob':
        return { id, result: kzg.verifyBlobKzgProof(request.blob, request.commitment, request.proof) }
    }
  } catch (error) {
    return { id, failure: error instanceof Error ? error.message : String(error) }
  }
}

function verifyPoint(request: Extract<KzgRequest, { op: 'verify-point' }>): void {
  const flag = new Int32Array(request.answer)
  let verdict = POINT_FAILED
  try {
    verdict = kzg.verifyKzgProof(request.commitment, request.z, request.y, request.proof) ? POINT_VALID : POINT_INVALID
  } catch {
    // Undecodable points fail the precompile, as an invalid proof does.
    verdict = POINT_INVALID
  }
  Atomics.store(flag, 0, verdict)
  Atomics.notify(flag, 0)
}

parentPort?.on('message', (request: KzgRequest) => {
  if (request.op === 'verify-point') verifyPoint(request)
  else parentPort?.postMessage(answer(request))
})
