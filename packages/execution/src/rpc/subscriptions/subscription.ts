import type { Hex } from '@keelson/primitives'
import { nextTurn, RawJson, type RpcContext } from '@keelson/runtime'
import type { MoveSubscription } from './move-announcer.ts'
import type { PushAccount } from './push-budget.ts'
import type { SubscriptionKind } from './subscription-kind.ts'

/** Ends when its connection cannot keep up. */
export class Subscription implements MoveSubscription {
  readonly id: Hex
  readonly kind: SubscriptionKind
  /** Only this connection may cancel the subscription. */
  readonly connection: object
  readonly #context: RpcContext
  readonly #account: PushAccount
  readonly #onEnd: (subscription: Subscription) => void
  /** Notifications held until the caller has received the id. */
  #waiting: string[] | null = []
  #active = true

  constructor(
    what: { readonly id: Hex; readonly kind: SubscriptionKind; readonly connection: object },
    context: RpcContext,
    account: PushAccount,
    onEnd: (subscription: Subscription) => void,
  ) {
    this.id = what.id
    this.kind = what.kind
    this.connection = what.connection
    this.#context = context
    this.#account = account
    this.#onEnd = onEnd
    void nextTurn().then(() => this.#pushWaiting())
  }

  push(text: string): boolean {
    this.#account.send(text.length)
    if (this.#waiting !== null) this.#waiting.push(text)
    else if (!this.#context.notify?.('eth_subscription', new RawJson(`{"subscription":"${this.id}","result":${text}}`))) this.end()
    return this.#active
  }

  compared(): void {
    this.#account.compare()
  }

  settle(): boolean {
    if (this.#account.settle()) return this.#active
    this.end()
    this.#context.disconnect?.('these subscriptions cost more than the rate of this client allows: narrow their filters or use a key')
    return false
  }

  end(): void {
    if (!this.#active) return
    this.#active = false
    this.#onEnd(this)
  }

  #pushWaiting(): void {
    const first = this.#waiting ?? []
    this.#waiting = null
    for (const text of first) this.push(text)
  }
}
