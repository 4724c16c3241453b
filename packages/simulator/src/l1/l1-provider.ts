/** What stands between L1 and its readers: a provider that may limit rates, lag behind, or give wrong answers. */
import type { Random } from '@keelson/primitives'
import { RpcError, type RpcMethods } from '@keelson/runtime'
import { answerBeacon, type BeaconAnswer } from './beacon-api.ts'
import { lieAbout, lieAboutBlobs } from './l1-lies.ts'
import { createL1Methods } from './l1-methods.ts'
import { laggingL1 } from './lagging-l1.ts'
import type { SimulatedL1 } from './simulated-l1.ts'

/** `share` of the calls meet it, from 0 to 1. */
export type Misconduct =
  | { readonly kind: 'limit'; readonly share: number; readonly form: 'http' | 'rpc' }
  | { readonly kind: 'lag'; readonly share: number; readonly blocks: number }
  | { readonly kind: 'lie'; readonly share: number }

/** Error code with which providers limit rates. */
const LIMIT_EXCEEDED = -32005

export class L1Provider {
  /** In force now. */
  misconduct: readonly Misconduct[] = []
  readonly methods: RpcMethods
  readonly #l1: SimulatedL1
  readonly #random: Random

  constructor(l1: SimulatedL1, random: Random) {
    this.#l1 = l1
    this.#random = random
    const honest = createL1Methods(l1)
    this.methods = Object.fromEntries(
      Object.entries(honest).map(([name, method]): [string, RpcMethods[string]] => [
        name,
        (params, context) => {
          if (this.#meets('limit', 'rpc') !== null) throw new RpcError(LIMIT_EXCEEDED, 'rate limit exceeded')
          const lag = this.#meets('lag')
          const asked = lag === null ? method : (createL1Methods(laggingL1(l1, lag.blocks))[name] ?? method)
          const answer = asked(params, context)
          return this.#meets('lie') === null ? answer : lieAbout(name, answer, this.#random)
        },
      ]),
    )
  }

  /** Whether to answer a request with status 429. */
  refuses(): boolean {
    return this.#meets('limit', 'http') !== null
  }

  beacon(url: URL): BeaconAnswer {
    if (this.refuses()) return { status: 429, body: { code: 429, message: 'too many requests' } }
    const answer = answerBeacon(this.#l1, url)
    return this.#meets('lie') === null ? answer : lieAboutBlobs(answer, this.#random)
  }

  #meets<K extends Misconduct['kind']>(kind: K, form?: 'http' | 'rpc'): Extract<Misconduct, { kind: K }> | null {
    for (const one of this.misconduct) {
      if (one.kind !== kind || (one.kind === 'limit' && one.form !== form)) continue
      if (this.#random.next() < one.share) return one as Extract<Misconduct, { kind: K }>
    }
    return null
  }
}
