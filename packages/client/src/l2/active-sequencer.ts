/** Sends the calls of batcher and proposer to the sequencer that seals, when there are several. */
import { type Clock, type Logger, messageOf, parseSyncStatusJson } from '@keelson/primitives'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { findLeading } from './sealing-sequencer.ts'

export interface ActiveSequencer {
  /** Returns a client that calls that of the active sequencer; `clients` are in the order of the sequencers. */
  route(clients: readonly RpcClient[]): RpcClient
}

/** How long an answer about who seals is used; a failed call ends it. */
const KNOWN_MS = 2_000
const QUESTION = { timeoutMs: 1_000, retry: false } as const

/**
 * `rollups` serve `admin_sequencerActive`, and `optimism_syncStatus` for the case that several are active. While none seals, the
 * one used last that answers is used.
 */
export function createActiveSequencer(
  rollups: readonly RpcClient[],
  { clock, log }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly log: Logger },
): ActiveSequencer {
  let current = 0
  let knownUntilMs = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | null = null
  let comparing: Promise<void> | null = null
  /** Whether each sealed when it last answered, and the order in which they began to. */
  const wasActive = rollups.map(() => false)
  const began = rollups.map(() => 0)
  let beginnings = 0

  async function ask<T>(index: number, method: string, read: (answer: unknown) => T): Promise<T | null> {
    try {
      return read(await (rollups[index] as RpcClient).call(method, [], QUESTION))
    } catch (error) {
      log.debug('a sequencer does not say what it does', { method, host: rollups[index]?.host ?? '', reason: messageOf(error) })
      return null
    }
  }

  /** Null without an answer. */
  async function isActive(index: number): Promise<boolean | null> {
    const active = await ask(index, 'admin_sequencerActive', (answer) => answer === true)
    if (active === true && !wasActive[index]) began[index] = ++beginnings
    if (active !== null) wasActive[index] = active
    return active
  }

  function follow(next: number, seals: boolean): void {
    if (next === current) return
    log.info('following another sequencer', { to: rollups[next]?.host ?? '', from: rollups[current]?.host ?? '', seals })
    current = next
  }

  async function compare(all: Promise<readonly (boolean | null)[]>): Promise<void> {
    const answers = await all
    const sealing = [...answers.keys()].filter((index) => answers[index] === true)
    const leading = await findLeading(
      sealing.map((index) => ({
        index,
        began: began[index] as number,
        head: () => ask(index, 'optimism_syncStatus', (answer) => parseSyncStatusJson(answer).unsafeL2.number),
      })),
    )
    if (leading !== null) {
      follow(leading.index, true)
    } else {
      const answering = answers[current] === null ? answers.indexOf(false) : current
      if (answering >= 0) follow(answering, false)
    }
  }

  /** Waits for the others only when the current one does not seal. */
  async function choose(): Promise<void> {
    await comparing
    const answers = rollups.map((_, index) => isActive(index))
    const compared = compare(Promise.all(answers)).finally(() => {
      comparing = null
    })
    comparing = compared
    if ((await answers[current]) !== true) await compared
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

  async function callActive<T>(clients: readonly RpcClient[], call: (client: RpcClient) => Promise<T>): Promise<T> {
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
      call: (method, params, options) => callActive(clients, (client) => client.call(method, params, options)),
      batch: (calls, options) => callActive(clients, (client) => client.batch(calls, options)),
      close() {
        for (const client of clients) client.close()
      },
    }),
  }
}
