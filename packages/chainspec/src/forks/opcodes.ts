/**
 * Yellow paper, appendix H; EIP-7, 140, 145, 150, 211, 214, 1014, 1052, 1344, 1884, 2929, 3198, 1153, 3855, 4399, 4844, 5656,
 * 7516, 7939.
 */
import { ETH_FORKS, type EthFork } from '../rules.ts'

export interface Opcode {
  readonly code: number
  readonly name: string
  readonly taken: number
  readonly given: number
  /** Static gas; from Berlin on, the warm price of an account or slot access. */
  readonly gas: number
}

type Row = readonly [code: number, name: string, taken: number, given: number, gas: number]

const FRONTIER: readonly Row[] = [
  [0x00, 'STOP', 0, 0, 0],
  [0x01, 'ADD', 2, 1, 3],
  [0x02, 'MUL', 2, 1, 5],
  [0x03, 'SUB', 2, 1, 3],
  [0x04, 'DIV', 2, 1, 5],
  [0x05, 'SDIV', 2, 1, 5],
  [0x06, 'MOD', 2, 1, 5],
  [0x07, 'SMOD', 2, 1, 5],
  [0x08, 'ADDMOD', 3, 1, 8],
  [0x09, 'MULMOD', 3, 1, 8],
  [0x0a, 'EXP', 2, 1, 10],
  [0x0b, 'SIGNEXTEND', 2, 1, 5],
  [0x10, 'LT', 2, 1, 3],
  [0x11, 'GT', 2, 1, 3],
  [0x12, 'SLT', 2, 1, 3],
  [0x13, 'SGT', 2, 1, 3],
  [0x14, 'EQ', 2, 1, 3],
  [0x15, 'ISZERO', 1, 1, 3],
  [0x16, 'AND', 2, 1, 3],
  [0x17, 'OR', 2, 1, 3],
  [0x18, 'XOR', 2, 1, 3],
  [0x19, 'NOT', 1, 1, 3],
  [0x1a, 'BYTE', 2, 1, 3],
  [0x20, 'KECCAK256', 2, 1, 30],
  [0x30, 'ADDRESS', 0, 1, 2],
  [0x31, 'BALANCE', 1, 1, 20],
  [0x32, 'ORIGIN', 0, 1, 2],
  [0x33, 'CALLER', 0, 1, 2],
  [0x34, 'CALLVALUE', 0, 1, 2],
  [0x35, 'CALLDATALOAD', 1, 1, 3],
  [0x36, 'CALLDATASIZE', 0, 1, 2],
  [0x37, 'CALLDATACOPY', 3, 0, 3],
  [0x38, 'CODESIZE', 0, 1, 2],
  [0x39, 'CODECOPY', 3, 0, 3],
  [0x3a, 'GASPRICE', 0, 1, 2],
  [0x3b, 'EXTCODESIZE', 1, 1, 20],
  [0x3c, 'EXTCODECOPY', 4, 0, 20],
  [0x40, 'BLOCKHASH', 1, 1, 20],
  [0x41, 'COINBASE', 0, 1, 2],
  [0x42, 'TIMESTAMP', 0, 1, 2],
  [0x43, 'NUMBER', 0, 1, 2],
  [0x44, 'DIFFICULTY', 0, 1, 2],
  [0x45, 'GASLIMIT', 0, 1, 2],
  [0x50, 'POP', 1, 0, 2],
  [0x51, 'MLOAD', 1, 1, 3],
  [0x52, 'MSTORE', 2, 0, 3],
  [0x53, 'MSTORE8', 2, 0, 3],
  [0x54, 'SLOAD', 1, 1, 50],
  [0x55, 'SSTORE', 2, 0, 0],
  [0x56, 'JUMP', 1, 0, 8],
  [0x57, 'JUMPI', 2, 0, 10],
  [0x58, 'PC', 0, 1, 2],
  [0x59, 'MSIZE', 0, 1, 2],
  [0x5a, 'GAS', 0, 1, 2],
  [0x5b, 'JUMPDEST', 0, 0, 1],
  ...numbered(32, (n): Row => [0x5f + n, `PUSH${n}`, 0, 1, 3]),
  ...numbered(16, (n): Row => [0x7f + n, `DUP${n}`, n, n + 1, 3]),
  ...numbered(16, (n): Row => [0x8f + n, `SWAP${n}`, n + 1, n + 1, 3]),
  ...numbered(5, (n): Row => [0x9f + n, `LOG${n - 1}`, n + 1, 0, 375 * n]),
  [0xf0, 'CREATE', 3, 1, 32_000],
  [0xf1, 'CALL', 7, 1, 40],
  [0xf2, 'CALLCODE', 7, 1, 40],
  [0xf3, 'RETURN', 2, 0, 0],
  [0xff, 'SELFDESTRUCT', 1, 0, 0],
]

