import assert from 'node:assert/strict'
import { Common, type CustomCrypto, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, type EVM, getActivePrecompiles } from '@ethereumjs/evm'
import { type BlockRules, ETH_FORKS, type EthFork, l1ForkRules } from '@keelson/chainspec'
import { bigintToBytes, bytesToHex, concatBytes, createPureCrypto, createPureCurves, EMPTY_BYTES } from '@keelson/primitives'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import fc from 'fast-check'
import { precompilesAt } from './precompiles-at.ts'

const crypto = createPureCrypto()
const PARTS = { crypto, curves: null, kzg: null }
const PLENTY = 2n ** 200n
const POINT_EVALUATION = 0x0a
const P256 = 0x100
const HARDFORKS: Readonly<Partial<Record<EthFork, Hardfork>>> = {
  frontier: Hardfork.Chainstart,
  homestead: Hardfork.Homestead,
  tangerine: Hardfork.TangerineWhistle,
  spurious: Hardfork.SpuriousDragon,
  byzantium: Hardfork.Byzantium,
  constantinople: Hardfork.Constantinople,
  petersburg: Hardfork.Petersburg,
  istanbul: Hardfork.Istanbul,
  berlin: Hardfork.Berlin,
  london: Hardfork.London,
  paris: Hardfork.Paris,
  shanghai: Hardfork.Shanghai,
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
}
const FORKS = ETH_FORKS.filter((fork) => HARDFORKS[fork] !== undefined)

interface Oracle {
  readonly common: Common
  readonly evm: EVM
  readonly active: ReturnType<typeof getActivePrecompiles>
}

const word = (value: bigint, bytes = 32) => bigintToBytes(value, bytes)
const zeros = (length: number) => new Uint8Array(length)

const factor = fc.oneof(fc.constantFrom(0n, 1n, 2n), fc.bigInt({ min: 1n, max: 2n ** 250n }))
const word32 = fc.oneof(fc.constantFrom(0n, 1n, 2n ** 256n - 1n), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })).map((value) => word(value))
const bytes = (maxLength: number) => fc.uint8Array({ maxLength })
const join = (...parts: fc.Arbitrary<Uint8Array>[]) => fc.tuple(...parts).map((each) => concatBytes(...each))
const several = (part: fc.Arbitrary<Uint8Array>, maxLength: number) => fc.array(part, { maxLength }).map((parts) => concatBytes(...parts))

