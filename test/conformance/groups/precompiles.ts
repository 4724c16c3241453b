import assert from 'node:assert/strict'
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
interface Precompile {
  readonly address: number
  readonly fork: EthFork
}

const PRECOMPILES: Readonly<Record<string, Precompile>> = {
  ecrecover: { address: 0x01, fork: 'cancun' },
  sha256: { address: 0x02, fork: 'cancun' },
  ripemd160: { address: 0x03, fork: 'cancun' },
  identity: { address: 0x04, fork: 'cancun' },
  modexp: { address: 0x05, fork: 'byzantium' },
  modexp_eip2565: { address: 0x05, fork: 'berlin' },
  modexp_eip7883: { address: 0x05, fork: 'osaka' },
  bn256add: { address: 0x06, fork: 'istanbul' },
  bn256scalarmul: { address: 0x07, fork: 'istanbul' },
  bn256pairing: { address: 0x08, fork: 'istanbul' },
  blake2f: { address: 0x09, fork: 'istanbul' },
  pointevaluation: { address: 0x0a, fork: 'cancun' },
  blsg1add: { address: 0x0b, fork: 'prague' },
  blsg1mul: { address: 0x0c, fork: 'prague' },
  blsg1multiexp: { address: 0x0c, fork: 'prague' },
  blsg2add: { address: 0x0d, fork: 'prague' },
  blsg2mul: { address: 0x0e, fork: 'prague' },
  blsg2multiexp: { address: 0x0e, fork: 'prague' },
  blspairing: { address: 0x0f, fork: 'prague' },
  blsmapg1: { address: 0x10, fork: 'prague' },
  blsmapg2: { address: 0x11, fork: 'prague' },
  p256verify: { address: 0x100, fork: 'osaka' },
}
const FOLDER = 'precompiles/'
const PLENTY = 100_000_000n

async function check({ address, fork }: Precompile, vector: Vector): Promise<void> {
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
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json(\.gz)?$/), (path) => {
      const name = path.slice(FOLDER.length).replace(/\.json(\.gz)?$/, '')
      const precompile = PRECOMPILES[name.replace(/^fail-/, '').toLowerCase()]
      assert.ok(precompile !== undefined, 'no precompile is known for a file of this name')
      return folder
        .json<readonly Vector[]>(path)
        .map((vector, i): ConformanceCase => ({ id: `${name}/${i}/${vector.Name}`, run: () => check(precompile, vector) }))
    }),
}
