/** The nonce contains a MAC, so that only used ones are stored. EIP-191, EIP-4361 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  type Address,
  bytesToBigint,
  bytesToHex,
  type Clock,
  type Crypto,
  concatBytes,
  hexToBytes,
  isHex,
  keccak256,
  type Random,
  toAddress,
  toChecksumAddress,
  u64ToBytes,
} from '@keelson/primitives'

export type Purpose = 'verify' | 'apply'

export interface Challenge {
  readonly nonce: string
  readonly message: string
  readonly expiresAtMs: number
}

export type ProofVerdict = 'proven' | 'nonce-unknown' | 'nonce-expired' | 'nonce-used' | 'signature-malformed' | 'signature-of-another'

export interface Challenges {
  issue(purpose: Purpose, address: Address): Challenge
  examine(purpose: Purpose, address: Address, nonce: string): 'good' | 'nonce-unknown' | 'nonce-expired' | 'nonce-used'
  /** A valid proof uses the nonce up. */
  prove(purpose: Purpose, address: Address, nonce: string, signature: string): ProofVerdict
}

export interface ChallengeOptions {
  readonly publicUrl: string
  readonly chainId: bigint
}

export const CHALLENGE_LIFE_MS = 10 * 60_000
const STATEMENTS: Readonly<Record<Purpose, string>> = {
  verify: 'This links the address to the account that you signed in with, for the verified tier of the faucet.',
  apply: 'This applies for the developer tier of the faucet.',
}
const NONCE_BYTES = 34
const MARK_BYTES = 16
const SIGNATURE_BYTES = 65
const MAX_USED = 100_000

export function createChallenges(options: ChallengeOptions, deps: { crypto: Crypto; random: Random; clock: Clock }): Challenges {
  const key = deps.random.bytes(32)
  const used = new Map<string, number>()

  /** Nonce: time (8 bytes), random (10), MAC (16). */
  const mark = (head: Uint8Array, purpose: Purpose, address: Address): Uint8Array =>
    createHmac('sha256', key).update(purpose).update(hexToBytes(address)).update(head).digest().subarray(0, MARK_BYTES)

  const messageOf = (purpose: Purpose, address: Address, nonce: string, atMs: number): string => {
    const { host } = new URL(options.publicUrl)
    return [
      `${host} wants you to sign in with your Ethereum account:`,
      toChecksumAddress(address),
      '',
      STATEMENTS[purpose],
      '',
      `URI: ${options.publicUrl}`,
      'Version: 1',
      `Chain ID: ${options.chainId}`,
      `Nonce: ${nonce}`,
      `Issued At: ${new Date(atMs).toISOString()}`,
      `Expiration Time: ${new Date(atMs + CHALLENGE_LIFE_MS).toISOString()}`,
    ].join('\n')
  }

  const timeOf = (nonce: string) => Number(bytesToBigint(hexToBytes(`0x${nonce}`).subarray(0, 8)))

  const examine: Challenges['examine'] = (purpose, address, nonce) => {
    if (!isHex(`0x${nonce}`, NONCE_BYTES) || nonce !== nonce.toLowerCase()) return 'nonce-unknown'
    const bytes = hexToBytes(`0x${nonce}`)
    const head = bytes.subarray(0, NONCE_BYTES - MARK_BYTES)
    if (!timingSafeEqual(mark(head, purpose, address), bytes.subarray(NONCE_BYTES - MARK_BYTES))) return 'nonce-unknown'
    if (deps.clock.nowMs() >= timeOf(nonce) + CHALLENGE_LIFE_MS) return 'nonce-expired'
    return used.has(nonce) ? 'nonce-used' : 'good'
  }

  const use = (nonce: string) => {
    for (const [old, expiresAtMs] of used) {
      if (expiresAtMs > deps.clock.nowMs() && used.size < MAX_USED) break
      used.delete(old)
    }
    used.set(nonce, timeOf(nonce) + CHALLENGE_LIFE_MS)
  }

  return {
    issue(purpose, address) {
      const atMs = deps.clock.nowMs()
      const head = concatBytes(u64ToBytes(BigInt(atMs)), deps.random.bytes(10))
      const nonce = bytesToHex(concatBytes(head, mark(head, purpose, address))).slice(2)
      return { nonce, message: messageOf(purpose, address, nonce, atMs), expiresAtMs: atMs + CHALLENGE_LIFE_MS }
    },
    examine,
    prove(purpose, address, nonce, signature) {
      const found = examine(purpose, address, nonce)
      if (found !== 'good') return found
      const parts = parseSignature(signature)
      if (parts === null) return 'signature-malformed'
      const signer = deps.crypto.recover(personalDigest(messageOf(purpose, address, nonce, timeOf(nonce))), parts)
      if (signer === null || toAddress(signer) !== address) return 'signature-of-another'
      use(nonce)
      return 'proven'
    },
  }
}

export function personalDigest(message: string): Uint8Array {
  const text = new TextEncoder().encode(message)
  return keccak256(concatBytes(new TextEncoder().encode(`\x19Ethereum Signed Message:\n${text.length}`), text))
}

function parseSignature(signature: string) {
  if (!isHex(signature, SIGNATURE_BYTES)) return null
  const bytes = hexToBytes(signature)
  const v = bytes[64] as number
  const yParity = v >= 27 ? v - 27 : v
  if (yParity !== 0 && yParity !== 1) return null
  return { yParity, r: bytesToBigint(bytes.subarray(0, 32)), s: bytesToBigint(bytes.subarray(32, 64)) } as const
}
