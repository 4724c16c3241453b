import type { AbiLookup } from '../../data/contract-abis.ts'
import { rpc } from '../../data/rpc.ts'
import { type Loaded, useQuery } from '../../data/use-query.ts'
import { RevertView } from '../../parts/revert-view.tsx'

/** A call as `callTracer` reports it. */
export interface CallFrame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly gas: string
  readonly gasUsed: string
  readonly input: string
  readonly output?: string
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly CallFrame[]
}

export function useTrace(hash: string | null): Loaded<CallFrame> {
  return useQuery(
    hash === null ? null : `trace ${hash}`,
    () => rpc<CallFrame>('debug_traceTransaction', [hash, { tracer: 'callTracer' }]),
    null,
  )
}

export interface RevertReasonProps {
  readonly trace: Loaded<CallFrame>
  readonly abis: AbiLookup
  readonly gasUsed: number
  readonly gasLimit: number
}

/** The contract's own words, or what the machine says. */
export function RevertReason({ trace, abis, gasUsed, gasLimit }: RevertReasonProps) {
  if (trace.data !== null)
    return (
      <strong className="bad-text">
        <FrameReason frame={trace.data} abis={abis} />
      </strong>
    )
  if (trace.error === null) return <span className="muted">looking</span>
  const isOutOfGas = gasUsed === gasLimit
  return <span className="bad-text">{isOutOfGas ? 'It used all of its gas.' : `Not known: ${trace.error.message}`}</span>
}

/** An error may come from a contract further inside, so the declarations of all follow those of the contract itself. */
export function FrameReason({ frame, abis }: { readonly frame: CallFrame; readonly abis: AbiLookup }) {
  const { to, output, error, revertReason } = frame
  const otherwise = revertReason === undefined || revertReason === '' ? (error ?? 'failed') : revertReason
  return <RevertView data={output} abis={[abis.of(to), abis.all]} contract={to ?? null} otherwise={otherwise} />
}
