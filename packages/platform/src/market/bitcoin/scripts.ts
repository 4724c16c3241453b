/** BIP 16, 141, 341 */
import { bytesToHex } from '@keelson/primitives'
import { address, script } from 'bitcoinjs-lib'
import type { BitcoinNetwork, ScriptType } from '../../schemas/bitcoin.ts'

interface NetworkForm {
  readonly bech32: string
  readonly pubKeyHash: number
  readonly scriptHash: number
}

const TEST_VERSIONS = { pubKeyHash: 0x6f, scriptHash: 0xc4 }
export const NETWORK_FORMS: Readonly<Record<BitcoinNetwork, NetworkForm>> = {
  mainnet: { bech32: 'bc', pubKeyHash: 0x00, scriptHash: 0x05 },
  testnet: { bech32: 'tb', ...TEST_VERSIONS },
  signet: { bech32: 'tb', ...TEST_VERSIONS },
  regtest: { bech32: 'bcrt', ...TEST_VERSIONS },
}

interface ScriptForm {
  readonly type: ScriptType
  /** Hash, key or witness program; empty for other forms. */
  readonly program: Uint8Array
  readonly witnessVersion: number | null
}

const OP = { dup: 0x76, hash160: 0xa9, equal: 0x87, equalVerify: 0x88, checkSig: 0xac, checkMultiSig: 0xae, return: 0x6a, one: 0x51 }
const NOTHING = new Uint8Array(0)
const MAX_ASM_BYTES = 10_000

export function classifyScript(bytes: Uint8Array): ScriptForm {
  const at = (i: number) => bytes[i] as number
  const form = (type: ScriptType, program: Uint8Array = NOTHING, witnessVersion: number | null = null) => ({
    type,
    program,
    witnessVersion,
  })
  const { length } = bytes
  if (length === 25 && at(0) === OP.dup && at(1) === OP.hash160 && at(2) === 20 && at(23) === OP.equalVerify && at(24) === OP.checkSig) {
    return form('p2pkh', bytes.slice(3, 23))
  }
  if (length === 23 && at(0) === OP.hash160 && at(1) === 20 && at(22) === OP.equal) return form('p2sh', bytes.slice(2, 22))
  const version = length < 4 || length > 42 || at(1) !== length - 2 ? null : witnessVersion(at(0))
  if (version !== null) return form(witnessType(version, bytes), bytes.slice(2), version)
  if (at(0) === OP.return) return form('op_return')
  if (isPublicKeyScript(bytes)) return form('p2pk', bytes.slice(1, -1))
  return form(isMultisig(bytes) ? 'multisig' : 'nonstandard')
}

export function addressOf({ type, program, witnessVersion }: ScriptForm, network: BitcoinNetwork): string | null {
  const { bech32, pubKeyHash, scriptHash } = NETWORK_FORMS[network]
  if (type === 'p2pkh') return address.toBase58Check(program, pubKeyHash)
  if (type === 'p2sh') return address.toBase58Check(program, scriptHash)
  // a version 0 program of nonstandard length was never spendable, so it has no address
  if (witnessVersion === null || type === 'nonstandard') return null
  return address.toBech32(program, witnessVersion, bech32)
}

export function witnessType(version: number, bytes: Uint8Array): ScriptType {
  const { length } = bytes
  if (version === 0) return length === 22 ? 'p2wpkh' : length === 34 ? 'p2wsh' : 'nonstandard'
  if (version === 1 && length === 34) return 'p2tr'
  return version === 1 && length === 4 && bytes[2] === 0x4e && bytes[3] === 0x73 ? 'p2a' : 'witness_unknown'
}

export function scriptAsm(bytes: Uint8Array): string | null {
  if (bytes.length > MAX_ASM_BYTES) return null
  if (bytes.length === 0) return ''
  const parts = script.decompile(bytes)
  return parts === null ? null : script.toASM(parts)
}

function witnessVersion(opcode: number): number | null {
  if (opcode === 0) return 0
  return opcode >= OP.one && opcode <= OP.one + 15 ? opcode - OP.one + 1 : null
}

function isKey(bytes: Uint8Array): boolean {
  return (bytes.length === 33 && (bytes[0] === 2 || bytes[0] === 3)) || (bytes.length === 65 && bytes[0] === 4)
}

function isPublicKeyScript(bytes: Uint8Array): boolean {
  return bytes[0] === bytes.length - 2 && bytes.at(-1) === OP.checkSig && isKey(bytes.slice(1, -1))
}

function isMultisig(bytes: Uint8Array): boolean {
  if (bytes.at(-1) !== OP.checkMultiSig || bytes.length > MAX_ASM_BYTES) return false
  const [needed, ...rest] = script.decompile(bytes) ?? []
  const [of] = rest.slice(-2)
  const keys = rest.slice(0, -2)
  if (typeof needed !== 'number' || typeof of !== 'number') return false
  const [n, m] = [needed - OP.one + 1, of - OP.one + 1]
  return n >= 1 && m <= 16 && n <= m && m === keys.length && keys.every((key) => typeof key !== 'number' && isKey(key))
}

export function bareHex(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2)
}
