/** Precompiles against the reference client's vectors: output and exact price, or failure with all gas. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type EthFork, l1ForkRules } from '@keelson/chainspec'
import { bigintToBytes, bytesToHex, hexToBytes } from '@keelson/primitives'
import { runCall } from '../../support/evm-call.ts'
import { pairingCurves } from '../../support/pairing-curves.ts'
import { syncKzg } from '../../support/sync-kzg.ts'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface Vector {
  readonly Name: string
  readonly Input: string
  readonly Expected?: string
  readonly Gas?: string | number
  readonly ExpectedError?: string
}
interface VectorFile {
  readonly file: string
  readonly address: number
  readonly fork: EthFork
}

const FILES: readonly VectorFile[] = [
  { file: 'ecRecover.json', address: 0x01, fork: 'cancun' },
  { file: 'modexp.json', address: 0x05, fork: 'byzantium' },
  { file: 'modexp_eip2565.json', address: 0x05, fork: 'berlin' },
  { file: 'modexp_eip7883.json', address: 0x05, fork: 'osaka' },
  { file: 'bn256Add.json', address: 0x06, fork: 'istanbul' },
  { file: 'blake2F.json', address: 0x09, fork: 'istanbul' },
  { file: 'fail-blake2f.json', address: 0x09, fork: 'istanbul' },
  { file: 'pointEvaluation.json', address: 0x0a, fork: 'cancun' },
  { file: 'blsG1Add.json', address: 0x0b, fork: 'prague' },
  { file: 'fail-blsG1Add.json', address: 0x0b, fork: 'prague' },
  { file: 'blsG1MultiExp.json.gz', address: 0x0c, fork: 'prague' },
  { file: 'fail-blsG1MultiExp.json', address: 0x0c, fork: 'prague' },
  { file: 'blsG2Add.json', address: 0x0d, fork: 'prague' },
  { file: 'fail-blsG2Add.json', address: 0x0d, fork: 'prague' },
  { file: 'blsG2Mul.json', address: 0x0e, fork: 'prague' },
  { file: 'fail-blsG2Mul.json', address: 0x0e, fork: 'prague' },
  { file: 'blsG2MultiExp.json.gz', address: 0x0e, fork: 'prague' },
  { file: 'fail-blsG2MultiExp.json', address: 0x0e, fork: 'prague' },
  { file: 'fail-blsPairing.json', address: 0x0f, fork: 'prague' },
  { file: 'fail-blsMapG1.json', address: 0x10, fork: 'prague' },
  { file: 'fail-blsMapG2.json', address: 0x11, fork: 'prague' },
  { file: 'p256Verify.json', address: 0x100, fork: 'osaka' },
]
const PLENTY = 100_000_000n

function readVectors(path: string): readonly Vector[] {
  const bytes = readFileSync(path)
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')) as readonly Vector[]
}

async function check({ address, fork }: VectorFile, vector: Vector): Promise<void> {
  const gas = vector.Gas === undefined ? PLENTY : BigInt(vector.Gas)
  const call = {
    rules: l1ForkRules(fork),
    to: bigintToBytes(BigInt(address), 20),
    data: hexToBytes(`0x${vector.Input}`),
    kzg: syncKzg,
    curves: pairingCurves,
  }
  const result = await runCall({ ...call, gas })
  if (vector.ExpectedError !== undefined) {
    assert.deepEqual([result.status, result.gasLeft], ['halt', 0n], vector.ExpectedError)
    return
  }
  assert.deepEqual([result.status, result.gasLeft], ['success', 0n], result.error ?? 'status and gas left')
  assert.equal(bytesToHex(result.output), `0x${vector.Expected ?? ''}`)
  if (gas > 0n) assert.equal((await runCall({ ...call, gas: gas - 1n })).status, 'halt', 'with one gas less')
}

export const precompiles: ConformanceGroup = {
  name: 'precompiles',
  load(vectors): ConformanceCase[] {
    return FILES.flatMap((file) => {
      const list = readVectors(join(vectors, 'precompiles', file.file))
      assert.ok(list.length > 0, `no vectors in ${file.file}`)
      return list.map((vector, i) => ({ id: `${file.file.split('.')[0]}/${i}/${vector.Name}`, run: () => check(file, vector) }))
    })
  },
}
