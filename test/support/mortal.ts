import type { RpcClient } from '@keelson/client'
import type { KeyValueStore } from '@keelson/runtime'

export interface Mortal {
  readonly alive: boolean
  readonly death: Promise<void>
  /** Crashes at the `effects`-th effect from now, before it happens or before its result arrives. Later calls never resolve. */
  dieAt(effects: number, after: boolean): void
  effect<T>(work: () => Promise<T>): Promise<T>
  rpc(inner: RpcClient): RpcClient
  store(inner: KeyValueStore): KeyValueStore
}

export function createMortal(): Mortal {
  let alive = true
  let left = Number.POSITIVE_INFINITY
  let dieAfter = false
  let die: () => void = () => undefined
  const death = new Promise<void>((resolve) => {
    die = resolve
  })
  const never = <T>() => new Promise<T>(() => undefined)

  async function effect<T>(work: () => Promise<T>): Promise<T> {
    if (!alive) return never()
    left--
    if (left > 0) return work()
    alive = false
    if (dieAfter) await work().catch(() => undefined)
    die()
    return never()
  }

  return {
    get alive() {
      return alive
    },
    death,
    dieAt(effects, after) {
      left = effects
      dieAfter = after
    },
    effect,
    rpc: (inner) => ({
      host: inner.host,
      call: (method, params, options) => effect(() => inner.call(method, params, options)),
      batch: (calls) => effect(() => inner.batch(calls)),
      close: () => inner.close(),
    }),
    store: (inner) => ({
      getSync: (key) => inner.getSync(key),
      batch: (ops, options) => effect(() => inner.batch(ops, options)),
      range: (from, to, options) => inner.range(from, to, options),
      close: () => inner.close(),
    }),
  }
}
