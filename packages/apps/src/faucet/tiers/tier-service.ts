/** The code shown after a sign-in prevents its use for another person's address. */
import { createHash } from 'node:crypto'
import type { Address, Clock, Logger, Random } from '@keelson/primitives'
import { type Captcha, checkCaptcha } from '../captcha.ts'
import { APPLICATIONS_PER_SUBSCRIBER } from './application.ts'
import type { Challenges, ProofVerdict, Purpose } from './challenge.ts'
import type { AccountProvider, LinkedAccount } from './linked-accounts.ts'
import { SignIns } from './sign-ins.ts'
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

export interface Challenge {
  readonly nonce: string
  readonly message: string
  readonly expiresAtMs: number
  readonly signInUrl: string | null
}

export interface VerifyRequest {
  readonly address: Address
  readonly nonce: string
  readonly code: string
  readonly signature: string
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
  readonly provider: AccountProvider | null
  readonly captcha: Captcha
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

const PROOF_TEXTS: Readonly<Record<Exclude<ProofVerdict, 'proven'>, string>> = {
  'nonce-unknown': 'this nonce was not issued for this address: request a new challenge',
  'nonce-expired': 'this nonce has expired: request a new challenge',
  'nonce-used': 'this nonce has been used: request a new challenge',
  'signature-malformed': 'expected a signature of 65 bytes of hex (r, s, v), as personal_sign returns it',
  'signature-of-another': 'the signature does not match this address and the exact message of the challenge',
}

const refuse = (reason: TierRefusal, text: string) => ({ ok: false, reason, text }) as const
const refuseProof = (verdict: Exclude<ProofVerdict, 'proven'>) => refuse('proof', PROOF_TEXTS[verdict])
const NO_PROVIDER = refuse('no-provider', 'this faucet has no accounts to verify an address with; apply for the developer tier instead')

export class TierService {
  readonly #options: TierServiceOptions
  readonly #deps: TierServiceDependencies
  readonly #signIns: SignIns
  readonly #redirectUri: string

  constructor(options: TierServiceOptions, deps: TierServiceDependencies) {
    this.#options = options
    this.#deps = deps
    this.#signIns = new SignIns(deps.clock, deps.random)
    this.#redirectUri = new URL('/api/verify/callback', options.publicUrl).href
  }

  /** Name of the accounts that verify an address; null if there are none. */
  get accounts(): string | null {
    return this.#deps.provider?.name ?? null
  }

  challenge(purpose: Purpose, address: Address): TierOutcome<Challenge> {
    const { challenges, provider } = this.#deps
    if (purpose === 'verify' && provider === null) return NO_PROVIDER
    const { nonce, message, expiresAtMs } = challenges.issue(purpose, address)
    const signInUrl =
      purpose === 'apply' || provider === null
        ? null
        : provider.signInUrl({
            state: `${address}.${nonce}`,
            codeChallenge: createHash('sha256').update(this.#signIns.verifierOf(nonce)).digest('base64url'),
            redirectUri: this.#redirectUri,
          })
    return { ok: true, nonce, message, expiresAtMs, signInUrl }
  }

  async signedIn(
    state: string,
    code: string,
    signal: AbortSignal,
  ): Promise<TierOutcome<{ readonly address: Address; readonly login: string; readonly code: string }>> {
    const { challenges, provider } = this.#deps
    if (provider === null) return NO_PROVIDER
    const [text = '', nonce = ''] = state.split('.')
    const address = text as Address
    const known = /^0x[0-9a-f]{40}$/.test(text) ? challenges.examine('verify', address, nonce) : 'nonce-unknown'
    if (known !== 'good') return refuseProof(known)
    const result = await provider.signIn(code, this.#signIns.verifierOf(nonce), this.#redirectUri, signal)
    if (!result.ok) return refuse(result.reason === 'refused' ? 'sign-in' : 'unavailable', result.text)
    const { account } = result
    const taken = this.#accountTaken(account, address)
    if (taken !== null) return refuse('account-used', taken)
    const signIn = this.#signIns.add(address, nonce, account)
    return { ok: true, address, login: account.login, code: signIn.code }
  }

  async verify({ address, nonce, code, signature }: VerifyRequest): Promise<TierOutcome<{ readonly login: string }>> {
    const { challenges, clock, log, provider, records } = this.#deps
    if (provider === null) return NO_PROVIDER
    const signIn = this.#signIns.get(nonce)
    if (signIn === undefined || signIn.address !== address) {
      return refuse('sign-in', 'nobody has signed in for this challenge yet: open its signInUrl first')
    }
    if (!this.#signIns.isCode(signIn, code)) return refuse('code', 'this is not the code shown after the sign-in')
    const verdict = challenges.prove('verify', address, nonce, signature)
    if (verdict !== 'proven') return refuseProof(verdict)
    this.#signIns.delete(nonce)
    const { account } = signIn
    const taken = this.#accountTaken(account, address)
    if (taken !== null) return refuse('account-used', taken)
    const done = await records.link({ address, account: account.id, login: account.login, atMs: clock.nowMs() })
    if (done === 'full') return refuse('full', 'no more addresses can be verified: contact the operator')
    log.info('verified an address', { address, account: account.id })
    return { ok: true, login: account.login }
  }

  async apply(request: ApplyRequest, signal: AbortSignal): Promise<TierOutcome<object>> {
    const { address, nonce, signature, contact, project, subscriber } = request
    const { captcha, challenges, clock, log, records } = this.#deps
    // Checked after the nonce: a captcha response is valid only once.
    const known = challenges.examine('apply', address, nonce)
    if (known !== 'good') return refuseProof(known)
    const refusal = await checkCaptcha(captcha, request.captcha, request.remoteIp, signal)
    if (refusal !== null) return refuse(refusal.reason, refusal.text)
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
  }

  #accountTaken(account: LinkedAccount, address: Address): string | null {
    const { addressesPerAccount } = this.#options
    const others = this.#deps.records.addressesOf(account.id).filter((known) => known !== address)
    if (others.length < addressesPerAccount) return null
    return `the account ${account.login} is already linked to ${others.join(', ')}: one account can verify ${addressesPerAccount}`
  }
}
