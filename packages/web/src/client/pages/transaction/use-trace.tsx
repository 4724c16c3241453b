import type { AbiDocument } from '../../../shared/abi-document.ts'
import { decodeError, valueText } from '../../data/decode.ts'
import { rpc } from '../../data/rpc.ts'
import { type Loaded, useQuery } from '../../data/use-query.ts'
import { shortHex } from '../../format/hex.ts'

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
  readonly abis: AbiDocument | null
  readonly gasUsed: number
  readonly gasLimit: number
}

/** The contract's own words, or what the machine says. */
export function RevertReason({ trace, abis, gasUsed, gasLimit }: RevertReasonProps) {
  if (trace.data !== null) return <strong className="bad-text">{reasonOf(trace.data, abis)}</strong>
  if (trace.error === null) return <span className="muted">looking</span>
  const isOutOfGas = gasUsed === gasLimit
  return <span className="bad-text">{isOutOfGas ? 'It used all of its gas.' : `Not known: ${trace.error.message}`}</span>
}

export function reasonOf({ error, output, revertReason }: CallFrame, abis: AbiDocument | null): string {
  if (revertReason !== undefined && revertReason !== '') return revertReason
  const decoded = output === undefined || abis === null ? null : decodeError(output, abis)
  if (decoded !== null) {
    const values = decoded.values.map(({ value }) => valueText(value)).join(', ')
    return decoded.name === 'Error' ? values : `${decoded.name}(${values})`
  }
  const data = output === undefined || output === '0x' ? '' : ` with data ${shortHex(output, 16)}`
  return `${error ?? 'failed'}${data}`
}
