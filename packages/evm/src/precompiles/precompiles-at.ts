/** specs: protocol/precompiles.md, granite/exec-engine.md, isthmus/exec-engine.md, jovian/exec-engine.md */
import { type BlockRules, precompilePrices } from '@keelson/chainspec'
import { createPureCurves } from '@keelson/primitives'
import { createBlake2f } from './blake2f.ts'
import { createBls12 } from './bls12.ts'
import { createBn254Add, createBn254Multiply, createBn254Pairing } from './bn254.ts'
import { createEcrecover } from './ecrecover.ts'
import { createModexp } from './modexp.ts'
import { createP256Verify } from './p256-verify.ts'
import { createPointEvaluation } from './point-evaluation.ts'
import type { Precompile, PrecompileParts } from './precompile.ts'
import { createIdentity, createRipemd160, createSha256 } from './word-priced.ts'

const BLS12_FIRST_ADDRESS = 0x0b
const P256_ADDRESS = 0x100

export function precompilesAt(rules: BlockRules, { crypto, curves, kzg }: PrecompileParts): ReadonlyMap<number, Precompile> {
  const prices = precompilePrices(rules.ethFork)
  const limits = rules.precompileInputLimits
  const { bn254, bls12 } = curves ?? createPureCurves()
  const found = new Map<number, Precompile>([
    [0x01, createEcrecover(prices.ecrecover, crypto)],
    [0x02, createSha256(prices.sha256, crypto)],
    [0x03, createRipemd160(prices.ripemd160)],
    [0x04, createIdentity(prices.identity)],
  ])
  if (prices.modexp !== null) found.set(0x05, createModexp(prices.modexp))
  if (prices.bn254 !== null) {
    found.set(0x06, createBn254Add(prices.bn254, bn254))
    found.set(0x07, createBn254Multiply(prices.bn254, bn254))
    found.set(0x08, createBn254Pairing(prices.bn254, limits.bn256Pairing, bn254))
  }
  if (prices.blake2Round !== null) found.set(0x09, createBlake2f(prices.blake2Round))
  if (prices.pointEvaluation !== null) found.set(0x0a, createPointEvaluation(prices.pointEvaluation, crypto, kzg))
  if (prices.bls12 !== null)
    for (const [i, precompile] of createBls12(prices.bls12, limits, bls12).entries()) found.set(BLS12_FIRST_ADDRESS + i, precompile)
  if (rules.p256VerifyGas !== null) found.set(P256_ADDRESS, createP256Verify(rules.p256VerifyGas))
  return found
}
