/** The most time per gas, and common inputs. */
import { type BlockRules, l1ForkRules } from '@keelson/chainspec'
import { bigintToBytes, concatBytes, createPureCrypto, keccak256, padLeft, utf8ToBytes } from '@keelson/primitives'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'

export interface PrecompileInput {
  readonly name: string
  readonly address: number
  readonly data: Uint8Array
  /** Default: Osaka. */
  readonly rules?: BlockRules
}

const word = (value: bigint, bytes = 32) => bigintToBytes(value, bytes)
const seed = (text: string) => keccak256(utf8ToBytes(text))
const scalar = (text: string) => BigInt(`0x${Buffer.from(seed(text)).toString('hex')}`)
const filled = (bytes: number, text: string) => {
  const block = seed(text)
  return Uint8Array.from({ length: bytes }, (_, i) => block[i % 32] as number)
}
const repeat = (count: number, make: (i: number) => Uint8Array) => concatBytes(...Array.from({ length: count }, (_, i) => make(i)))

const bnScalar = (i: number) => scalar(`bn ${i}`) % bn254.fields.Fr.ORDER
function bnG1(i: number): Uint8Array {
  const { x, y } = bn254.G1.Point.BASE.multiply(bnScalar(i)).toAffine()
  return concatBytes(word(x), word(y))
}
function bnG2(i: number): Uint8Array {
  const { x, y } = bn254.G2.Point.BASE.multiply(bnScalar(i + 1)).toAffine()
  return concatBytes(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
}

const blsScalar = (i: number) => scalar(`bls ${i}`) % bls12_381.fields.Fr.ORDER
function blsG1(i: number): Uint8Array {
  const { x, y } = bls12_381.G1.Point.BASE.multiply(blsScalar(i)).toAffine()
  return concatBytes(word(x, 64), word(y, 64))
}
function blsG2(i: number): Uint8Array {
  const { x, y } = bls12_381.G2.Point.BASE.multiply(blsScalar(i + 1)).toAffine()
  return concatBytes(word(x.c0, 64), word(x.c1, 64), word(y.c0, 64), word(y.c1, 64))
}

function modexp(baseBytes: number, exponent: Uint8Array, modulus: Uint8Array): Uint8Array {
  const lengths = [baseBytes, exponent.length, modulus.length].map((length) => word(BigInt(length)))
  return concatBytes(...lengths, filled(baseBytes, 'base'), exponent, modulus)
}

function odd(bytes: number): Uint8Array {
  const modulus = filled(bytes, 'modulus')
  modulus[0] = 0xff
  modulus[bytes - 1] = (modulus[bytes - 1] as number) | 1
  return modulus
}

function even(bytes: number): Uint8Array {
  const modulus = odd(bytes)
  modulus[bytes - 1] = (modulus[bytes - 1] as number) & 0xf0
  return modulus
}

function blake2(rounds: number): Uint8Array {
  return concatBytes(word(BigInt(rounds), 4), filled(208, 'blake2'), Uint8Array.of(1))
}

function ecrecover(): Uint8Array {
  const digest = seed('digest')
  const { r, s, yParity } = createPureCrypto().sign(digest, seed('key'))
  return concatBytes(digest, word(27n + BigInt(yParity)), word(r), word(s))
}

function p256Signature(): Uint8Array {
  const key = seed('key')
  const digest = seed('digest')
  const signature = p256.sign(digest, key, { prehash: false })
  return concatBytes(digest, signature, p256.getPublicKey(key, false).subarray(1))
}

/** The constant zero: commitment and proof are the point at infinity. EIP-4844 */
function zeroCommitment(): Uint8Array {
  const infinity = Uint8Array.of(0xc0, ...new Uint8Array(47))
  const versionedHash = createPureCrypto().sha256(infinity).slice()
  versionedHash[0] = 1
  return concatBytes(versionedHash, seed('point').fill(0, 0, 1), new Uint8Array(32), infinity, infinity)
}

/** The exponent is zero after its first byte: a square per bit, no product. */
function longExponent(exponentBytes: number, modulus: Uint8Array): Uint8Array {
  const lengths = [modulus.length, exponentBytes, modulus.length].map((length) => word(BigInt(length)))
  const exponent = new Uint8Array(exponentBytes)
  exponent[0] = 0xff
  return concatBytes(...lengths, filled(modulus.length, 'base'), exponent, modulus)
}

export function precompileInputs(): readonly PrecompileInput[] {
  const ones = new Uint8Array(32).fill(0xff)
  /** OP chains before Karst: EIP-2565 and RIP-7212. */
  const earlier = { ...l1ForkRules('prague'), p256VerifyGas: 3450n }
  const blsMsm = (count: number, point: (i: number) => Uint8Array) => repeat(count, (i) => concatBytes(point(i), ones))
  return [
    { name: 'ecrecover', address: 0x01, data: ecrecover() },
    { name: 'sha256, 64 bytes', address: 0x02, data: filled(64, 'a') },
    { name: 'sha256, 64 KiB', address: 0x02, data: filled(65_536, 'a') },
    { name: 'ripemd160, 64 bytes', address: 0x03, data: filled(64, 'a') },
    { name: 'ripemd160, 64 KiB', address: 0x03, data: filled(65_536, 'a') },
    { name: 'identity, 64 KiB', address: 0x04, data: filled(65_536, 'a') },
    { name: 'modexp 8^648 odd', address: 0x05, data: modexp(8, new Uint8Array(81).fill(0xff), odd(8)) },
    { name: 'modexp 32^32 odd', address: 0x05, data: modexp(32, ones, odd(32)) },
    { name: 'modexp 32^32 even', address: 0x05, data: modexp(32, ones, even(32)) },
    { name: 'modexp 192^64 even', address: 0x05, data: modexp(192, new Uint8Array(64).fill(0xff), even(192)) },
    { name: 'modexp 256^32 odd', address: 0x05, data: modexp(256, ones, odd(256)) },
    { name: 'modexp 1024^1 square', address: 0x05, data: modexp(1024, Uint8Array.of(2), odd(1024)) },
    { name: 'modexp 1024^3 odd', address: 0x05, data: modexp(1024, Uint8Array.of(1, 0, 1), odd(1024)) },
    { name: 'modexp 8^65536, EIP-2565', address: 0x05, data: longExponent(65_536, odd(8)), rules: earlier },
    { name: 'modexp 8^65536 even, EIP-2565', address: 0x05, data: longExponent(65_536, even(8)), rules: earlier },
    { name: 'modexp 256^32 odd, EIP-2565', address: 0x05, data: modexp(256, ones, odd(256)), rules: earlier },
    { name: 'modexp 32^32 odd, EIP-2565', address: 0x05, data: modexp(32, ones, odd(32)), rules: earlier },
    { name: 'modexp 16^16 odd, EIP-2565', address: 0x05, data: modexp(16, ones.subarray(16), odd(16)), rules: earlier },
    { name: 'modexp 128^128 odd, EIP-2565', address: 0x05, data: modexp(128, new Uint8Array(128).fill(0xff), odd(128)), rules: earlier },
    { name: 'modexp 1024^1 square, EIP-2565', address: 0x05, data: modexp(1024, Uint8Array.of(2), odd(1024)), rules: earlier },
    { name: 'bn254 add', address: 0x06, data: concatBytes(bnG1(1), bnG1(2)) },
    { name: 'bn254 mul', address: 0x07, data: concatBytes(bnG1(1), ones) },
    { name: 'bn254 pairing, 0', address: 0x08, data: new Uint8Array(0) },
    { name: 'bn254 pairing, 2', address: 0x08, data: repeat(2, (i) => concatBytes(bnG1(i), bnG2(i))) },
    { name: 'bn254 pairing, 20', address: 0x08, data: repeat(20, (i) => concatBytes(bnG1(i), bnG2(i))) },
    { name: 'blake2f, 1 round', address: 0x09, data: blake2(1) },
    { name: 'blake2f, 12 rounds', address: 0x09, data: blake2(12) },
    { name: 'blake2f, 1,000,000 rounds', address: 0x09, data: blake2(1_000_000) },
    { name: 'point evaluation', address: 0x0a, data: zeroCommitment() },
    { name: 'bls12 G1 add', address: 0x0b, data: concatBytes(blsG1(1), blsG1(2)) },
    { name: 'bls12 G1 msm, 1', address: 0x0c, data: blsMsm(1, blsG1) },
    { name: 'bls12 G1 msm, 128', address: 0x0c, data: blsMsm(128, blsG1) },
    { name: 'bls12 G2 add', address: 0x0d, data: concatBytes(blsG2(1), blsG2(2)) },
    { name: 'bls12 G2 msm, 1', address: 0x0e, data: blsMsm(1, blsG2) },
    { name: 'bls12 G2 msm, 128', address: 0x0e, data: blsMsm(128, blsG2) },
    { name: 'bls12 pairing, 1', address: 0x0f, data: repeat(1, (i) => concatBytes(blsG1(i), blsG2(i))) },
    { name: 'bls12 pairing, 20', address: 0x0f, data: repeat(20, (i) => concatBytes(blsG1(i), blsG2(i))) },
    { name: 'bls12 map to G1', address: 0x10, data: padLeft(filled(47, 'fp'), 64) },
    { name: 'bls12 map to G2', address: 0x11, data: repeat(2, (i) => padLeft(filled(47, `fp ${i}`), 64)) },
    { name: 'p256verify', address: 0x100, data: p256Signature() },
    { name: 'p256verify, RIP-7212', address: 0x100, data: p256Signature(), rules: earlier },
  ]
}
