/** Sends the calls of batcher and proposer to the sequencer that seals, when there are several. */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import type { RpcClient } from '../rpc/rpc-client.ts'

export interface ActiveSequencer {
  /** Returns a client that calls that of the active sequencer; `clients` are in the order of the sequencers. */
  route(clients: readonly RpcClient[]): RpcClient
}

/** How long an answer about who seals is used; a failed call ends it. */
const KNOWN_MS = 2_000
const QUESTION = { timeoutMs: 1_000, retry: false } as const

/** `rollups` serve `admin_sequencerActive`. While none seals, the one used last that answers is used. */
export function createActiveSequencer(
  rollups: readonly RpcClient[],
  { clock, log }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly log: Logger },
): ActiveSequencer {
  let current = 0
  let knownUntilMs = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | null = null

  /** Null without an answer. */
  async function isActive(index: number): Promise<boolean | null> {
    try {
      return (await (rollups[index] as RpcClient).call('admin_sequencerActive', [], QUESTION)) === true
    } catch (error) {
      log.debug('a sequencer does not say whether it seals', { host: rollups[index]?.host ?? '', reason: messageOf(error) })
      return null
    }
  }

  async function choose(): Promise<void> {
    if ((await isActive(current)) !== true) {
      const answers = await Promise.all(rollups.map((_, index) => isActive(index)))
      const active = answers.indexOf(true)
      const answering = answers[current] === null ? answers.indexOf(false) : current
      const next = active >= 0 ? active : answering
      if (next >= 0 && next !== current) {
        log.info('following another sequencer', { to: rollups[next]?.host ?? '', from: rollups[current]?.host ?? '', seals: active >= 0 })
        current = next
      }
    }
    knownUntilMs = clock.monotonicMs() + KNOWN_MS
  }

  async function find(): Promise<number> {
    if (clock.monotonicMs() >= knownUntilMs) {
      asking ??= choose().finally(() => {
        asking = null
      })
      await asking
    }
    return current
  }

  async function ask<T>(clients: readonly RpcClient[], call: (client: RpcClient) => Promise<T>): Promise<T> {
    try {
      return await call(clients[await find()] as RpcClient)
    } catch (error) {
      knownUntilMs = Number.NEGATIVE_INFINITY
      throw error
    }
  }

  return {
    route: (clients) => ({
      get host() {
        return clients[current]?.host ?? ''
      },
      call: (method, params, options) => ask(clients, (client) => client.call(method, params, options)),
      batch: (calls, options) => ask(clients, (client) => client.batch(calls, options)),
      close() {
        for (const client of clients) client.close()
      },
    }),
  }
}
