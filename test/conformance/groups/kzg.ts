import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { bigintToBytes, bytesToHex, concatBytes, createPureCrypto, hexToBytes } from '@keelson/primitives'
import { createKzg, type KzgService } from '../../../packages/node/src/crypto/kzg.ts'
import { runCall } from '../../support/evm-call.ts'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface Vector {
  readonly input: Readonly<Record<string, string>>
  readonly output: string | boolean | null
}
type Judge = (kzg: KzgService, input: (name: string) => Uint8Array, output: Vector['output']) => Promise<void>

const FILE_PREFIX = 'file:'
const FOLDER = 'kzg/'
const ELEMENT_BYTES = 32
const SETUP_PLACES = [0, 1, 5, 2048, 4095]
const POINT_EVALUATION = bigintToBytes(0x0an, 20)
const POINT_EVALUATION_GAS = 50_000n
const { sha256 } = createPureCrypto()

/** The precompile fails in the same way for invalid inputs and false proofs. */
const judgePoint: Judge = async (kzg, input, output) => {
  const commitment = input('commitment')
  const versionedHash = concatBytes(Uint8Array.of(1), sha256(commitment).subarray(1))
  const data = concatBytes(versionedHash, input('z'), input('y'), commitment, input('proof'))
  const call = { rules: l1ForkRules('cancun'), to: POINT_EVALUATION, data, gas: POINT_EVALUATION_GAS, kzg }
  assert.equal((await runCall(call)).status, output === true ? 'success' : 'halt')
  assert.equal(kzg.verifyProof(commitment, input('z'), input('y'), input('proof')), output === true)
}

const JUDGES: Readonly<Record<string, Judge>> = {
  'commitment,proof,y,z': judgePoint,
  'blob,commitment,proof': (kzg, input, output) =>
    settles(kzg.verifyBlobProof(input('blob'), input('commitment'), input('proof')), output, (valid) => valid),
  blob: (kzg, input, output) => settles(kzg.blobToCommitment(input('blob')), output, bytesToHex),
  'blob,commitment': (kzg, input, output) => settles(kzg.blobProof(input('blob'), input('commitment')), output, bytesToHex),
}

async function settles<T>(result: Promise<T>, output: Vector['output'], show: (value: T) => string | boolean): Promise<void> {
  if (output === null) await assert.rejects(result, 'should be refused')
  else assert.equal(show(await result), output)
}

/** The commitment to a blob whose only nonzero element is 1 is a point of the setup, in bit-reversed order. */
async function checkSetupPoint(service: KzgService, points: readonly string[], place: number): Promise<void> {
  const bits = Math.log2(points.length)
  const reversed = Number.parseInt([...place.toString(2).padStart(bits, '0')].reverse().join(''), 2)
  const blob = new Uint8Array(points.length * ELEMENT_BYTES)
  blob[(reversed + 1) * ELEMENT_BYTES - 1] = 1
  assert.equal(bytesToHex(await service.blobToCommitment(blob)), `0x${points[place]}`)
}

function setupCases(service: KzgService, path: string, text: string): ConformanceCase[] {
  const [count = '', , ...points] = text.split('\n')
  const lagrange = points.slice(0, Number(count))
  assert.ok(lagrange.length > 1 && lagrange.every((point) => /^[0-9a-f]{96}$/.test(point)), 'expected points of G1')
  return SETUP_PLACES.map((place) => ({ id: `${path}/${place}`, run: () => checkSetupPoint(service, lagrange, place) }))
}

export const kzg: ConformanceGroup = {
  name: 'kzg',
  under: [FOLDER],
  undivided: true,
  load(folder): ConformanceCase[] {
    const service = createKzg()
    const bytes = (text: string) => hexToBytes(text.startsWith(FILE_PREFIX) ? folder.text(text.slice(FILE_PREFIX.length)).trim() : text)
    const load = (path: string): ConformanceCase[] => {
      const { input, output } = folder.json<Vector>(path)
      const names = Object.keys(input).sort().join(',')
      const judge = JUDGES[names]
      assert.ok(judge !== undefined, `no check for the inputs ${names}`)
      for (const text of Object.values(input)) if (text.startsWith(FILE_PREFIX)) folder.take(text.slice(FILE_PREFIX.length))
      return [
        {
          id: path.slice(FOLDER.length).replace(/\.json$/, ''),
          run: () => judge(service, (name) => bytes(input[name] as string), output),
        },
      ]
    }
    return [
      ...folder.casesOf(folder.paths(FOLDER, /\.json$/), load),
      ...folder.casesOf(folder.paths(FOLDER, /trusted_setup.*\.txt$/), (path) =>
        setupCases(service, path.slice(FOLDER.length), folder.text(path)),
      ),
    ]
  },
}
