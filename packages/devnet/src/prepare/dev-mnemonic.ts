/** BIP-39, BIP-32, path m/44'/60'/0'/0/N, as wallets derive accounts. The words are not compared with BIP-39's list. */
import { createECDH, createHmac, pbkdf2Sync } from 'node:crypto'
import { bigintToBytes, bytesToBigint, bytesToHex, concatBytes, keccak256, toAddress, toHash } from '@keelson/primitives'
import type { DevAccount } from '../genesis/devnet/dev-accounts.ts'

const ROUNDS = 2_048
const SEED_BYTES = 64
const HARDENED = 0x8000_0000
const FOLDER = [HARDENED + 44, HARDENED + 60, HARDENED, 0]
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n

interface Node {
  readonly key: Uint8Array
  readonly chainCode: Uint8Array
}

export function isMnemonic(text: string): boolean {
  return /^[a-z]+( [a-z]+)*$/.test(text) && [12, 15, 18, 21, 24].includes(text.split(' ').length)
}

export function accountsOfMnemonic(mnemonic: string, count: number): readonly DevAccount[] {
  const seed = pbkdf2Sync(mnemonic.normalize('NFKD'), 'mnemonic', ROUNDS, SEED_BYTES, 'sha512')
  const folder = FOLDER.reduce(child, split(hmac(new TextEncoder().encode('Bitcoin seed'), seed)))
  return Array.from({ length: count }, (_, index) => accountOf(child(folder, index).key))
}

function child({ key, chainCode }: Node, index: number): Node {
  const start = index >= HARDENED ? concatBytes(Uint8Array.of(0), key) : publicKey(key, 'compressed')
  const { key: tweak, chainCode: next } = split(hmac(chainCode, concatBytes(start, bigintToBytes(BigInt(index), 4))))
  return { key: bigintToBytes((bytesToBigint(tweak) + bytesToBigint(key)) % ORDER, 32), chainCode: next }
}

function accountOf(key: Uint8Array): DevAccount {
  const point = publicKey(key, 'uncompressed').subarray(1)
  return { address: toAddress(keccak256(point).subarray(12)), privateKey: toHash(bytesToHex(key)) }
}

function publicKey(key: Uint8Array, form: 'compressed' | 'uncompressed'): Uint8Array {
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(key)
  return new Uint8Array(curve.getPublicKey(null, form))
}

function hmac(key: Uint8Array, data: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha512', key).update(data).digest())
}

function split(bytes: Uint8Array): Node {
  return { key: bytes.slice(0, 32), chainCode: bytes.slice(32) }
}
