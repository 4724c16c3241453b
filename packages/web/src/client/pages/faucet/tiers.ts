/** Higher tiers of the faucet: more claims for an address whose owner is known. */
import { postJson } from '../../data/get-json.ts'
import { signWithWallet, type Wallet } from '../../data/wallet/wallet.ts'

export interface TiersJson {
  readonly tiers: readonly { readonly tier: string; readonly claims: number; readonly windowSeconds: number }[]
  /** Provider of accounts; null if the faucet verifies no addresses. */
  readonly accounts: string | null
}

export interface Challenge {
  readonly nonce: string
  readonly message: string
  readonly expiresAt: string
  readonly signInUrl: string | null
}

export interface Application {
  readonly contact: string
  readonly project: string
  /** Present if the faucet asks for one. */
  readonly captcha?: string
}

/** Throws Refusal. */
export function askChallenge(address: string, purpose: 'verify' | 'apply'): Promise<Challenge> {
  return postJson<Challenge>('/api/faucet/challenge', { address, purpose })
}

/** Returns the tier. Throws Refusal, and what the wallet throws. */
export async function linkAccount(wallet: Wallet, address: string, { nonce, message }: Challenge, code: string): Promise<string> {
  const signature = await signWithWallet(wallet, address, message)
  return (await postJson<{ readonly tier: string }>('/api/faucet/verify', { address, nonce, code, signature })).tier
}

/** Throws Refusal, and what the wallet throws. */
export async function applyForDeveloper(wallet: Wallet, address: string, application: Application): Promise<void> {
  const { nonce, message } = await askChallenge(address, 'apply')
  const signature = await signWithWallet(wallet, address, message)
  await postJson('/api/faucet/apply', { address, nonce, signature, ...application })
}

/** What a link of the faucet may lead to; null for anything else. */
export function safeUrl(url: string | null): string | null {
  return url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : null
}
