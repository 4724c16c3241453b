/** KZG commitments, blob proofs and point proofs against c-kzg's vectors, through the node's worker and the precompile. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { l1ForkRules } from '@keelson/chainspec'
import { bigintToBytes, bytesToHex, concatBytes, createPureCrypto, hexToBytes } from '@keelson/primitives'
import { createKzg, type KzgService } from '../../../packages/node/src/crypto/kzg.ts'
import { runCall } from '../../support/evm-call.ts'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface Vector {
  readonly input: Readonly<Record<string, string>>
  /** Null: must be refused. */
  readonly output: string | boolean | null
}
type Judge = (kzg: KzgService, input: (name: string) => Uint8Array, output: Vector['output']) => Promise<void>

const FILE_PREFIX = 'file:'
const LEAST_CASES = 130
const POINT_EVALUATION = bigintToBytes(0x0an, 20)
const POINT_EVALUATION_GAS = 50_000n
const { sha256 } = createPureCrypto()

/** The precompile refuses and disproves alike: it fails. */
const judgePoint: Judge = async (kzg, input, output) => {
  const commitment = input('commitment')
  const versionedHash = concatBytes(Uint8Array.of(1), sha256(commitment).subarray(1))
  const data = concatBytes(versionedHash, input('z'), input('y'), commitment, input('proof'))
  const call = { rules: l1ForkRules('cancun'), to: POINT_EVALUATION, data, gas: POINT_EVALUATION_GAS, kzg }
  assert.equal((await runCall(call)).status, output === true ? 'success' : 'halt')
  assert.equal(kzg.verifyProof(commitment, input('z'), input('y'), input('proof')), output === true)
}

const JUDGES: Readonly<Record<string, Judge>> = {
  verify_kzg_proof: judgePoint,
  verify_blob_kzg_proof: (kzg, input, output) =>
    settles(kzg.verifyBlobProof(input('blob'), input('commitment'), input('proof')), output, (valid) => valid),
  blob_to_kzg_commitment: (kzg, input, output) => settles(kzg.blobToCommitment(input('blob')), output, bytesToHex),
  compute_blob_kzg_proof: (kzg, input, output) => settles(kzg.blobProof(input('blob'), input('commitment')), output, bytesToHex),
}

async function settles<T>(result: Promise<T>, output: Vector['output'], show: (value: T) => string | boolean): Promise<void> {
  if (output === null) await assert.rejects(result, 'should be refused')
  else assert.equal(show(await result), output)
}

export const kzg: ConformanceGroup = {
  name: 'kzg',
  undivided: true,
  load(vectors): ConformanceCase[] {
    const service = createKzg()
    const bytes = (text: string) =>
      text.startsWith(FILE_PREFIX)
        ? hexToBytes(
            gunzipSync(readFileSync(join(vectors, text.slice(FILE_PREFIX.length))))
              .toString('utf8')
              .trim(),
          )
        : hexToBytes(text)
    const cases = Object.entries(JUDGES).flatMap(([folder, judge]) =>
      readdirSync(join(vectors, 'kzg', folder)).map((file) => ({
        id: `${folder}/${file.replace(/\.json$/, '')}`,
        run: () => {
          const { input, output } = JSON.parse(readFileSync(join(vectors, 'kzg', folder, file), 'utf8')) as Vector
          return judge(service, (name) => bytes(input[name] as string), output)
        },
      })),
    )
    assert.ok(cases.length >= LEAST_CASES, `expected at least ${LEAST_CASES} cases, got ${cases.length}`)
    return cases
  },
}
