import type { TokenDetails } from '../../data/index-types.ts'
import { useIndex } from '../../data/use-index.ts'
import { shortHex } from '../../format/hex.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { TokenAmount } from '../../parts/amounts/token-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { FullHex } from '../../parts/hashes/full-hex.tsx'
import { TransactionLink } from '../../parts/hashes/hash.tsx'
import { L1Transaction } from '../../parts/hashes/l1-links.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Ago } from '../../parts/time.tsx'
import type { DepositStatus } from './bridge-types.ts'
import { StepList } from './step-list.tsx'
import { depositSteps } from './steps.ts'
import { useDeposit } from './use-transfer.ts'

/** A deposit by its transaction on L1. */
export function DepositCard({ hash }: { readonly hash: string }) {
  const { data, error } = useDeposit(hash)
  if (data === null)
    return (
      <Card title="Deposit">
        <Notice error={error} what={`the deposit ${shortHex(hash)}`} />
      </Card>
    )
  const [first] = data.deposits
  return (
    <Card
      title={first === undefined ? 'Deposit' : <DepositTitle deposit={first} />}
      aside={<span className={`badge ${badgeOf(data.state)}`}>{data.state}</span>}
    >
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
          <Ago ms={Date.parse(data.submittedAt)} /> in L1 transaction <L1Transaction hex={hash} full />
        </Fact>
        {data.l2TxHash !== null && (
          <Fact name="On L2">
            {data.l2BlockNumber === null ? (
              <FullHex hex={data.l2TxHash} what="the hash on L2" />
            ) : (
              <TransactionLink hash={data.l2TxHash} ends={8} />
            )}
          </Fact>
        )}
      </Facts>
    </Card>
  )
}

/** A token that is not indexed yet has no known decimals, so its amount is not shown. */
function DepositTitle({ deposit: { amount, token } }: { readonly deposit: DepositStatus['deposits'][number] }) {
  const { data } = useIndex<TokenDetails>(token === null ? null : `/tokens/${token.l2}`)
  if (token === null)
    return (
      <>
        Deposit of <NativeAmount wei={amount} />
      </>
    )
  if (data === null) return 'Deposit of a token'
  return (
    <>
      Deposit of <TokenAmount amount={amount} tokenId={null} token={data} />
    </>
  )
}

export function badgeOf(state: string): string {
  if (state === 'complete' || state === 'finalized') return 'is-good'
  if (state === 'failed') return 'is-bad'
  return state.startsWith('ready') ? 'is-safe' : 'is-unsafe'
}
