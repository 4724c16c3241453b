/** Raises tiers by a linked account or an application. The code shown after a sign-in prevents its use for another person's address. */
import { createHash, createHmac } from 'node:crypto'
import type { Address, Clock, Logger, Random } from '@keelson/primitives'
import type { Captcha } from '../captcha.ts'
import { APPLICATIONS_PER_SUBSCRIBER } from './application.ts'
import type { Challenges, ProofVerdict, Purpose } from './challenge.ts'
import { CHALLENGE_LIFE_MS } from './challenge.ts'
import type { AccountProvider, LinkedAccount } from './linked-accounts.ts'
import type { TierRecords } from './tier-records.ts'

export type TierRefusal =
  | 'proof'
  | 'code'
  | 'sign-in'
  | 'account-used'
  | 'no-provider'
  | 'unavailable'
  | 'full'
  | 'captcha'
  | 'captcha-unavailable'
  | 'ip-limit'
export type TierOutcome<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: TierRefusal; readonly text: string }

export interface TierService {
  challenge(
    purpose: Purpose,
    address: Address,
  ): TierOutcome<{
    readonly nonce: string
    readonly message: string
    readonly expiresAtMs: number
    /** Null when no account is needed. */
    readonly signInUrl: string | null
  }>
  /** Handles the provider's redirect. */
  signedIn(
    state: string,
    code: string,
    signal: AbortSignal,
  ): Promise<TierOutcome<{ readonly address: Address; readonly login: string; readonly code: string }>>
  verify(request: { address: Address; nonce: string; code: string; signature: string }): Promise<TierOutcome<{ readonly login: string }>>
  apply(request: ApplyRequest, signal: AbortSignal): Promise<TierOutcome<object>>
}

export interface ApplyRequest {
  readonly address: Address
  readonly nonce: string
  readonly signature: string
  readonly contact: string
  readonly project: string
  readonly captcha: string | null
  readonly subscriber: string
  readonly remoteIp: string
}

export interface TierServiceOptions {
  readonly publicUrl: string
  readonly addressesPerAccount: number
}

export interface TierServiceDependencies {
  readonly challenges: Challenges
  readonly records: TierRecords
  /** Null disables verification. */
  readonly provider: AccountProvider | null
  readonly captcha: Captcha
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

interface Signed {
  readonly address: Address
  readonly nonce: string
  readonly account: LinkedAccount
  readonly code: string
  readonly expiresAtMs: number
  triesLeft: number
}

/** Limit of open sign-ins. */
const MAX_SIGNED = 10_000
const CODE_TRIES = 5
/** Omits ambiguous characters. */
const CODE_ALPHABET = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
const CODE_LENGTH = 8

const PROOF_TEXTS: Readonly<Record<Exclude<ProofVerdict, 'proven'>, string>> = {
  'nonce-unknown': 'this nonce was not issued for this address: request a new challenge',
  'nonce-expired': 'this nonce has expired: request a new challenge',
  'nonce-used': 'this nonce has been used: request a new challenge',
  'signature-malformed': 'expected a signature of 65 bytes of hex (r, s, v), as personal_sign returns it',
  'signature-of-another': 'the signature does not match this address and the exact message of the challenge',
}

export function createTierService(options: TierServiceOptions, deps: TierServiceDependencies): TierService {
  const { challenges, records, provider, captcha, clock, random, log } = deps
  const signed = new Map<string, Signed>()
  const verifierKey = random.bytes(32)
  const redirectUri = new URL('/api/verify/callback', options.publicUrl).href

  const refuse = (reason: TierRefusal, text: string) => ({ ok: false, reason, text }) as const
  const refuseProof = (verdict: Exclude<ProofVerdict, 'proven'>) => refuse('proof', PROOF_TEXTS[verdict])
  const NO_PROVIDER = refuse('no-provider', 'this faucet has no accounts to verify an address with; apply for the developer tier instead')
  const verifierOf = (nonce: string) => createHmac('sha256', verifierKey).update(nonce).digest('base64url')

  const accountTaken = (account: LinkedAccount, address: Address): string | null => {
    const others = records.addressesOf(account.id).filter((known) => known !== address)
    if (others.length < options.addressesPerAccount) return null
    return `the account ${account.login} is already linked to ${others.join(', ')}: one account can verify ${options.addressesPerAccount}`
  }

  const makeCode = () =>
    Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[Math.floor(random.next() * CODE_ALPHABET.length)] as string).join('')

