import { decodeLog } from '../../data/abi/decode.ts'
import type { AbiLookup } from '../../data/contract-abis.ts'
import type { LogJson } from '../../data/transaction-details.ts'
import { formatCount } from '../../format/amounts.ts'
import { Card } from '../../parts/card.tsx'
import { DataBlock } from '../../parts/data-block.tsx'
import { DecodedParts } from '../../parts/decoded.tsx'
import { AddressLink } from '../../parts/hashes/hash.tsx'

const MAX_SHOWN = 100

export function LogsCard({ logs, abis }: { readonly logs: readonly LogJson[]; readonly abis: AbiLookup }) {
  if (logs.length === 0) return null
  return (
    <Card title="Events" aside={<span className="muted">{formatCount(logs.length)}</span>}>
      <ol className="logs">
        {logs.slice(0, MAX_SHOWN).map((log) => (
          <li key={log.logIndex}>
            <p className="log-head">
              <span className="badge">{Number(log.logIndex)}</span> <AddressLink address={log.address} />
            </p>
            <LogBody log={log} abis={abis} />
          </li>
        ))}
      </ol>
      {logs.length > MAX_SHOWN && <p className="empty">{formatCount(logs.length - MAX_SHOWN)} more events are not shown.</p>}
    </Card>
  )
}

function LogBody({ log, abis }: { readonly log: LogJson; readonly abis: AbiLookup }) {
  const itsAbi = abis.of(log.address)
  const decoded = itsAbi === null ? null : decodeLog(log.topics, log.data, itsAbi)
  if (decoded !== null) return <DecodedParts decoded={decoded} contract={log.address} />
  return (
    <div className="decoded">
      <p className="muted">The event is not of a contract that these pages know.</p>
      {log.topics.map((topic) => (
        <p key={topic} className="hex">
          {topic}
        </p>
      ))}
      <DataBlock hex={log.data} />
    </div>
  )
}
