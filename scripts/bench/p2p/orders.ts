/** Orders to the process of the light peers, and its answers. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Hash, Hex } from '@keelson/primitives'

export type Order =
  | {
      readonly kind: 'chain'
      readonly genesis: Hash
      readonly networkId: string
      readonly forkHash: number
      readonly blocks: number
      readonly head: Hash
    }
  | { readonly kind: 'dial'; readonly enode: string; readonly count: number }
  | { readonly kind: 'listen'; readonly count: number }
  | { readonly kind: 'announce'; readonly raws: readonly Hex[] }
  /** Latencies of the header requests since the last order of this kind. */
  | { readonly kind: 'latencies' }
  | { readonly kind: 'leave' }

export interface Reply {
  readonly peers: number
  readonly refused?: number
  readonly enodes?: readonly string[]
  readonly latenciesMs?: readonly number[]
  /** Requests without the headers. */
  readonly failed?: number
}

export interface LightPeers {
  /** One order at a time. */
  order(order: Order): Promise<Reply>
  close(): void
}

export function startLightPeers(): LightPeers {
  const child: ChildProcess = fork(join(import.meta.dirname, 'light-peers-main.ts'))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of the light peers ended with ${code}`)
  })
  ended.catch(() => undefined)
  return {
    async order(order) {
      const replied = once(child, 'message')
      child.send(order)
      const [reply] = await Promise.race([replied, ended])
      return reply as Reply
    },
    close: () => void child.kill('SIGKILL'),
  }
}
