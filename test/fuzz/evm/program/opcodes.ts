/** Yellow paper, appendix H; EIPs. */
import { ETH_FORKS, type EthFork } from '@keelson/chainspec'

export interface Opcode {
  readonly name: string
  readonly byte: number
  readonly inputs: number
  readonly outputs: number
  readonly since: EthFork
}

/** `name byte inputs outputs`, in groups by fork. */
const TABLE: Readonly<Partial<Record<EthFork, string>>> = {
  frontier: `STOP 00 0 0|ADD 01 2 1|MUL 02 2 1|SUB 03 2 1|DIV 04 2 1|SDIV 05 2 1|MOD 06 2 1|SMOD 07 2 1|ADDMOD 08 3 1|MULMOD 09 3 1|
EXP 0a 2 1|SIGNEXTEND 0b 2 1|LT 10 2 1|GT 11 2 1|SLT 12 2 1|SGT 13 2 1|EQ 14 2 1|ISZERO 15 1 1|AND 16 2 1|OR 17 2 1|XOR 18 2 1|
NOT 19 1 1|BYTE 1a 2 1|KECCAK256 20 2 1|ADDRESS 30 0 1|BALANCE 31 1 1|ORIGIN 32 0 1|CALLER 33 0 1|CALLVALUE 34 0 1|
CALLDATALOAD 35 1 1|CALLDATASIZE 36 0 1|CALLDATACOPY 37 3 0|CODESIZE 38 0 1|CODECOPY 39 3 0|GASPRICE 3a 0 1|EXTCODESIZE 3b 1 1|
EXTCODECOPY 3c 4 0|BLOCKHASH 40 1 1|COINBASE 41 0 1|TIMESTAMP 42 0 1|NUMBER 43 0 1|PREVRANDAO 44 0 1|GASLIMIT 45 0 1|POP 50 1 0|
MLOAD 51 1 1|MSTORE 52 2 0|MSTORE8 53 2 0|SLOAD 54 1 1|SSTORE 55 2 0|JUMP 56 1 0|JUMPI 57 2 0|PC 58 0 1|MSIZE 59 0 1|GAS 5a 0 1|
JUMPDEST 5b 0 0|LOG0 a0 2 0|LOG1 a1 3 0|LOG2 a2 4 0|LOG3 a3 5 0|LOG4 a4 6 0|CREATE f0 3 1|CALL f1 7 1|CALLCODE f2 7 1|RETURN f3 2 0|
INVALID fe 0 0|SELFDESTRUCT ff 1 0`,
  homestead: 'DELEGATECALL f4 6 1',
  byzantium: 'RETURNDATASIZE 3d 0 1|RETURNDATACOPY 3e 3 0|STATICCALL fa 6 1|REVERT fd 2 0',
  constantinople: 'SHL 1b 2 1|SHR 1c 2 1|SAR 1d 2 1|EXTCODEHASH 3f 1 1|CREATE2 f5 4 1',
  istanbul: 'CHAINID 46 0 1|SELFBALANCE 47 0 1',
  london: 'BASEFEE 48 0 1',
  shanghai: 'PUSH0 5f 0 1',
  cancun: 'BLOBHASH 49 1 1|BLOBBASEFEE 4a 0 1|TLOAD 5c 1 1|TSTORE 5d 2 0|MCOPY 5e 3 0',
  osaka: 'CLZ 1e 1 1',
}

function parse(since: EthFork, line: string): Opcode {
  const [name = '', byte = '', inputs, outputs] = line.trim().split(' ')
  return { name, byte: Number.parseInt(byte, 16), inputs: Number(inputs), outputs: Number(outputs), since }
}

function family(prefix: string, first: number, count: number, base: number, inputs: (n: number) => number, added: number): Opcode[] {
  return Array.from({ length: count }, (_, i) => {
    const n = base + i
    return { name: `${prefix}${n}`, byte: first + i, inputs: inputs(n), outputs: inputs(n) + added, since: 'frontier' as const }
  })
}

export const OPCODES: readonly Opcode[] = [
  ...Object.entries(TABLE).flatMap(([since, text]) => text.split('|').map((line) => parse(since as EthFork, line))),
  ...family('PUSH', 0x60, 32, 1, () => 0, 1),
  ...family('DUP', 0x80, 16, 1, (n) => n, 1),
  ...family('SWAP', 0x90, 16, 1, (n) => n + 1, 0),
]

const BY_NAME: ReadonlyMap<string, Opcode> = new Map(OPCODES.map((opcode) => [opcode.name, opcode]))
const BY_BYTE: ReadonlyMap<number, Opcode> = new Map(OPCODES.map((opcode) => [opcode.byte, opcode]))

export function opcodeNamed(name: string): Opcode {
  const opcode = BY_NAME.get(name)
  if (opcode === undefined) throw new Error(`unknown opcode ${name}`)
  return opcode
}

export function opcodeName(byte: number): string {
  return BY_BYTE.get(byte)?.name ?? `0x${byte.toString(16).padStart(2, '0')}`
}

const OTHER_NAMES: Readonly<Record<string, number>> = { SHA3: 0x20, DIFFICULTY: 0x44 }
const INVALID = 0xfe

export function opcodeByte(name: string): number {
  return BY_NAME.get(name)?.byte ?? OTHER_NAMES[name] ?? INVALID
}

export function existsIn(fork: EthFork, name: string): boolean {
  return ETH_FORKS.indexOf(opcodeNamed(name).since) <= ETH_FORKS.indexOf(fork)
}
