import { blockAt, type SyncStatusJson } from '../support/chain-reading.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'

export interface ChainView {
  readonly name: string
  readonly rpcUrl: string
  readonly rollupUrl: string
}

interface OutputJson {
  readonly outputRoot: string
  readonly blockRef: { readonly hash: string; readonly number: number; readonly l1origin: { readonly hash: string } }
}

const OUTPUTS_COMPARED = 5

export async function heads(view: ChainView): Promise<{ readonly unsafe: number; readonly safe: number }> {
  const { unsafe_l2, safe_l2 } = await rpcCall<SyncStatusJson>(view.rollupUrl, 'optimism_syncStatus')
  return { unsafe: unsafe_l2.number, safe: safe_l2.number }
}

export async function assertSameChain(a: ChainView, b: ChainView, from: number, to: number): Promise<void> {
  if (to < from) throw new Error(`no blocks to compare: ${from} to ${to}`)
  for (let number = from; number <= to; number++) {
    const [ours, theirs] = await Promise.all([a, b].map(({ rpcUrl }) => blockAt(rpcUrl, number)))
    if (ours === null || theirs === null || ours?.hash !== theirs?.hash) {
      throw new Error(`block ${number}: ${a.name} has ${ours?.hash ?? 'none'}, ${b.name} has ${theirs?.hash ?? 'none'}`)
    }
  }
  const step = Math.max(1, Math.floor((to - from) / (OUTPUTS_COMPARED - 1)))
  for (let number = to; number >= from; number -= step) await assertSameOutput(a, b, number)
}

async function assertSameOutput(a: ChainView, b: ChainView, number: number): Promise<void> {
  const [ours, theirs] = await Promise.all(
    [a, b].map(({ rollupUrl }) => rpcCall<OutputJson>(rollupUrl, 'optimism_outputAtBlock', [`0x${number.toString(16)}`])),
  )
  for (const read of [
    (output?: OutputJson) => output?.outputRoot,
    (output?: OutputJson) => output?.blockRef.hash,
    (output?: OutputJson) => output?.blockRef.l1origin.hash,
  ]) {
    if (read(ours) !== read(theirs)) {
      throw new Error(`output at ${number}: ${a.name} says ${JSON.stringify(ours)}, ${b.name} ${JSON.stringify(theirs)}`)
    }
  }
}

export function waitSafe(view: ChainView, number: number, timeoutMs: number): Promise<number> {
  return eventually(
    `block ${number} being safe on ${view.name}`,
    async () => {
      const { safe } = await heads(view)
      return safe >= number ? safe : null
    },
    timeoutMs,
  )
}

export function waitUnsafe(view: ChainView, number: number, timeoutMs: number): Promise<number> {
  return eventually(
    `block ${number} being known to ${view.name}`,
    async () => {
      const { unsafe } = await heads(view)
      return unsafe >= number ? unsafe : null
    },
    timeoutMs,
  )
}
