import { setTimeout as delay } from 'node:timers/promises'
import { blockAt } from './chain-reading.ts'
import type { DevnetFacts } from './devnet-process.ts'
import { eventually } from './eventually.ts'
import { rpcCall } from './json-rpc.ts'

export interface BridgeWatch {
  readonly answers: number
  readonly deposits: number
  stop(): Promise<void>
}

interface Status {
  readonly state: string
  readonly l1: { readonly blockNumber: number | null; readonly blockHash: string | null }
  readonly deposits: readonly { readonly l2: { readonly blockNumber: number; readonly blockHash: string } | null }[]
}

const RANK: Readonly<Record<string, number>> = { pending: 0, relaying: 1, complete: 2, failed: 2 }
const WATCHED = 20
const ROUND_MS = 1_000
const TIMEOUT_MS = 5_000
const SETTLED_LIMIT_MS = 180_000
const NOT_FOUND = 404

export function startBridgeWatch(facts: DevnetFacts, hashes: readonly string[], violation: (text: string) => void): BridgeWatch {
  const said = new Map<string, Status>()
  const ending = new AbortController()
  let answers = 0

  async function stands(url: string, number: number | null | undefined, hash: string | null | undefined): Promise<boolean> {
    if (number == null) return true
    return await blockAt(url, number).then(
      (block) => block?.hash === hash,
      () => true,
    )
  }

  async function look(hash: string): Promise<void> {
    const answer = await ask(facts.services.bridge, hash)
    if (answer === null) return
    answers++
    const before = said.get(hash)
    if (answer === 'unknown') {
      if (before !== undefined) violation(`${hash} was ${before.state} and is now unknown`)
      return
    }
    if (before === undefined || (RANK[answer.state] ?? 0) >= (RANK[before.state] ?? 0)) {
      said.set(hash, answer)
      return
    }
    const onL2 = before.deposits[0]?.l2
    const same =
      answer.l1.blockHash === before.l1.blockHash &&
      (await stands(facts.l1.rpcUrl, before.l1.blockNumber, before.l1.blockHash)) &&
      (await stands(facts.l2.rpcUrl, onL2?.blockNumber, onL2?.blockHash))
    if (same) violation(`${hash} went back from ${before.state} to ${answer.state} without a reorg`)
    said.set(hash, answer)
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      for (const hash of hashes.slice(-WATCHED)) await look(hash).catch(() => undefined)
      await delay(ROUND_MS, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    get answers() {
      return answers
    },
    get deposits() {
      return said.size
    },
    async stop() {
      ending.abort()
      await running
    },
  }
}

export async function awaitComplete(facts: DevnetFacts, hashes: readonly string[], lastOnL1: number): Promise<number> {
  const onL1: string[] = []
  for (const hash of hashes) {
    const receipt = await rpcCall<{ blockNumber: string } | null>(facts.l1.rpcUrl, 'eth_getTransactionReceipt', [hash])
    if (receipt !== null && Number(receipt.blockNumber) <= lastOnL1) onL1.push(hash)
  }
  for (const hash of onL1) {
    await eventually(
      `the report of the bridge that ${hash} is complete`,
      async () => {
        const answer = await ask(facts.services.bridge, hash)
        if (answer === null || answer === 'unknown') throw new Error(`${answer ?? 'no answer'}`)
        if (answer.state !== 'complete') throw new Error(JSON.stringify(answer))
        return true
      },
      SETTLED_LIMIT_MS,
    )
  }
  return onL1.length
}

async function ask(bridgeUrl: string, hash: string): Promise<Status | 'unknown' | null> {
  const response = await fetch(`${bridgeUrl}/api/status/${hash}`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null)
  if (response === null) return null
  if (response.status === NOT_FOUND) return 'unknown'
  return response.status === 200 ? ((await response.json()) as Status) : null
}
