/** Contracts that make a block of thirty million gas slow. */
import type { MemoryAccount } from '@keelson/evm'
import { bigintToBytes, bytesToHex, concatBytes, hexToBytes } from '@keelson/primitives'

export interface AttackShape {
  readonly name: string
  readonly code: Uint8Array
  readonly accounts?: readonly MemoryAccount[]
}

const MAX_CODE_BYTES = 24_576
export const CALLEE = new Uint8Array(20).fill(0xce)
const callee = bytesToHex(CALLEE).slice(2)
const CALL_IT = `5f5f5f5f5f73${callee}5af150`
const CALL_WITHOUT_GAS = `5f5f5f5f5f73${callee}5ff150`

function loop(body: string, before = ''): Uint8Array {
  const start = hexToBytes(`0x${before}`)
  const times = Math.floor((MAX_CODE_BYTES - start.length - 8) / (body.length / 2))
  const jump = hexToBytes(`0x61${start.length.toString(16).padStart(4, '0')}56`)
  return concatBytes(start, Uint8Array.of(0x5b), hexToBytes(`0x${body.repeat(times)}`), jump)
}

function filled(start: string, byte: number): Uint8Array {
  const code = new Uint8Array(MAX_CODE_BYTES).fill(byte)
  code.set(hexToBytes(`0x${start}`))
  return code
}

const push = (value: number) => `${(0x5f + bytesOf(value).length).toString(16)}${bytesToHex(bytesOf(value)).slice(2)}`
const bytesOf = (value: number) => bigintToBytes(BigInt(value), Math.max(1, Math.ceil(value.toString(16).length / 2)))
const precompile = (index: number, inputBytes: number) => `5f5f${push(inputBytes)}5f60${index.toString(16).padStart(2, '0')}5afa50`

export function attackShapes(): readonly AttackShape[] {
  const jumpFirst = { address: CALLEE, code: filled('600456005b00', 0x5b) }
  return [
    { name: 'JUMPDEST', code: loop('5b') },
    { name: 'PUSH32 POP', code: loop(`7f${'ab'.repeat(32)}50`) },
    { name: 'PUSH1 ADD', code: loop('600301', '5f') },
    { name: 'MULMOD of 256 bits', code: loop('8181800950', `7f${'fd'.repeat(32)}7f${'fe'.repeat(32)}`) },
    { name: 'EXP of 256 bits', code: loop('8080800a50', `7f${'ff'.repeat(32)}`) },
    { name: 'DIV of 256 bits', code: loop(`81810450`, `7f${'03'.repeat(17)}${'00'.repeat(15)}7f${'fe'.repeat(32)}`) },
    { name: 'KECCAK256 of 32 bytes', code: loop('60205f2050') },
    { name: 'KECCAK256 of 32 KiB', code: loop(`${push(32_768)}5f2050`) },
    { name: 'MSTORE, growing memory', code: loop('80816020019052', '5f') },
    { name: 'MSTORE8', code: loop('5f5f53') },
    { name: 'MCOPY of 32 KiB', code: loop(`${push(32_768)}60015f5e`) },
    { name: 'CALLDATACOPY of 32 KiB without data', code: loop(`${push(32_768)}5f5f37`) },
    { name: 'SLOAD, cold', code: loop('5a5450') },
    { name: 'SLOAD, warm', code: loop('5f5450') },
    { name: 'SSTORE, new slots', code: loop('60015a55') },
    { name: 'TSTORE', code: loop('60015a5d') },
    { name: 'BALANCE, cold', code: loop('5a3150') },
    { name: 'EXTCODESIZE, cold', code: loop('5a3b50') },
    { name: 'LOG0 of 1 KiB', code: loop('6104005fa0') },
    { name: 'LOG4', code: loop('5f5f5f5f5f5fa4') },
    { name: 'CALL of nothing', code: loop(CALL_IT) },
    { name: 'CALL of 24 KB with jumps', code: loop(CALL_IT), accounts: [jumpFirst] },
    { name: 'CALL of 24 KB that begin with JUMP', code: loop(CALL_WITHOUT_GAS), accounts: [{ address: CALLEE, code: filled('56', 0x5b) }] },
    { name: 'CALL of itself at growing depth', code: loop('5f5f5f5f5f305af150') },
    { name: 'STATICCALL of identity', code: loop(precompile(4, 0)) },
    { name: 'STATICCALL of ecrecover, invalid signature', code: loop(precompile(1, 128)) },
    { name: 'CREATE of nothing', code: loop('5f5f5ff050') },
    { name: 'CREATE2 of 48 KB of JUMPDEST', code: createLoop() },
    { name: 'CREATE of 24 KB of code', code: loop('60055f5ff050', '646160005ff360d81b5f52') },
  ]
}

function createLoop(): Uint8Array {
  const fill = `7f${'5b'.repeat(32)}5f52${[32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384].map((n) => `${push(n)}5f${push(n)}5e`).join('')}`
  return loop(`5a${push(32_768)}5f5ff550`, fill)
}
