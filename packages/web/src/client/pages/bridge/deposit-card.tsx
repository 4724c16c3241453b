import { useConfig } from '../../data/config.ts'
import { formatNative } from '../../format/amounts.ts'
import { shortHex } from '../../format/hex.ts'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { TransactionLink } from '../../parts/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Ago } from '../../parts/time.tsx'
import { StepList } from './step-list.tsx'
import { depositSteps } from './steps.ts'
import { useDeposit } from './use-transfer.ts'

/** A deposit by its transaction on L1. */
export function DepositCard({ hash }: { readonly hash: string }) {
  const { l2 } = useConfig()
  const { data, error } = useDeposit(hash)
  if (data === null)
    return (
      <Card title="Deposit">
        <Notice error={error} what={`the deposit ${shortHex(hash)}`} />
      </Card>
    )
  const [first] = data.deposits
  const amount = first === undefined || first.token !== null ? '' : ` of ${formatNative(BigInt(first.amount), l2.currency)}`
  return (
    <Card title={`Deposit${amount}`} aside={<span className={`badge ${badgeOf(data.state)}`}>{data.state}</span>}>
      <StepList steps={depositSteps(data)} />
      <Facts>
        <Fact name="Next">
          {data.nextAction.text}
          {data.estimatedCompletionTime !== null && (
            <>
              ; expected <Ago ms={Date.parse(data.estimatedCompletionTime)} />
            </>
          )}
        </Fact>
        {data.stuckReason !== null && <Fact name="Why it takes so long">{data.stuckReason}</Fact>}
        {data.reason !== null && data.state !== 'failed' && <Fact name="Note">{data.reason.text}</Fact>}
        {data.stale !== null && <Fact name="Last known state">{data.stale}</Fact>}
        <Fact name="Sent">
          <Ago ms={Date.parse(data.submittedAt)} /> in L1 transaction <span className="hex">{hash}</span>
        </Fact>
        {data.l2TxHash !== null && (
          <Fact name="On L2">
            {data.l2BlockNumber === null ? <span className="hex">{data.l2TxHash}</span> : <TransactionLink hash={data.l2TxHash} ends={8} />}
          </Fact>
        )}
      </Facts>
    </Card>
  )
}

export function badgeOf(state: string): string {
  if (state === 'complete' || state === 'finalized') return 'is-good'
  if (state === 'failed') return 'is-bad'
  return state.startsWith('ready') ? 'is-safe' : 'is-unsafe'
}