const bnG1 = factor.map((k) => {
  const { x, y } = bn254.G1.Point.BASE.multiplyUnsafe(k).toAffine()
  return k === 0n ? zeros(64) : concatBytes(word(x), word(y))
})
const bnG2 = factor.map((k) => {
  const { x, y } = bn254.G2.Point.BASE.multiplyUnsafe(k).toAffine()
  return k === 0n ? zeros(128) : concatBytes(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
})
const blsG1 = factor.map((k) => {
  const { x, y } = bls12_381.G1.Point.BASE.multiplyUnsafe(k).toAffine()
  return k === 0n ? zeros(128) : concatBytes(word(x, 64), word(y, 64))
})
const blsG2 = factor.map((k) => {
  const { x, y } = bls12_381.G2.Point.BASE.multiplyUnsafe(k).toAffine()
  return k === 0n ? zeros(256) : concatBytes(word(x.c0, 64), word(x.c1, 64), word(y.c0, 64), word(y.c1, 64))
})
const blsElement = fc
  .oneof(fc.constantFrom(0n, bls12_381.fields.Fp.ORDER - 1n, bls12_381.fields.Fp.ORDER), fc.bigInt({ min: 0n, max: 2n ** 381n }))
  .map((value) => word(value, 64))
const secret = fc.bigInt({ min: 1n, max: 2n ** 250n }).map((value) => word(value))
const signature = fc.tuple(word32, secret).map(([digest, key]) => {
  const { yParity, r, s } = crypto.sign(digest, key)
  return concatBytes(digest, word(27n + BigInt(yParity)), word(r), word(s))
})
const p256Signature = fc.tuple(word32, secret).map(([digest, key]) => {
  const signed = p256.sign(digest, key, { prehash: false, lowS: false })
  return concatBytes(digest, signed, p256.getPublicKey(key, false).subarray(1))
})
const operandLength = fc.oneof(fc.nat(40), fc.constantFrom(63, 64, 65, 1023, 1024, 1025, 2000)).map(BigInt)
const anyLength = fc.oneof(operandLength, fc.constantFrom(2n ** 31n, 2n ** 64n, 2n ** 255n))
const modexp = fc
  .record({ base: anyLength, exponent: fc.oneof(fc.nat(40).map(BigInt), anyLength), modulus: anyLength, body: bytes(150) })
  .map(({ base, exponent, modulus, body }) => concatBytes(word(base), word(exponent), word(modulus), body))
const wholeModexp = fc
  .tuple(bytes(70), bytes(36), bytes(70))
  .map((operands) => concatBytes(...operands.map(({ length }) => word(BigInt(length))), ...operands))
const blake2 = join(
  fc.nat(200).map((rounds) => word(BigInt(rounds), 4)),
  fc.uint8Array({ minLength: 208, maxLength: 208 }),
  fc.constantFrom(0, 1, 1, 2).map((last) => Uint8Array.of(last)),
)

const INPUTS: Readonly<Record<number, { readonly input: fc.Arbitrary<Uint8Array>; readonly runs: number }>> = {
  1: { input: signature, runs: 10 },
  2: { input: bytes(200), runs: 30 },
  3: { input: bytes(200), runs: 30 },
  4: { input: bytes(200), runs: 30 },
  5: { input: fc.oneof(modexp, wholeModexp), runs: 300 },
  6: { input: join(bnG1, bnG1), runs: 10 },
  7: { input: join(bnG1, word32), runs: 10 },
  8: { input: several(join(bnG1, bnG2), 2), runs: 6 },
  9: { input: blake2, runs: 60 },
  11: { input: join(blsG1, blsG1), runs: 5 },
  12: { input: several(join(blsG1, word32), 3), runs: 5 },
  13: { input: join(blsG2, blsG2), runs: 5 },
  14: { input: several(join(blsG2, word32), 3), runs: 4 },
  15: { input: several(join(blsG1, blsG2), 2), runs: 4 },
  16: { input: blsElement, runs: 5 },
  17: { input: join(blsElement, blsElement), runs: 5 },
  [P256]: { input: p256Signature, runs: 10 },
}

function mutated(input: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  return fc.tuple(input, fc.integer({ min: 0, max: 5 }), fc.nat(), fc.integer({ min: 1, max: 255 })).map(([data, kind, at, by]) => {
    if (kind === 0) return data.subarray(0, at % (data.length + 1))
    if (kind === 1) return concatBytes(data, zeros(at % 40), Uint8Array.of(by))
    if (kind === 2 && data.length > 0) return Uint8Array.from(data, (byte, i) => (i === at % data.length ? byte ^ by : byte))
    return data
  })
}

const address = (index: number) => index.toString(16).padStart(40, '0')

async function oracleAt(fork: EthFork): Promise<Oracle> {
  const common = new Common({ chain: Mainnet, hardfork: HARDFORKS[fork] as Hardfork, customCrypto: {} as CustomCrypto })
  return { common, evm: await createEVM({ common }), active: getActivePrecompiles(common) }
}

async function expected({ common, evm, active }: Oracle, index: number, data: Uint8Array, gasLimit: bigint) {
  const run = active.get(address(index))
  assert.ok(run !== undefined)
  const result = await run({ data, gasLimit, common, _EVM: evm } as never)
  if (result.exceptionError !== undefined) return 'fails'
  return { gas: result.executionGasUsed, output: bytesToHex(result.returnValue) }
}

function actual(rules: BlockRules, index: number, data: Uint8Array, gasLimit: bigint) {
  const precompile = precompilesAt(rules, PARTS).get(index)
  assert.ok(precompile !== undefined)
  const gas = precompile.gas(data)
  if (gas > gasLimit) return 'fails'
  const output = precompile.run(data)
  return output === null ? 'fails' : { gas, output: bytesToHex(output) }
}

describe('precompiles', () => {
  it('exist at the same addresses as in @ethereumjs/evm, in every fork', async () => {
    for (const fork of FORKS) {
      const { active } = await oracleAt(fork)
      const mine = [...precompilesAt(l1ForkRules(fork), PARTS).keys()].map(address)
      assert.deepEqual(mine.sort(), [...active.keys()].sort(), fork)
    }
  })

  for (const [key, { input, runs }] of Object.entries(INPUTS)) {
    const index = Number(key)
    it(`0x${index.toString(16)} equals @ethereumjs/evm's in every fork that has it`, async () => {
      const oracles = new Map<EthFork, Oracle>()
      for (const fork of FORKS) if (precompilesAt(l1ForkRules(fork), PARTS).has(index)) oracles.set(fork, await oracleAt(fork))
      const gasLimit = index === 0x05 ? 3_000_000n : PLENTY
      await fc.assert(
        fc.asyncProperty(mutated(input), fc.constantFrom(...oracles.keys()), async (data, fork) => {
          const oracle = oracles.get(fork) as Oracle
          assert.deepEqual(actual(l1ForkRules(fork), index, data, gasLimit), await expected(oracle, index, data, gasLimit), fork)
        }),
        { numRuns: runs },
      )
    }).timeout(60_000)
  }

  it('modexp states the price of huge declared lengths without reading them', async () => {
    for (const fork of ['byzantium', 'berlin', 'osaka'] as const) {
      const oracle = await oracleAt(fork)
      const precompile = precompilesAt(l1ForkRules(fork), PARTS).get(0x05)
      for (const huge of [2n ** 40n, 2n ** 53n, 2n ** 64n, 2n ** 256n - 1n]) {
        for (const lengths of [
          [huge, 1n, 1n],
          [1n, huge, 1n],
          [1n, 1n, huge],
          [0n, huge, 0n],
          [huge, huge, huge],
        ]) {
          const data = concatBytes(...lengths.map((length) => word(length)), zeros(4).fill(3))
          const gas = precompile?.gas(data) as bigint
          const oneLess = gas === 0n ? 'fails' : await expected(oracle, 0x05, data, gas - 1n)
          assert.equal(oneLess, 'fails', `${fork} ${lengths}`)
          if (lengths[0] === 0n) assert.deepEqual(actual(l1ForkRules(fork), 0x05, data, gas), await expected(oracle, 0x05, data, gas))
          else assert.equal(precompile?.run(data), null)
        }
      }
    }
  })

  it('an input above the OP limit fails, one at the limit does not', () => {
    const limits = { bn256Pairing: 192, blsG1Msm: 160, blsG2Msm: 288, blsPairing: 384 }
    const found = precompilesAt({ ...l1ForkRules('osaka'), precompileInputLimits: limits }, PARTS)
    for (const [index, length] of [
      [0x08, 192],
      [0x0c, 160],
      [0x0e, 288],
      [0x0f, 384],
    ] as const) {
      const run = (size: number) => found.get(index)?.run(zeros(size)) ?? null
      assert.notEqual(run(length), null)
      assert.equal(run(2 * length), null)
    }
  })

  it('P256VERIFY has the price of the rules', () => {
    const at = (p256VerifyGas: bigint | null) => precompilesAt({ ...l1ForkRules('prague'), p256VerifyGas }, PARTS).get(P256)
    assert.equal(at(3450n)?.gas(EMPTY_BYTES), 3450n)
    assert.equal(at(null), undefined)
  })

  it('point evaluation passes commitment, z, y and proof to the verifier only if the hash is right', () => {
    const commitment = zeros(48).fill(7)
    const hash = Uint8Array.from(crypto.sha256(commitment), (byte, i) => (i === 0 ? 1 : byte))
    const data = concatBytes(hash, word(2n), word(3n), commitment, zeros(48).fill(9))
    const calls: string[][] = []
    const kzg = (valid: boolean) => ({
      verifyProof: (...parts: Uint8Array[]) => {
        calls.push(parts.map(bytesToHex))
        return valid
      },
    })
    const at = (valid: boolean) =>
      precompilesAt(l1ForkRules('cancun'), { crypto, curves: createPureCurves(), kzg: kzg(valid) }).get(POINT_EVALUATION)
    const output = concatBytes(word(4096n), word(bls12_381.fields.Fr.ORDER))
    assert.equal(bytesToHex(at(true)?.run(data) ?? EMPTY_BYTES), bytesToHex(output))
    assert.equal(at(false)?.run(data), null)
    assert.deepEqual(calls[0], [commitment, word(2n), word(3n), zeros(48).fill(9)].map(bytesToHex))
    const before = calls.length
    for (const wrong of [data.subarray(1), concatBytes(data, zeros(1)), Uint8Array.from(data, (byte, i) => (i === 31 ? byte ^ 1 : byte))])
      assert.equal(at(true)?.run(wrong), null)
    assert.equal(calls.length, before)
  })
})
