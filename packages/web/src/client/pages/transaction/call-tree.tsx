import { functionName } from '../../data/abi/decode.ts'
import type { AbiLookup } from '../../data/contract-abis.ts'
import type { Loaded } from '../../data/use-query.ts'
import { formatCount } from '../../format/amounts.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { AddressLink } from '../../parts/hashes/hash.tsx'
import { type CallFrame, FrameReason } from './use-trace.tsx'

const MAX_SHOWN = 300
const MAX_INDENT = 12

interface Line {
  readonly frame: CallFrame
  readonly depth: number
}

/** The calls of a transaction in their order, each below its caller. */
export function CallTree({ trace, abis }: { readonly trace: Loaded<CallFrame>; readonly abis: AbiLookup }) {
  const { data, error } = trace
  if (data === null) {
    const words = error === null ? 'Tracing the transaction.' : `The node does not show the calls: ${error.message}`
    return (
      <Card title="Calls">
        <p className="empty">{words}</p>
      </Card>
    )
  }
  const lines = flatten(data)
  return (
    <Card title="Calls" aside={<span className="muted">{lines.length === 1 ? 'one call' : `${formatCount(lines.length)} calls`}</span>}>
      <ol className="call-tree">
        {lines.slice(0, MAX_SHOWN).map(({ frame, depth }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a trace never move
          <li key={i} style={{ paddingLeft: `${Math.min(depth, MAX_INDENT) * 18}px` }}>
            <CallLine frame={frame} abis={abis} />
          </li>
        ))}
      </ol>
      {lines.length > MAX_SHOWN && <p className="empty">{formatCount(lines.length - MAX_SHOWN)} more calls are not shown.</p>}
    </Card>
  )
}

function CallLine({ frame, abis }: { readonly frame: CallFrame; readonly abis: AbiLookup }) {
  const { type, to, value, gasUsed, input, error } = frame
  const isCreation = type.startsWith('CREATE')
  const name = isCreation ? 'new contract' : input.length >= 10 ? (functionName(input.slice(0, 10), abis.of(to)) ?? 'call') : 'transfer'
  return (
    <div className={`call-line ${error === undefined ? '' : 'has-failed'}`}>
      <span className="badge">{type.toLowerCase()}</span>
      <span className="call-target">
        {to === undefined ? 'nothing' : <AddressLink address={to} />} <code>{name}</code>
      </span>
      {value !== undefined && BigInt(value) > 0n && <NativeAmount wei={value} />}
      <span className="muted number">{formatCount(Number(gasUsed))} gas</span>
      {error !== undefined && (
        <span className="bad-text">
          <FrameReason frame={frame} abis={abis} />
        </span>
      )}
    </div>
  )
}

/** The addresses whose code runs. */
export function calledIn(trace: CallFrame | null): readonly (string | undefined)[] {
  return trace === null ? [] : flatten(trace).map(({ frame }) => frame.to)
}

/** Depth first, without recursion, because a trace may be 1,024 deep. */
function flatten(root: CallFrame): readonly Line[] {
  const lines: Line[] = []
  const left: Line[] = [{ frame: root, depth: 0 }]
  for (let line = left.pop(); line !== undefined; line = left.pop()) {
    lines.push(line)
    const { frame, depth } = line
    for (const call of [...(frame.calls ?? [])].reverse()) left.push({ frame: call, depth: depth + 1 })
  }
  return lines
}