const CHANGES: Readonly<Partial<Record<EthFork, readonly Row[]>>> = {
  homestead: [[0xf4, 'DELEGATECALL', 6, 1, 40]],
  tangerine: [
    [0x31, 'BALANCE', 1, 1, 400],
    [0x3b, 'EXTCODESIZE', 1, 1, 700],
    [0x3c, 'EXTCODECOPY', 4, 0, 700],
    [0x54, 'SLOAD', 1, 1, 200],
    [0xf1, 'CALL', 7, 1, 700],
    [0xf2, 'CALLCODE', 7, 1, 700],
    [0xf4, 'DELEGATECALL', 6, 1, 700],
    [0xff, 'SELFDESTRUCT', 1, 0, 5_000],
  ],
  byzantium: [
    [0x3d, 'RETURNDATASIZE', 0, 1, 2],
    [0x3e, 'RETURNDATACOPY', 3, 0, 3],
    [0xfa, 'STATICCALL', 6, 1, 700],
    [0xfd, 'REVERT', 2, 0, 0],
  ],
  constantinople: [
    [0x1b, 'SHL', 2, 1, 3],
    [0x1c, 'SHR', 2, 1, 3],
    [0x1d, 'SAR', 2, 1, 3],
    [0x3f, 'EXTCODEHASH', 1, 1, 400],
    [0xf5, 'CREATE2', 4, 1, 32_000],
  ],
  istanbul: [
    [0x31, 'BALANCE', 1, 1, 700],
    [0x3f, 'EXTCODEHASH', 1, 1, 700],
    [0x46, 'CHAINID', 0, 1, 2],
    [0x47, 'SELFBALANCE', 0, 1, 5],
    [0x54, 'SLOAD', 1, 1, 800],
  ],
  berlin: [
    [0x31, 'BALANCE', 1, 1, 100],
    [0x3b, 'EXTCODESIZE', 1, 1, 100],
    [0x3c, 'EXTCODECOPY', 4, 0, 100],
    [0x3f, 'EXTCODEHASH', 1, 1, 100],
    [0x54, 'SLOAD', 1, 1, 100],
    [0xf1, 'CALL', 7, 1, 100],
    [0xf2, 'CALLCODE', 7, 1, 100],
    [0xf4, 'DELEGATECALL', 6, 1, 100],
    [0xfa, 'STATICCALL', 6, 1, 100],
  ],
  london: [[0x48, 'BASEFEE', 0, 1, 2]],
  paris: [[0x44, 'PREVRANDAO', 0, 1, 2]],
  shanghai: [[0x5f, 'PUSH0', 0, 1, 2]],
  cancun: [
    [0x49, 'BLOBHASH', 1, 1, 3],
    [0x4a, 'BLOBBASEFEE', 0, 1, 2],
    [0x5c, 'TLOAD', 1, 1, 100],
    [0x5d, 'TSTORE', 2, 0, 100],
    [0x5e, 'MCOPY', 3, 0, 3],
  ],
  osaka: [[0x1e, 'CLZ', 1, 1, 5]],
}

const FOLDED = fold()

function numbered(count: number, row: (n: number) => Row): readonly Row[] {
  return Array.from({ length: count }, (_, i) => row(i + 1))
}

function fold(): ReadonlyMap<EthFork, ReadonlyMap<number, Opcode>> {
  const folded = new Map<EthFork, ReadonlyMap<number, Opcode>>()
  const current = new Map<number, Opcode>()
  for (const fork of ETH_FORKS) {
    const rows = fork === ETH_FORKS[0] ? FRONTIER : (CHANGES[fork] ?? [])
    for (const [code, name, taken, given, gas] of rows) current.set(code, { code, name, taken, given, gas })
    folded.set(fork, new Map(current))
  }
  return folded
}

export function opcodesOf(fork: EthFork): ReadonlyMap<number, Opcode> {
  return FOLDED.get(fork) as ReadonlyMap<number, Opcode>
}
