import { bytesToHex } from '@keelson/primitives'
import type { Expr, Statement } from '../program/program.ts'
import { callGas, length, offset } from './expressions.ts'
import { hexOf, type Scope } from './scope.ts'

const word = (value: bigint | number) => value.toString(16).padStart(64, '0')
const BN254_PRIME = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n
const G1 = word(1) + word(2)
const G1_NEGATED = word(1) + word(BN254_PRIME - 2n)
const G2 = [
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2',
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed',
  '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b',
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
].join('')
/** Example of EIP-152. */
const BLAKE2_BODY =
  '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b' +
  `616263${'00'.repeat(125)}03000000000000000000000000000000`
/** Signed by the key 0x46..46. */
const SIGNED = [
  'daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53',
  word(37 - 10),
  '28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276',
  '67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
].join('')

const LAST_PRECOMPILE = 0x11
const P256 = 0x100

export function precompileCall(scope: Scope): readonly Statement[] {
  const { random } = scope
  const target = random.chance(92) ? random.between(1, LAST_PRECOMPILE) : P256
  const bytes = input(target, scope)
  const kind = random.pick(scope.only(['CALL', 'CALL', 'STATICCALL', 'DELEGATECALL', 'CALLCODE']))
  const value: readonly Expr[] = kind === 'CALL' || kind === 'CALLCODE' ? [random.chance(80) ? '0x00' : '0x01'] : []
  const size = hexOf((bytes.length - 2) / 2)
  const asked: Expr = random.chance(85) ? size : length(scope)
  const result: Expr = [kind, callGas(scope), hexOf(target), ...value, '0x00', asked, offset(scope), length(scope)]
  const call: Statement = { do: 'run', expr: random.chance(70) ? ['SSTORE', hexOf(random.below(4)), result] : result }
  return bytes.length > 2 ? [{ do: 'data', to: '0x00', bytes }, call] : [call]
}

function input(target: number, { random }: Scope): string {
  const arbitrary = () => bytesToHex(random.bytes(random.pick([0, 1, 31, 32, 33, 64, 96, 128, 192])))
  if (random.chance(25)) return arbitrary()
  const scalar = word(random.pick([0n, 1n, 2n, BN254_PRIME, 2n ** 256n - 1n]))
  switch (target) {
    case 0x01:
      return `0x${random.chance(60) ? SIGNED : SIGNED.slice(0, 128) + word(random.pick([0n, 1n])) + SIGNED.slice(192)}`
    case 0x05:
      return modularPower(random.pick([0, 1, 2, 31, 32, 33, 40]), random.pick([0, 1, 2, 32, 33]), random.pick([0, 1, 32, 40]), (n) =>
        bytesToHex(random.bytes(n)).slice(2),
      )
    case 0x06:
      return `0x${random.pick([G1 + G1, G1 + G1_NEGATED, G1, '', G1 + word(0) + word(0), word(1) + word(1) + G1])}`
    case 0x07:
      return `0x${random.pick([G1, G1_NEGATED, word(0) + word(0)])}${scalar}`
    case 0x08:
      return `0x${random.pick(['', G1 + G2, G1 + G2 + G1_NEGATED + G2, G1, word(1) + word(1) + G2])}`
    case 0x09:
      return `0x${word(random.pick([0, 1, 12, 40])).slice(-8)}${BLAKE2_BODY}${random.pick(['00', '01', '02'])}`
    default:
      return arbitrary()
  }
}

function modularPower(base: number, exponent: number, modulus: number, bytes: (count: number) => string): string {
  return `0x${word(base)}${word(exponent)}${word(modulus)}${bytes(base)}${bytes(exponent)}${bytes(modulus)}`
}
