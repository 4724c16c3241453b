/** A process that can die between any two of its effects on the world: what it asks after that is never answered. */
import type { RpcClient } from '@keelson/client'
import type { KeyValueStore } from '@keelson/runtime'

export interface Mortal {
  readonly alive: boolean
  /** Resolves when it dies. */
  readonly death: Promise<void>
  /** From now on it dies at its so many-th effect: before it happens, or after, without learning of it. */
  dieAt(effects: number, after: boolean): void
  /** Anything else it does to the world, or asks of it. */
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
