import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { createMemoryView, type EvmEngine } from '@keelson/evm'
import { bigintToBytes, bytesToHex, concatBytes, createPureCrypto, type PairingCurves } from '@keelson/primitives'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import fc from 'fast-check'
import { CALLER, TEST_ENV } from '../../../../test/support/evm-call.ts'
import { createTestEngine } from '../../../../test/support/test-engine.ts'
import { createPairingCurves } from './pairing-curves.ts'

const PRAGUE = l1ForkRules('prague')
const word = (value: bigint, bytes = 32) => bigintToBytes(value, bytes)
const BN_MODULUS = bn254.fields.Fp.ORDER
const BLS_MODULUS = bls12_381.fields.Fp.ORDER

function bnG1(k: bigint): Uint8Array {
  if (k === 0n) return new Uint8Array(64)
  const { x, y } = bn254.G1.Point.BASE.multiplyUnsafe(k).toAffine()
  return concatBytes(word(x), word(y))
}
function bnG2(k: bigint): Uint8Array {
  if (k === 0n) return new Uint8Array(128)
  const { x, y } = bn254.G2.Point.BASE.multiplyUnsafe(k).toAffine()
  return concatBytes(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
}
function blsG1(k: bigint): Uint8Array {
  if (k === 0n) return new Uint8Array(128)
  const { x, y } = bls12_381.G1.Point.BASE.multiplyUnsafe(k).toAffine()
  return concatBytes(word(x, 64), word(y, 64))
}
function blsG2(k: bigint): Uint8Array {
  if (k === 0n) return new Uint8Array(256)
  const { x, y } = bls12_381.G2.Point.BASE.multiplyUnsafe(k).toAffine()
  return concatBytes(word(x.c0, 64), word(x.c1, 64), word(y.c0, 64), word(y.c1, 64))
}

/** Euler's criterion. */
function isSquare(value: bigint, modulus: bigint): boolean {
  let [result, base] = [1n, value % modulus]
  for (let rest = (modulus - 1n) / 2n; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * base) % modulus
    base = (base * base) % modulus
  }
  return result === 1n
}

async function run(engine: EvmEngine, address: number, data: Uint8Array) {
  const session = engine.open(createMemoryView([]), TEST_ENV, PRAGUE)
  session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
  const to = bigintToBytes(BigInt(address), 20)
  const { status, gasLeft, output } = session.call({ kind: 'call', from: CALLER, to, valueWei: 0n, data, gas: 10_000_000n })
  return { status, gasLeft, output: bytesToHex(output) }
}

