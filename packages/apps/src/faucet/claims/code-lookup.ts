import type { RpcClient, RpcOutcome } from '@keelson/client'
import { type Address, parseData } from '@keelson/primitives'

export type CodeLookup = (address: Address) => Promise<Uint8Array>

interface Waiting {
  readonly address: Address
  readonly resolve: (code: Uint8Array) => void
  readonly reject: (error: unknown) => void
}

const MAX_GROUP = 50

/**
 * Reads the code of addresses at the newest block. Lookups that arrive while a request is under way share the next one, so that a
 * flood of claims costs the node few requests and does not wait for sockets until it times out.
 */
export function createCodeLookup(rpc: Pick<RpcClient, 'batch'>): CodeLookup {
  const waiting: Waiting[] = []
  let busy = false

  async function answer(group: readonly Waiting[]): Promise<void> {
    const calls = group.map(({ address }) => ({ method: 'eth_getCode', params: [address, 'latest'] }))
    try {
      const outcomes = await rpc.batch(calls, { retry: false })
      for (const [i, one] of group.entries()) settle(one, outcomes[i] as RpcOutcome)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  async function drain(): Promise<void> {
    busy = true
    while (waiting.length > 0) await answer(waiting.splice(0, MAX_GROUP))
    busy = false
  }

  return (address) =>
    new Promise((resolve, reject) => {
      waiting.push({ address, resolve, reject })
      if (!busy) void drain()
    })
}

function settle({ resolve, reject }: Waiting, outcome: RpcOutcome): void {
  try {
    if (!outcome.ok) throw outcome.error
    resolve(parseData(outcome.result, 'code'))
  } catch (error) {
    reject(error)
  }
}