  const remember = (entry: Signed) => {
    for (const [nonce, { expiresAtMs }] of signed) {
      if (expiresAtMs > clock.nowMs() && signed.size < MAX_SIGNED) break
      signed.delete(nonce)
    }
    signed.set(entry.nonce, entry)
  }

  async function judgeCaptcha(token: string | null, remoteIp: string, signal: AbortSignal) {
    if (!captcha.required) return null
    if (token === null || token === '') return refuse('captcha', 'this faucet requires a captcha: send its response as "captcha"')
    const verdict = await captcha.check(token, remoteIp, signal)
    if (verdict === 'passed') return null
    if (verdict === 'refused') return refuse('captcha', 'the captcha failed or has expired: solve it again')
    return refuse('captcha-unavailable', 'the captcha cannot be checked at the moment: try again in a minute')
  }

  return {
    challenge(purpose, address) {
      if (purpose === 'verify' && provider === null) return NO_PROVIDER
      const { nonce, message, expiresAtMs } = challenges.issue(purpose, address)
      const signInUrl =
        purpose === 'apply' || provider === null
          ? null
          : provider.signInUrl({
              state: `${address}.${nonce}`,
              codeChallenge: createHash('sha256').update(verifierOf(nonce)).digest('base64url'),
              redirectUri,
            })
      return { ok: true, nonce, message, expiresAtMs, signInUrl }
    },

    async signedIn(state, code, signal) {
      if (provider === null) return NO_PROVIDER
      const [address = '', nonce = ''] = state.split('.')
      const known = /^0x[0-9a-f]{40}$/.test(address) ? challenges.examine('verify', address as Address, nonce) : 'nonce-unknown'
      if (known !== 'good') return refuseProof(known)
      const result = await provider.signIn(code, verifierOf(nonce), redirectUri, signal)
      if (!result.ok) return refuse(result.reason === 'refused' ? 'sign-in' : 'unavailable', result.text)
      const { account } = result
      const taken = accountTaken(account, address as Address)
      if (taken !== null) return refuse('account-used', taken)
      const entry: Signed = {
        address: address as Address,
        nonce,
        account,
        code: makeCode(),
        expiresAtMs: clock.nowMs() + CHALLENGE_LIFE_MS,
        triesLeft: CODE_TRIES,
      }
      remember(entry)
      return { ok: true, address: entry.address, login: account.login, code: entry.code }
    },

    async verify({ address, nonce, code, signature }) {
      if (provider === null) return NO_PROVIDER
      const entry = signed.get(nonce)
      if (entry === undefined || entry.address !== address)
        return refuse('sign-in', 'nobody has signed in for this challenge yet: open its signInUrl first')
      if (code.toUpperCase().replace(/[^A-Z0-9]/g, '') !== entry.code) {
        if (--entry.triesLeft <= 0) signed.delete(nonce)
        return refuse('code', 'this is not the code shown after the sign-in')
      }
      const verdict = challenges.prove('verify', address, nonce, signature)
      if (verdict !== 'proven') return refuseProof(verdict)
      signed.delete(nonce)
      const { account } = entry
      const taken = accountTaken(account, address)
      if (taken !== null) return refuse('account-used', taken)
      const done = await records.link({ address, account: account.id, login: account.login, atMs: clock.nowMs() })
      if (done === 'full') return refuse('full', 'no more addresses can be verified: contact the operator')
      log.info('verified an address', { address, account: account.id })
      return { ok: true, login: account.login }
    },

    async apply({ address, nonce, signature, contact, project, captcha: token, subscriber, remoteIp }, signal) {
      // A captcha response is valid once.
      const known = challenges.examine('apply', address, nonce)
      if (known !== 'good') return refuseProof(known)
      const refusal = await judgeCaptcha(token, remoteIp, signal)
      if (refusal !== null) return refusal
      const verdict = challenges.prove('apply', address, nonce, signature)
      if (verdict !== 'proven') return refuseProof(verdict)
      const done = await records.apply({ address, contact, project, atMs: clock.nowMs(), subscriber })
      if (done === 'full') return refuse('full', 'too many applications are waiting for the operator: try again in a few days')
      if (done === 'network-full') {
        const text = `${APPLICATIONS_PER_SUBSCRIBER} applications from your IP address are already waiting for the operator`
        return refuse('ip-limit', text)
      }
      log.info('received an application for the developer tier', { address })
      return { ok: true }
    },
  }
}
