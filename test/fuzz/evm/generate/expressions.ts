import { bytesToHex } from '@keelson/primitives'
import type { Expr, OpcodeExpr } from '../program/program.ts'
import { hexOf, type Scope } from './scope.ts'

const MAX_WORD = 2n ** 256n
const EDGES: readonly bigint[] = [
  ...[0n, 1n, 2n, 3n, 31n, 32n, 33n, 63n, 64n, 127n, 128n, 255n, 256n, 257n, 1023n, 1024n],
  ...[15n, 16n, 31n, 32n, 33n, 63n, 64n, 65n, 127n, 128n, 160n, 191n, 192n, 255n].flatMap((bits) => [
    2n ** bits - 1n,
    2n ** bits,
    2n ** bits + 1n,
  ]),
  ...[1n, 2n, 3n, 31n, 32n, 256n, 2n ** 64n, 2n ** 128n].map((value) => MAX_WORD - value),
]
const ENVIRONMENT = [
  ...['ADDRESS', 'CALLER', 'ORIGIN', 'CALLVALUE', 'CALLDATASIZE', 'CODESIZE', 'GASPRICE', 'RETURNDATASIZE', 'COINBASE', 'TIMESTAMP'],
  ...['NUMBER', 'PREVRANDAO', 'GASLIMIT', 'CHAINID', 'SELFBALANCE', 'BASEFEE', 'BLOBBASEFEE', 'PC', 'MSIZE', 'GAS', 'PUSH0'],
]
const ARITHMETIC = [
  ...['ADD', 'MUL', 'SUB', 'DIV', 'SDIV', 'MOD', 'SMOD', 'EXP', 'SIGNEXTEND', 'LT', 'GT', 'SLT', 'SGT', 'EQ', 'AND', 'OR', 'XOR', 'BYTE'],
  ...['SHL', 'SHR', 'SAR'],
]

export function constant({ random }: Scope): string {
  return random.weighted<() => string>([
    [5, () => hexOf(random.below(9))],
    [4, () => hexOf(random.pick(EDGES))],
    [1, () => bytesToHex(random.bytes(random.between(1, 32)))],
    [
      1,
      () =>
        `0x${random
          .pick(EDGES)
          .toString(16)
          .padStart(random.pick([8, 16, 34, 64]), '0')}`.slice(0, 66),
    ],
  ])()
}

export function offset(scope: Scope): Expr {
  const { random } = scope
  if (!scope.risky) return hexOf(random.chance(90) ? random.below(97) : random.below(1_100))
  return random.weighted<() => Expr>([
    [40, () => hexOf(random.below(97))],
    [12, () => hexOf(random.pick([0, 1, 31, 32, 33, 64, 96, 128, 255, 256, 1024]))],
    [2, () => hexOf(random.below(1 << random.between(8, 22)))],
    [1, () => hexOf(random.pick([2 ** 31 - 1, 2 ** 31, 2 ** 32 - 32, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1]))],
    [1, () => hexOf(random.pick(EDGES))],
    [2, () => expression(scope, 1)],
  ])()
}

export function length(scope: Scope): Expr {
  const { random } = scope
  if (!scope.risky)
    return hexOf(
      random.weighted<() => number>([
        [3, () => 0],
        [6, () => random.below(70)],
        [2, () => random.pick([32, 64, 96, 136, 256])],
      ])(),
    )
  return random.weighted<() => Expr>([
    [12, () => '0x00'],
    [24, () => hexOf(random.below(70))],
    [8, () => hexOf(random.pick([1, 4, 31, 32, 33, 64, 96, 128, 136, 200, 256]))],
    [2, () => hexOf(random.below(1 << random.between(8, 16)))],
    [1, () => hexOf(random.pick(EDGES))],
    [1, () => expression(scope, 1)],
  ])()
}

/** Few slots, so that later statements meet them again. */
export function slot(scope: Scope): Expr {
  const { random } = scope
  return random.weighted<() => Expr>([
    [12, () => hexOf(random.below(4))],
    [2, () => hexOf(random.pick([2n ** 64n, 2n ** 128n + 1n, 2n ** 255n, MAX_WORD - 1n]))],
    [1, () => ['CALLDATALOAD', '0x00']],
    [1, () => expression(scope, 1)],
  ])()
}