describe('pairing curves in WebAssembly', () => {
  let curves: PairingCurves
  let fast: EvmEngine
  const plain = createTestEngine({ crypto: createPureCrypto() })

  before(async () => {
    curves = await createPairingCurves()
    fast = createTestEngine({ crypto: createPureCrypto(), curves })
  })

  async function same(address: number, data: Uint8Array): Promise<void> {
    assert.deepEqual(await run(fast, address, data), await run(plain, address, data))
  }

  const factor = fc.oneof(fc.constantFrom(0n, 1n, 2n), fc.bigInt({ min: 1n, max: 2n ** 250n }))
  const scalar = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

  it('add and multiply on BN254 as the JavaScript does, the point at infinity among the points', async () => {
    await fc.assert(
      fc.asyncProperty(factor, factor, scalar, async (a, b, k) => {
        await same(6, concatBytes(bnG1(a), bnG1(b)))
        await same(6, concatBytes(bnG1(a), bnG1(a)))
        await same(7, concatBytes(bnG1(a), word(k)))
      }),
      { numRuns: 15 },
    )
  })

  it('check pairings: e(aP, bQ) e(-abP, Q) is one, and no other', () => {
    const [a, b] = [123456789n, 987654321n]
    const bnMinus = bn254.fields.Fr.ORDER - a * b
    assert.equal(curves.bn254.pairing(concatBytes(bnG1(a), bnG2(b), bnG1(bnMinus), bnG2(1n))), true)
    assert.equal(curves.bn254.pairing(concatBytes(bnG1(a), bnG2(b), bnG1(bnMinus - 1n), bnG2(1n))), false)
    assert.equal(curves.bn254.pairing(concatBytes(bnG1(0n), bnG2(b))), true)
    assert.equal(curves.bn254.pairing(new Uint8Array(0)), true)
    const blsMinus = bls12_381.fields.Fr.ORDER - a * b
    assert.equal(curves.bls12.pairing(concatBytes(blsG1(a), blsG2(b), blsG1(blsMinus), blsG2(1n))), true)
    assert.equal(curves.bls12.pairing(concatBytes(blsG1(a), blsG2(b), blsG1(blsMinus - 1n), blsG2(1n))), false)
    assert.equal(curves.bls12.pairing(concatBytes(blsG1(a), blsG2(0n))), true)
  })

  it('take more pairs and points than fit in one batch', () => {
    const pair = concatBytes(bnG1(3n), bnG2(5n), bnG1(bn254.fields.Fr.ORDER - 15n), bnG2(1n))
    assert.equal(curves.bn254.pairing(concatBytes(...new Array<Uint8Array>(70).fill(pair))), true)
    assert.equal(curves.bn254.pairing(concatBytes(...new Array<Uint8Array>(70).fill(pair), bnG1(1n), bnG2(1n))), false)
    const products = Array.from({ length: 200 }, (_, i) => concatBytes(blsG1(1n), word(BigInt(i + 1))))
    assert.equal(bytesToHex(curves.bls12.sumG1(concatBytes(...products)) ?? new Uint8Array(0)), bytesToHex(blsG1(20_100n)))
  })

  it('add and sum on BLS12-381 as the JavaScript does', async () => {
    await fc.assert(
      fc.asyncProperty(factor, factor, scalar, scalar, async (a, b, k, m) => {
        await same(0x0b, concatBytes(blsG1(a), blsG1(b)))
        await same(0x0d, concatBytes(blsG2(a), blsG2(b)))
        await same(0x0c, concatBytes(blsG1(a), word(k), blsG1(b), word(m)))
        await same(0x0e, concatBytes(blsG2(a), word(k), blsG2(b), word(m)))
      }),
      { numRuns: 5 },
    )
  })

  it('map field elements to points as the JavaScript does', async () => {
    const { Fp } = bls12_381.fields
    // With z = 11, z^2 u^4 + z u^2 vanishes for these, which RFC 9380 treats apart.
    const apart = [0n, Fp.sqrt(Fp.neg(Fp.inv(11n)))]
    const element = fc.oneof(fc.constantFrom(...apart, 1n, BLS_MODULUS - 1n), fc.bigInt({ min: 0n, max: BLS_MODULUS - 1n }))
    await fc.assert(
      fc.asyncProperty(element, element, async (a, b) => {
        await same(0x10, word(a, 64))
        await same(0x11, concatBytes(word(a, 64), word(b, 64)))
      }),
      { numRuns: 20 },
    )
    for (const u of apart) await same(0x10, word(u, 64))
  })

  it('refuse what is no point, no field element, or outside the subgroup', async () => {
    const off = concatBytes(word(1n), word(1n))
    await same(6, concatBytes(off, bnG1(1n)))
    await same(7, concatBytes(off, word(2n)))
    assert.equal(curves.bn254.add(concatBytes(off, bnG1(1n))), null)
    assert.equal(curves.bn254.add(concatBytes(word(BN_MODULUS + 1n), word(2n), bnG1(1n))), null)
    assert.equal(curves.bn254.add(concatBytes(word(BN_MODULUS), word(0n), bnG1(1n))), null)
    const g2 = bnG2(1n)
    assert.equal(curves.bn254.pairing(concatBytes(bnG1(1n), word(BN_MODULUS), g2.subarray(32))), null)
    assert.equal(curves.bls12.addG1(concatBytes(word(BLS_MODULUS, 64), word(0n, 64), blsG1(1n))), null)
    assert.equal(curves.bls12.addG1(concatBytes(word(1n, 64), word(1n, 64), blsG1(1n))), null)
    assert.equal(curves.bls12.addG1(concatBytes(Uint8Array.of(1), blsG1(1n).subarray(1), blsG1(1n))), null)
    assert.equal(curves.bls12.mapToG1(word(BLS_MODULUS, 64)), null)
    assert.equal(curves.bls12.mapToG2(concatBytes(word(0n, 64), word(BLS_MODULUS, 64))), null)
  })

  it('add points outside the subgroup of BLS12-381, but neither sum nor pair them', async () => {
    // x = 4 is on the curve but not in the subgroup.
    const { Fp } = bls12_381.fields
    const y = Fp.sqrt(Fp.add(Fp.pow(4n, 3n), 4n))
    const outside = concatBytes(word(4n, 64), word(y, 64))
    await same(0x0b, concatBytes(outside, blsG1(1n)))
    assert.notEqual(curves.bls12.addG1(concatBytes(outside, blsG1(1n))), null)
    assert.equal(curves.bls12.sumG1(concatBytes(outside, word(1n))), null)
    assert.equal(curves.bls12.pairing(concatBytes(outside, blsG2(1n))), null)
  })

  it('find points outside the subgroup of BLS12-381, also those a point of small order away from it', () => {
    const { Fp, Fp2 } = bls12_381.fields
    const encodeG2 = ({ x, y }: { x: { c0: bigint; c1: bigint }; y: { c0: bigint; c1: bigint } }) =>
      concatBytes(word(x.c0, 64), word(x.c1, 64), word(y.c0, 64), word(y.c1, 64))
    const inG1 = (point: Uint8Array) => curves.bls12.sumG1(concatBytes(point, word(1n))) !== null
    const inG2 = (point: Uint8Array) => curves.bls12.sumG2(concatBytes(point, word(1n))) !== null
    let found = 0
    for (let i = 0n; i < 40n; i++) {
      const square = Fp.add(Fp.pow(i, 3n), 4n)
      if (!isSquare(square, BLS_MODULUS)) continue
      const point = bls12_381.G1.Point.fromAffine({ x: i, y: Fp.sqrt(square) })
      const torsion = point.multiplyUnsafe(bls12_381.fields.Fr.ORDER - 1n).add(point)
      const beside = torsion.add(bls12_381.G1.Point.BASE).toAffine()
      assert.equal(inG1(concatBytes(word(i, 64), word(Fp.sqrt(square), 64))), false)
      assert.equal(inG1(concatBytes(word(beside.x, 64), word(beside.y, 64))), torsion.is0())
      const onTwist = Fp2.add(Fp2.fromBigTuple([i ** 3n, 0n]), Fp2.fromBigTuple([4n, 4n]))
      if (isSquare(onTwist.c0 ** 2n + onTwist.c1 ** 2n, BLS_MODULUS)) {
        const second = bls12_381.G2.Point.fromAffine({ x: Fp2.fromBigTuple([i, 0n]), y: Fp2.sqrt(onTwist) })
        assert.equal(inG2(encodeG2(second.toAffine())), false)
        assert.equal(
          inG2(
            encodeG2(
              second
                .multiplyUnsafe(bls12_381.fields.Fr.ORDER - 1n)
                .add(second)
                .add(bls12_381.G2.Point.BASE)
                .toAffine(),
            ),
          ),
          false,
        )
      }
      found++
    }
    assert.ok(found > 10)
  })

  it('refuse points of BN254 in G2 outside the subgroup (EIP-197)', async () => {
    const { Fp2 } = bn254.fields
    const twist = Fp2.div(Fp2.fromBigTuple([3n, 0n]), Fp2.fromBigTuple([9n, 1n]))
    let found: Uint8Array | null = null
    for (let i = 1n; found === null; i++) {
      const x = Fp2.fromBigTuple([i, 0n])
      const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), twist)
      try {
        const y = Fp2.sqrt(square)
        found = concatBytes(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
      } catch {
        // No point has this x.
      }
    }
    assert.equal(curves.bn254.pairing(concatBytes(bnG1(1n), found)), null)
    await same(8, concatBytes(bnG1(1n), found))
  })
})
