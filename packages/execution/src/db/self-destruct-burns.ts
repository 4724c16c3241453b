/**
 * Wei burnt by self-destructs, which leave no log: a contract of the same transaction that names itself as beneficiary
 * (EIP-6780), and funds sent to an account after its destruction.
 */
import { ethParameters } from '@keelson/chainspec'
import type { BlockSession, EvmTracer, TraceFrame } from '@keelson/evm'
import { type Bytes20, bytesToHex, type Hash } from '@keelson/primitives'
import { type ReplayDependencies, replayBlock } from '../rpc/debug/block-replay.ts'

/** Null when a block or state is missing. Includes burns by the message passer. */
export async function selfDestructBurns(parts: ReplayDependencies, block: Hash, breathe: () => Promise<void>): Promise<bigint | null> {
  const stored = parts.chain.block(block)
  const parent = stored === null ? null : parts.chain.header(stored.header.parentHash)
  if (stored === null || parent === null) return null
  const readable =
    parts.state.hasState(stored.header.parentHash) ||
    (parts.chain.isCanonical({ hash: stored.header.parentHash, header: parent }) && parts.state.viewAtNumber(parent.number) !== null)
  if (!readable) return null
  const slot: { tracer: EvmTracer | null } = { tracer: null }
  const { open, senderOf } = replayBlock(parts, stored, slot)
  open.applySystemCalls()
  const { destroysOnlyNewContracts } = ethParameters(open.rules.ethFork)
  let burntWei = 0n
  for (const [index, tx] of stored.transactions.entries()) {
    const watch = watchBurns(open.session, destroysOnlyNewContracts)
    slot.tracer = watch.tracer
    open.applyTransaction(tx, senderOf(index))
    burntWei += watch.burntWei()
    await breathe()
  }
  return burntWei
}

interface OpenFrame {
  readonly destructs: TraceFrame[]
  readonly created: string[]
}

function watchBurns(session: BlockSession, onlyNew: boolean): { readonly tracer: EvmTracer; burntWei(): bigint } {
  const frames: OpenFrame[] = []
  let burntWei = 0n
  const settle = ({ destructs, created }: OpenFrame) => {
    const made = new Set(created)
    const gone = new Map<string, Bytes20>()
    for (const { from, to, valueWei } of destructs) {
      const key = bytesToHex(from)
      if (onlyNew && !made.has(key)) continue
      gone.set(key, from)
      if (to !== null && bytesToHex(to) === key) burntWei += valueWei
    }
    for (const address of gone.values()) burntWei += session.balance(address)
  }
  return {
    burntWei: () => burntWei,
    tracer: {
      enter(frame) {
        frames.push({ destructs: frame.kind === 'selfdestruct' ? [frame] : [], created: [] })
      },
      exit({ status, created }) {
        const frame = frames.pop() as OpenFrame
        if (status !== 'success') return
        if (created !== null) frame.created.push(bytesToHex(created))
        const outer = frames[frames.length - 1]
        if (outer === undefined) return settle(frame)
        outer.destructs.push(...frame.destructs)
        outer.created.push(...frame.created)
      },
    },
  }
}