export function address(scope: Scope): Expr {
  const { random, addresses } = scope
  return random.weighted<() => Expr>([
    [24, () => random.pick(addresses)],
    [3, () => ['ADDRESS']],
    [2, () => random.pick<Expr>([['CALLER'], ['ORIGIN'], ['COINBASE']])],
    [2, () => hexOf(random.between(1, 0x11))],
    [1, () => '0x0100'],
    [3, () => ['MLOAD', '0x0400']],
    // The upper twelve bytes do not count.
    [1, () => `0x${'ff'.repeat(12)}${random.pick(addresses).slice(2)}`],
    [1, () => expression(scope, 1)],
  ])()
}

export function expression(scope: Scope, depth: number): Expr {
  const { random } = scope
  if (depth <= 0) return random.chance(80) ? constant(scope) : [random.pick(scope.only(ENVIRONMENT))]
  const inner = () => expression(scope, depth - 1)
  return random.weighted<() => Expr>([
    [10, () => constant(scope)],
    [5, () => [random.pick(scope.only(ENVIRONMENT))]],
    [10, () => [random.pick(scope.only(ARITHMETIC)), inner(), inner()]],
    [2, () => [random.pick(['ADDMOD', 'MULMOD']), inner(), inner(), inner()]],
    [2, () => [random.pick(scope.only(['NOT', 'ISZERO', 'CLZ'])), inner()]],
    [9, () => read(scope)],
  ])()
}

function read(scope: Scope): Expr {
  const { random } = scope
  const choices: (readonly [number, () => Expr])[] = [
    [4, () => ['SLOAD', slot(scope)]],
    [4, () => ['MLOAD', offset(scope)]],
    [3, () => ['CALLDATALOAD', offset(scope)]],
    [2, () => ['KECCAK256', offset(scope), length(scope)]],
    [2, () => ['BALANCE', address(scope)]],
    [2, () => ['EXTCODESIZE', address(scope)]],
    [1, () => ['BLOCKHASH', random.chance(60) ? ['SUB', ['NUMBER'], hexOf(random.pick([0, 1, 2, 255, 256, 257]))] : constant(scope)]],
  ]
  if (scope.has('EXTCODEHASH')) choices.push([2, () => ['EXTCODEHASH', address(scope)]])
  if (scope.has('TLOAD')) choices.push([2, () => ['TLOAD', slot(scope)]], [1, () => ['BLOBHASH', constant(scope)]])
  return random.weighted(choices)()
}

const CALL_GAS = [0, 1, 100, 700, 2299, 2300, 2301, 5_000, 9_000, 20_000, 60_000, 2 ** 32]

export function callGas({ random }: Scope): Expr {
  return random.weighted<() => Expr>([
    [6, () => ['GAS']],
    // Before EIP-150 a call fails when it asks for more than there is.
    [6, () => ['DIV', ['GAS'], hexOf(random.between(2, 8))]],
    [6, () => hexOf(random.pick(CALL_GAS))],
    [2, () => hexOf(random.below(30_000))],
    [1, () => hexOf(random.pick(EDGES))],
  ])()
}

export function call(scope: Scope): OpcodeExpr {
  const { random } = scope
  const kind = random.pick(scope.only(['CALL', 'CALL', 'CALL', 'CALLCODE', 'DELEGATECALL', 'DELEGATECALL', 'STATICCALL', 'STATICCALL']))
  const memory: readonly Expr[] = [offset(scope), length(scope), offset(scope), length(scope)]
  const value = (): Expr =>
    random.weighted<() => Expr>([
      [10, () => '0x00'],
      [5, () => hexOf(random.between(1, 3))],
      [1, () => expression(scope, 1)],
    ])()
  const withValue = kind === 'CALL' || kind === 'CALLCODE'
  return [kind, callGas(scope), address(scope), ...(withValue ? [value()] : []), ...memory]
}
