import { createHmac } from 'node:crypto'
import type { Address, Clock, Random } from '@keelson/primitives'
import { CHALLENGE_LIFE_MS } from './challenge.ts'
import type { LinkedAccount } from './linked-accounts.ts'

export interface SignIn {
  readonly address: Address
  readonly nonce: string
  readonly account: LinkedAccount
  readonly code: string
  readonly expiresAtMs: number
  triesLeft: number
}

const MAX_SIGN_INS = 10_000
const CODE_TRIES = 5
const CODE_ALPHABET = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
const CODE_LENGTH = 8

export class SignIns {
  readonly #clock: Clock
  readonly #random: Random
  readonly #verifierKey: Uint8Array
  readonly #byNonce = new Map<string, SignIn>()

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
    this.#verifierKey = random.bytes(32)
  }

  /** PKCE code verifier (RFC 7636). */
  verifierOf(nonce: string): string {
    return createHmac('sha256', this.#verifierKey).update(nonce).digest('base64url')
  }

  get(nonce: string): SignIn | undefined {
    return this.#byNonce.get(nonce)
  }

  add(address: Address, nonce: string, account: LinkedAccount): SignIn {
    const nowMs = this.#clock.nowMs()
    const code = this.#makeCode()
    for (const [old, { expiresAtMs }] of this.#byNonce) {
      if (expiresAtMs > nowMs && this.#byNonce.size < MAX_SIGN_INS) break
      this.#byNonce.delete(old)
    }
    const signIn = { address, nonce, account, code, expiresAtMs: nowMs + CHALLENGE_LIFE_MS, triesLeft: CODE_TRIES }
    this.#byNonce.set(nonce, signIn)
    return signIn
  }

  /** Deletes the sign-in after the last try. */
  isCode(signIn: SignIn, code: string): boolean {
    if (code.toUpperCase().replace(/[^A-Z0-9]/g, '') === signIn.code) return true
    if (--signIn.triesLeft <= 0) this.delete(signIn.nonce)
    return false
  }

  delete(nonce: string): void {
    this.#byNonce.delete(nonce)
  }

  #makeCode(): string {
    const letter = () => CODE_ALPHABET[Math.floor(this.#random.next() * CODE_ALPHABET.length)] as string
    return Array.from({ length: CODE_LENGTH }, letter).join('')
  }
}
