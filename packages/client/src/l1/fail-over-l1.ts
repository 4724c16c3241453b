import type { L1BlockRef, Logger } from '@keelson/primitives'
import { ClientError } from '../client-error.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import type { L1BlockLabel, L1Client } from './l1-client.ts'
import type { L1Sources } from './l1-sources.ts'
import { createLabelAgreement } from './label-agreement.ts'

/** Reports a block as unknown only when every unsuspended source does. */
export function createFailOverL1Client(sources: L1Sources, log: Logger): L1Client {
  const labelled = createLabelAgreement(sources, log)
  const isUnknown = (answer: unknown) => answer === null

  const head = async (): Promise<L1BlockRef | null> => {
    const { source, block } = await sources.ask(async (asked) => ({ source: asked, block: await asked.client.blockRef('latest') }))
    if (block === null) return null
    if (block.number < sources.highestHead) {
      const others = await sources.askOthers(source, ({ client }) => client.blockRef('latest'))
      let best = block
      for (const [, other] of others) if (other !== null && other.number > best.number) best = other
      if (best.number >= sources.highestHead) {
        sources.suspend(source, 'behind', `it is at block ${block.number}, another at ${best.number}`)
      }
      // If all sources report a lower head, the L1 watcher must see it.
      sources.highestHead = best.number
      return best
    }
    sources.highestHead = block.number
    return block
  }

  const atNumber = (number: number) =>
    // Callers poll for the next block; no source knows it, so only one is asked.
    sources.ask(({ client }) => client.blockRef(number), number > sources.highestHead ? {} : { isUnknown, what: `block ${number}` })

  return {
    blockRef(at: L1BlockLabel | number | `0x${string}`) {
      if (at === 'latest') return head()
      if (typeof at === 'number') return atNumber(at)
      if (at === 'safe' || at === 'finalized') return labelled(at)
      return sources.ask(({ client }) => client.blockRef(at as never), { isUnknown, what: `block ${at}` })
    },
    header: (hash) => sources.ask(({ client }) => client.header(hash), { isUnknown, what: `block ${hash}` }),
    transactions: (hash) =>
      sources.ask(({ client }) => client.transactions(hash), { isUnknown, what: `the transactions of block ${hash}` }),
    receipts: (hash) => sources.ask(({ client }) => client.receipts(hash), { isUnknown, what: `the receipts of block ${hash}` }),
  }
}

/** Only a failing source is replaced by the next. */
export function createFailOverRpc(sources: L1Sources): RpcClient {
  return {
    get host() {
      return sources.current.host
    },
    call: (method, params, options = {}) =>
      sources.ask(({ rpc }) => rpc.call(method, params, options), { passAnswers: true, once: options.retry === false }),
    batch: (calls, options = {}) =>
      sources.ask(({ rpc }) => rpc.batch(calls, options), { passAnswers: true, once: options.retry === false }),
    close() {
      for (const { rpc } of sources.all) rpc.close()
    },
  }
}

export function isWrongChain(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'client/wrong-chain'
}
